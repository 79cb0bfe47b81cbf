/** The hooks of sources: made, removed and received. A hook says no more than "look now". */
import type { NewAuditEntry } from "../core/audit_entry.ts";
import { ServiceError } from "../core/error.ts";
import type { HookAnswer, NewHook, Source, SourceRecord, SourceStore } from "../core/source.ts";
import type { TextSeal } from "../core/text_seal.ts";
import { Coalesced } from "./coalesced.ts";
import { mustBeSigned, newHookId, newHookSecret, NOBODYS_SECRET, type SignedHook } from "./hooks.ts";

interface SourceHooksOptions {
  readonly store: SourceStore;
  readonly seal: TextSeal;
  readonly check: (workspace: string) => Promise<SourceRecord>;
  readonly show: (workspace: string) => Promise<Source>;
  /** Called when it is known what the hook is answered. */
  readonly told: (workspace: string) => void;
}

/** Opened secrets that are kept. */
const MOST_SECRETS = 200;

export class SourceHooks {
  readonly #options: SourceHooksOptions;
  readonly #looking = new Map<string, Coalesced<HookAnswer>>();
  readonly #secrets = new Map<string, string>();

  constructor(options: SourceHooksOptions) {
    this.#options = options;
  }

  /** Makes a hook in place of the one before. Throws `source_not_found`. */
  async make(workspace: string, entry: NewAuditEntry): Promise<NewHook> {
    const { store, seal } = this.#options;
    const id = newHookId();
    const secret = newHookSecret();
    const hook = { id, secret: await seal.seal(secret, placeOf(workspace)) };
    if (!await store.setHook(workspace, hook, entry)) throw gone();
    return { path: pathOfHook(id), secret };
  }

  /** Throws `source_not_found`. */
  async remove(workspace: string, entry: NewAuditEntry): Promise<void> {
    if (!await this.#options.store.setHook(workspace, null, entry)) throw gone();
  }

  /**
   * Checks the source of a signed hook, and says what its newest commit would change. Throws `hook_refused`, also where
   * there is no such hook, and `git_failed` where the check failed.
   */
  async receive(id: string, signed: SignedHook): Promise<HookAnswer> {
    const record = await this.#options.store.ofHook(id);
    const secret = record?.hook ? await this.#opened(record.hook.secret, record.workspace) : null;
    mustBeSigned(secret ?? NOBODYS_SECRET, signed);
    return await this.#look(record!.workspace); // nobody signs with nobody's secret
  }

  /** Opens each sealed secret once. */
  async #opened(sealed: Uint8Array, workspace: string): Promise<string | null> {
    const key = `${workspace} ${sealed.toBase64()}`;
    const known = this.#secrets.get(key);
    if (known !== undefined) return known;
    const secret = await this.#options.seal.open(sealed, placeOf(workspace));
    if (this.#secrets.size >= MOST_SECRETS) this.#secrets.clear();
    if (secret !== null) this.#secrets.set(key, secret);
    return secret;
  }

  #look(workspace: string): Promise<HookAnswer> {
    let looking = this.#looking.get(workspace);
    if (looking === undefined) {
      looking = new Coalesced(() => this.#answer(workspace));
      this.#looking.set(workspace, looking);
    }
    return looking.run();
  }

  async #answer(workspace: string): Promise<HookAnswer> {
    const { check, show, told } = this.#options;
    const { error } = await check(workspace);
    const { head, pending, policy } = await show(workspace);
    if (error !== null || head === null) {
      throw new ServiceError("git_failed", `Cannot check: ${error ?? "nothing was fetched yet"}`);
    }
    told(workspace);
    const groups = pending?.groups ?? [];
    return { commit: head, groups: groups.map(({ name, change }) => ({ name, change })), policy };
  }
}

export const pathOfHook = (id: string): string => `/api/hooks/${id}`;

const placeOf = (workspace: string) => `source-hook/${workspace}`;

const gone = () => new ServiceError("source_not_found", "This workspace follows no repository");
