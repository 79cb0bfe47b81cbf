/** The contract for credentials, and the bearer tokens that nearly every service uses. */

/** The source of a client's credentials. Clients that share one object share its logins. */
export interface Auth {
  /** The headers to send, logging in first if need be. */
  authHeaders(): Record<string, string> | Promise<Record<string, string>>;
  /** Forgets the current credentials: the server refused them with a 401. */
  invalidate(): void | Promise<void>;
}

/** The answer to a login or a refresh. */
export interface TokenPair {
  /** The token for the `authorization` header. */
  readonly accessToken: string;
  /** The token that buys the next pair, once. If an answer has none, the client keeps the previous one. */
  readonly refreshToken?: string | undefined;
}

/** A pair, and how to trade its refresh token for the next one. */
export interface RefreshableTokens extends TokenPair {
  /** The token that buys the next pair, once. */
  readonly refreshToken: string;
  /** Trades a refresh token, never twice. Call it through a client without `auth`. */
  refresh(refreshToken: string): TokenPair | Promise<TokenPair>;
}

/**
 * `Authorization: Bearer`, from a fixed token, a function that logs in, or a pair that can be refreshed.
 *
 * @example A token from a function that logs in
 * ```ts
 * import { BearerAuth } from "@berth/client";
 *
 * const auth = new BearerAuth(() => Promise.resolve("a token from somewhere"));
 * ```
 */
export class BearerAuth implements Auth {
  readonly #login: () => string | Promise<string>;
  #headers: Record<string, string> | undefined;
  #pending: Promise<Record<string, string>> | undefined;

  /** Takes a token, what fetches one, or a refreshable pair. @throws {TypeError} when a token cannot be sent. */
  constructor(source: string | (() => string | Promise<string>) | RefreshableTokens) {
    if (typeof source === "function") {
      this.#login = source;
    } else {
      const pair = typeof source === "string" ? undefined : source;
      this.#headers = headersOf(pair ? pair.accessToken : source);
      let refreshToken = pair?.refreshToken;
      this.#login = async () => {
        if (refreshToken === undefined) return source as string; // no pair, so it is the fixed token
        const next = await pair!.refresh(refreshToken);
        refreshToken = next.refreshToken ?? refreshToken;
        return next.accessToken;
      };
    }
  }

  /** The `authorization` header. Concurrent callers share one login. */
  authHeaders(): Record<string, string> | Promise<Record<string, string>> {
    // Deferred, so that #pending is set before the login runs: it may ask for these headers itself.
    return this.#headers ?? (this.#pending ??= Promise.resolve()
      .then(this.#login)
      .then((token) => this.#headers = headersOf(token))
      .finally(() => this.#pending = undefined));
  }

  /** Drops the access token, so that the next call logs in or refreshes. */
  invalidate(): void {
    this.#headers = undefined;
  }
}

function headersOf(token: unknown): Record<string, string> {
  const trimmed = typeof token === "string" ? token.trim() : "";
  // Checked here because runtimes quote a bad header value, so a secret, in their errors.
  if (!/^[\x21-\x7e]+$/.test(trimmed)) throw new TypeError("the bearer token is empty or cannot be sent");
  return { authorization: "Bearer " + trimmed };
}
