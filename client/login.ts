/** One login at a time per `Auth`, however many calls and clients share it. */
import type { Auth } from "./auth.ts";

/** Credentials, and which login they come from. */
export interface Ticket {
  readonly headers: Record<string, string>;
  readonly generation: number;
}

/** The logins of one `Auth`. */
export class Login {
  readonly #auth: Auth;
  #generation = 0;
  #pending: Promise<Ticket> | undefined;

  constructor(auth: Auth) {
    this.#auth = auth;
  }

  /** The current credentials; calls that ask meanwhile share one `authHeaders()`. */
  ticket(): Promise<Ticket> {
    return this.#pending ?? this.#share(() => this.#auth.authHeaders());
  }

  /** Credentials after a 401: a fresh login, or the one that someone else has made since. */
  renew(refused: Ticket): Promise<Ticket> {
    if (refused.generation !== this.#generation) return this.ticket();
    this.#generation++;
    const before = this.#pending?.catch(() => {});
    return this.#share(async () => {
      await before;
      await this.#auth.invalidate();
      return this.#auth.authHeaders();
    });
  }

  #share(run: () => ReturnType<Auth["authHeaders"]>): Promise<Ticket> {
    const generation = this.#generation;
    // Deferred, so that #pending is set before the Auth runs: it may call back into the client.
    const pending: Promise<Ticket> = Promise.resolve().then(run).then((headers) => {
      for (const value of Object.values(headers)) {
        // Runtimes quote a bad header value, so a secret, in their errors.
        if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
          throw new TypeError("auth gave a header that cannot be sent");
        }
      }
      return { headers, generation };
    }).finally(() => {
      if (this.#pending === pending) this.#pending = undefined;
    });
    pending.catch(() => {}); // every waiter sees it; with none left it must not end the process
    return this.#pending = pending;
  }
}

const logins = new WeakMap<Auth, Login>();

/** The logins of this `Auth`, shared by all clients that hold it. */
export function loginOf(auth: Auth): Login {
  let login = logins.get(auth);
  if (!login) logins.set(auth, login = new Login(auth));
  return login;
}
