/** Fresh proof: for some actions a session alone is not enough, because it may be stolen. */
import { ServiceError } from "../../core/error.ts";
import type { NewAuditEntry } from "../../core/store.ts";
import { type CredentialRef, sessionIn } from "../../core/credential.ts";
import type { ApiKeys } from "../keys/api_keys.ts";
import type { Clock } from "../clock.ts";
import type { CodeAnswer, IdentityProvider } from "../provider/identity_provider.ts";
import type { People } from "./people.ts";
import type { LivingSession, Sessions } from "../sessions/session.ts";

/** A proof of identity: the password, the key, or another sign-in at the provider. */
type Proof = { readonly password: string } | { readonly key: string } | CodeAnswer;

interface FreshProofOptions {
  readonly sessions: Sessions;
  readonly people: People;
  readonly keys: ApiKeys;
  readonly provider: IdentityProvider | null;
  readonly clock: Clock;
  /** The oldest proof that is accepted; 0 turns fresh proof off. */
  readonly maxAgeMs: number;
}

export class FreshProof {
  readonly #options: FreshProofOptions;

  constructor(options: FreshProofOptions) {
    this.#options = options;
  }

  /** Throws `sign_in_again`, which says how, for a session whose last proof is too old. A key in a header is proof itself. */
  async demand(credential: CredentialRef | null): Promise<void> {
    const { maxAgeMs, clock } = this.#options;
    const id = sessionIn(credential);
    if (maxAgeMs === 0 || id === null) return;
    // Asked of the store each time: what another replica was proved counts here at once.
    const session = await this.#living(id);
    if (this.#isExempt(session) || clock.now() - session.provedAt < maxAgeMs) return;
    const [path, message] = this.#how(session);
    throw new ServiceError(
      "sign_in_again",
      "Cannot do that yet: prove again who you are, with POST /api/auth/proof",
      { errors: [{ path, message }] },
    );
  }

  /** Takes a proof for the session. Throws `login_refused` for a bad one, and `invalid_request` for one of another kind. */
  async give(credential: CredentialRef | null, proof: Proof, entry: NewAuditEntry): Promise<void> {
    const { sessions, people, keys, clock } = this.#options;
    const id = sessionIn(credential);
    if (id === null) {
      throw new ServiceError(
        "invalid_request",
        "Cannot take a proof: an API key needs none, only a session does",
      );
    }
    const session = await this.#living(id);
    const { holder } = session;
    let at = clock.now();
    if (holder.kind === "apiKey" && "key" in proof) {
      const verdict = await keys.check(proof.key);
      if (!verdict.valid || verdict.record.id !== holder.key.id) {
        throw refused("that is not the session's key");
      }
    } else if (holder.kind === "user" && holder.account.grants !== null && "password" in proof) {
      await people.confirm(holder.account, proof.password);
    } else if (holder.kind === "user" && holder.account.grants === null && "code" in proof) {
      at = await this.#signedInAt(holder.account, proof);
    } else {
      const [path, message] = this.#how(session);
      throw new ServiceError("invalid_request", `Cannot take that proof: ${message}`, {
        errors: [{ path, message }],
      });
    }
    await sessions.prove(id, at, entry);
  }

  async #signedInAt(
    account: { readonly issuer: string; readonly subject: string },
    answer: CodeAnswer,
  ): Promise<number> {
    const { provider, clock, maxAgeMs } = this.#options;
    if (provider === null || provider.issuer !== account.issuer) {
      throw refused("your identity provider is no longer the one that is configured; sign in anew");
    }
    const identity = await provider.exchange(answer);
    if (identity.subject !== account.subject) throw refused("it is another person's sign-in");
    const at = identity.authenticatedAt;
    if (at === null || (maxAgeMs > 0 && clock.now() - at >= maxAgeMs)) {
      throw refused('the provider did not ask you just now; send it "max_age=0"');
    }
    return at;
  }

  async #living(id: string): Promise<LivingSession> {
    const session = await this.#options.sessions.principal(id);
    if (session === null) throw new ServiceError("unauthenticated", "The session has ended: sign in again");
    return session;
  }

  /** Returns true if the person cannot give such a proof: some providers never ask twice. */
  #isExempt({ holder }: LivingSession): boolean {
    const { provider } = this.#options;
    return holder.kind === "user" && holder.account.grants === null && provider !== null &&
      !provider.provesAgain && provider.issuer === holder.account.issuer;
  }

  #how({ holder }: LivingSession): readonly [path: string, message: string] {
    if (holder.kind === "apiKey") return ["body.key", "Expected the key of this session"];
    return holder.account.grants === null
      ? ["body.code", 'Expected the code of another sign-in at your provider, asked for with "max_age=0"']
      : ["body.password", "Expected your password"];
  }
}

function refused(why: string): ServiceError {
  return new ServiceError("login_refused", `Cannot take that proof: ${why}`);
}
