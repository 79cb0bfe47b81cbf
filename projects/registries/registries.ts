/** The registries that people have stored: tried first, sealed, and found for a repository. */
import type { NewAuditEntry } from "../../core/audit_entry.ts";
import type { RegistryLogin } from "../../core/engine_acts.ts";
import { registryOf } from "../../core/image_reference.ts";
import type { RegistryLogins, RegistryRecord, RegistryStore } from "../../core/registries.ts";
import type { TextSeal } from "../../core/text_seal.ts";
import type { RegistryAccess, RegistryRules } from "./access.ts";
import { refused } from "./failure.ts";

const MOST = 200;

interface RegistriesOptions {
  readonly store: RegistryStore;
  readonly seal: TextSeal;
  readonly now: () => number;
}

/** A registry as a person asks for it. */
interface NewRegistry {
  readonly host: string;
  readonly path: string;
  readonly login: RegistryLogin | null;
  readonly tokenService: string | null;
  readonly plainHttp: boolean;
  readonly ca: string | null;
}

/** Whoever has no registry loads nothing that calls one. */
export class Registries implements RegistryLogins, AsyncDisposable {
  #access: Promise<RegistryAccess> | null = null;

  constructor(private readonly options: RegistriesOptions) {}

  async [Symbol.asyncDispose](): Promise<void> {
    (await this.#access)?.[Symbol.dispose]();
  }

  access(): Promise<RegistryAccess> {
    return this.#access ??= import("./access.ts").then(({ RegistryAccess }) =>
      new RegistryAccess(this.options.now)
    );
  }

  list(): Promise<RegistryRecord[]> {
    return this.options.store.list();
  }

  /**
   * Tries it at the registry, and stores it in place of the one of the same host and path. Throws `registry_refused`,
   * `registry_unavailable`, `token_service_unconfirmed` and `too_many_registries`.
   */
  async add(
    asked: NewRegistry,
    by: RegistryRecord["by"],
    entryOf: (record: RegistryRecord) => NewAuditEntry,
  ): Promise<RegistryRecord> {
    const { store, seal, now } = this.options;
    const { path, login, plainHttp, ca } = asked;
    const host = registryOf(asked.host);
    // A person named the host, so it may be on a private network.
    const rules = { host, plainHttp, ca, login, tokenService: asked.tokenService, allowsPrivate: true };
    const [{ probe }, access] = await Promise.all([import("./probe.ts"), this.access()]);
    const tokenService = await probe(access, rules);
    const record = {
      id: crypto.randomUUID(),
      host,
      path,
      login: login === null ? "none" : "username" in login ? "password" : "identityToken",
      username: login !== null && "username" in login ? login.username : null,
      tokenService,
      plainHttp,
      ca,
      by,
      at: now(),
    } as const;
    const sealed = login === null ? null : await seal.seal(JSON.stringify(login), placeOf(record));
    const whole: RegistryRecord = { ...record, sealed };
    await store.put(whole, MOST, entryOf(whole));
    return whole;
  }

  /** Returns false if there is none of this id. */
  remove(id: string, entry: NewAuditEntry): Promise<boolean> {
    return this.options.store.remove(id, entry);
  }

  async find(host: string, repository: string): Promise<RegistryLogin | undefined> {
    const rules = await this.rulesFor(registryOf(host), repository);
    if (rules.login === null) return undefined;
    const [{ assertSameTokenService }, access] = await Promise.all([import("./probe.ts"), this.access()]);
    await assertSameTokenService(access, rules);
    return rules.login;
  }

  /** Returns how a repository may be asked for; hosts that nobody stored are public and have TLS. */
  async rulesFor(host: string, repository: string): Promise<RegistryRules> {
    const records = await this.list();
    const record = recordFor(records, host, repository);
    // Credentials are for a path, and the way to the host is the same for all of it.
    const way = record ?? records.find((one) => one.host === host) ?? null;
    return {
      host,
      plainHttp: way?.plainHttp ?? false,
      allowsPrivate: way !== null,
      ca: way?.ca ?? null,
      tokenService: record?.tokenService ?? null,
      login: record === null ? null : await this.#loginOf(record),
    };
  }

  async #loginOf(record: RegistryRecord): Promise<RegistryLogin | null> {
    if (record.sealed === null) return null;
    const text = await this.options.seal.open(record.sealed, placeOf(record));
    if (text !== null) return JSON.parse(text);
    throw refused(record.host, "its credentials were sealed with a key that is gone; store them again");
  }
}

/** Returns the record of the longest path that the repository lies below; null for none. */
function recordFor(
  records: readonly RegistryRecord[],
  host: string,
  repository: string,
): RegistryRecord | null {
  const isBelow = ({ path }: RegistryRecord) =>
    path === "" || repository === path || repository.startsWith(`${path}/`);
  const fitting = records.filter((one) => one.host === registryOf(host) && isBelow(one));
  return fitting.reduce<RegistryRecord | null>(
    (best, one) => best === null || one.path.length > best.path.length ? one : best,
    null,
  );
}

/** Sealed text that was moved to another host, path or token service does not open. */
function placeOf({ id, host, path, tokenService }: Omit<RegistryRecord, "sealed">): string {
  return JSON.stringify(["registries", id, host, path, tokenService]);
}
