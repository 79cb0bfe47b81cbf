/** Makes the first admin, once, with a token from a file that only the service's owner can read. */
import { ServiceError } from "../../core/error.ts";
import type { AccountRecord, FirstAdmin, KeyStore } from "../../core/access_store.ts";
import type { NewAuditEntry, ReplicaStore, SetupToken } from "../../core/store.ts";
import { credentialText } from "../../core/credential.ts";
import { type MadeKey, makeKey } from "../keys/api_keys.ts";
import type { Clock } from "../clock.ts";
import type { People } from "./people.ts";
import { writePrivateFile } from "../sealing/private_file.ts";
import { digest, randomSecret, sameDigest } from "../secret.ts";

const VALID_MS = 30 * 60_000;
const ADMIN = [{ role: "admin" }] as const;

export class Setup {
  readonly #store: KeyStore;
  readonly #people: People;
  readonly #clock: Clock;
  readonly #path: string;
  readonly #shared: Pick<ReplicaStore, "offerSetup" | "setupToken"> | null;
  readonly #name: string;
  #token: SetupToken | null = null;
  /** Once true, true for ever, so only "required" is ever asked of the store. */
  #done = false;

  constructor(options: {
    readonly store: KeyStore;
    readonly people: People;
    readonly clock: Clock;
    /** The store by which replicas agree on one token; null for a single process. */
    readonly shared: Pick<ReplicaStore, "offerSetup" | "setupToken"> | null;
    /** The name of this one. */
    readonly replica: string;
    /** The path of the file with the one-time token. */
    readonly path: string;
  }) {
    this.#store = options.store;
    this.#people = options.people;
    this.#clock = options.clock;
    this.#path = options.path;
    this.#shared = options.shared;
    this.#name = options.replica;
  }

  async required(): Promise<boolean> {
    if (!this.#done) this.#done = await this.#store.isSetUp();
    return !this.#done;
  }

  /** The other replica that has made the token; null while there is none. */
  get replica(): string | null {
    return this.#token === null || this.#token.replica === this.#name ? null : this.#token.replica;
  }

  /**
   * Makes and writes this start's one-time token, if there is no admin yet and no other replica has made one; else removes
   * an old file.
   */
  async begin(): Promise<string | null> {
    if (!await this.required()) {
      await this.#forget();
      return null;
    }
    const token = randomSecret();
    const offered = {
      hash: await digest(token),
      replica: this.#name,
      expiresAt: this.#clock.now() + VALID_MS,
    };
    this.#token = await this.#shared?.offerSetup(offered, this.#clock.now()) ?? offered;
    if (this.replica !== null) {
      await this.#forget();
      return null;
    }
    await writePrivateFile(this.#path, token);
    return token;
  }

  /** The first admin's key. Throws `setup_done` once there is an admin, `setup_refused` for a wrong or outlived token. */
  async complete(token: string, name: string, entry: NewAuditEntry): Promise<MadeKey> {
    await this.#mustBe(token);
    const made = await makeKey({ name, grants: ADMIN }, "setup", this.#clock);
    const { id } = made.record;
    await this.#finish({ key: made.record }, {
      ...entry,
      actor: { kind: "apiKey", id, name },
      credential: credentialText({ kind: "key", id }),
      target: `/api/settings/api-keys/${id}`,
    });
    return made;
  }

  /** The same as a person with a password. Throws `invalid_request` for a weak one, too. */
  async completeAsPerson(
    token: string,
    name: string,
    password: string,
    entry: NewAuditEntry,
  ): Promise<AccountRecord> {
    await this.#mustBe(token);
    const person = await this.#people.make(name, ADMIN, password);
    const { id } = person;
    await this.#finish({ person }, {
      ...entry,
      actor: { kind: "user", id, name },
      target: `/api/settings/people/${id}`,
    });
    return await this.#people.get(id);
  }

  async #mustBe(token: string): Promise<void> {
    if (!await this.required()) throw done();
    const hash = await digest(token);
    const expected = this.#shared === null ? this.#token : await this.#shared.setupToken();
    if (this.#done) throw done(); // another call was faster while this one was hashing
    if (expected === null && !await this.required()) throw done(); // another replica was
    if (expected === null || !sameDigest(expected.hash, hash)) {
      throw new ServiceError(
        "setup_refused",
        'Cannot set up berth: that is not the one-time token in the file "setup-token" of the data folder',
      );
    }
    if (expected.expiresAt <= this.#clock.now()) {
      throw new ServiceError(
        "setup_refused",
        "Cannot set up berth: the token is over 30 minutes old; start berth again",
      );
    }
  }

  async #finish(first: FirstAdmin, entry: NewAuditEntry): Promise<void> {
    await this.#store.setUp(first, entry);
    this.#done = true;
    this.#token = null;
    await this.#forget();
  }

  async #forget(): Promise<void> {
    try {
      await Deno.remove(this.#path);
    } catch {
      // Not there, or not removable: once there is an admin, its token opens nothing.
    }
  }
}

function done(): ServiceError {
  return new ServiceError("setup_done", "Cannot set up berth: it has its first admin already");
}
