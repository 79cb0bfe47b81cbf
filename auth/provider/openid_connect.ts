/** Signing in with any OpenID Connect issuer: discovery, the code, and the checks of the ID token. */
import type { AuthorizationServer, Client, ClientAuth } from "oauth4webapi";
import type { Clock } from "../clock.ts";
import {
  type CodeAnswer,
  type Identity,
  identityFrom,
  type IdentityProvider,
  isLoopback,
  loginRefused,
  mustBeOurs,
  type ProviderDescription,
} from "./identity_provider.ts";
import { boundedFetch, type Fetch, unavailable } from "./outbound.ts";
import type { Claims } from "../keys/roles.ts";
import { ServiceError } from "../../core/error.ts";
import type { IdentityProviderSettings, RoleRule } from "../../core/sign_in.ts";

type OAuth = typeof import("oauth4webapi");

const METADATA_MS = 3_600_000;
/** A provider that is away is asked again after this, however many want to sign in. */
const FAILED_MS = 5_000;
/** An ID token under an unknown key may ask for the issuer's keys once in this time. */
const KEYS_MS = 10_000;
const TOLERANCE_S = 60;

export class OpenIdConnect implements IdentityProvider {
  readonly issuer: string;
  readonly provesAgain = true;
  readonly #settings: IdentityProviderSettings;
  readonly #secret: () => Promise<string | null>;
  readonly #rules: () => readonly RoleRule[];
  readonly #clock: Clock;
  readonly #fetch: Fetch;
  #metadata: { readonly value: AuthorizationServer; readonly at: number } | null = null;
  #failed: { readonly error: unknown; readonly at: number } | null = null;
  #asking: Promise<AuthorizationServer> | null = null;
  #keysAt = -Infinity;

  constructor(options: {
    readonly settings: IdentityProviderSettings;
    readonly secret: () => Promise<string | null>;
    readonly rules: () => readonly RoleRule[];
    readonly clock: Clock;
    readonly fetch?: Fetch;
  }) {
    this.#settings = options.settings;
    this.issuer = options.settings.issuer;
    this.#secret = options.secret;
    this.#rules = options.rules;
    this.#clock = options.clock;
    this.#fetch = options.fetch ?? boundedFetch();
  }

  async describe(): Promise<ProviderDescription> {
    const server = await this.#discover(await import("oauth4webapi"));
    const { issuer, clientId, redirectUris } = this.#settings;
    return {
      name: new URL(issuer).host,
      issuer,
      clientId,
      authorizationEndpoint: server.authorization_endpoint ?? "",
      scopes: [
        "openid",
        "profile",
        "email",
        ...(server.scopes_supported?.includes("groups") ? ["groups"] : []),
      ],
      redirectUri: redirectUris[0] ?? "",
    };
  }

  async exchange(answer: CodeAnswer): Promise<Identity> {
    const settings = this.#settings;
    mustBeOurs(answer.redirectUri, settings.redirectUris);
    if (answer.nonce === undefined) throw loginRefused("the nonce is missing");
    if (answer.iss !== undefined && answer.iss !== settings.issuer) {
      throw loginRefused("the answer comes from another issuer than the one that is configured");
    }
    const oauth = await import("oauth4webapi");
    const server = await this.#discover(oauth);
    try {
      return await this.#exchange(oauth, server, answer, answer.nonce);
    } catch (thrown) {
      throw explain(oauth, thrown);
    }
  }

  async #exchange(
    oauth: OAuth,
    server: AuthorizationServer,
    answer: CodeAnswer,
    nonce: string,
  ): Promise<Identity> {
    const client: Client = { client_id: this.#settings.clientId, [oauth.clockTolerance]: TOLERANCE_S };
    const options = this.#options(oauth);
    const parameters = new URLSearchParams({ code: answer.code });
    if (answer.iss !== undefined) parameters.set("iss", answer.iss);
    // The client that began the sign-in has compared the state. `iss` is compared here, and required if it was announced.
    const checked = oauth.validateAuthResponse(server, client, parameters, oauth.skipStateCheck);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      await this.#authentication(oauth, server),
      checked,
      answer.redirectUri,
      answer.codeVerifier,
      options,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await this.#checkSignature(oauth, server, response);
    const idToken = oauth.getValidatedIdTokenClaims(tokens);
    if (idToken === undefined) throw loginRefused("the provider sent no ID token");
    if (idToken.azp !== undefined && idToken.azp !== this.#settings.clientId) {
      throw loginRefused("the ID token was made for another client");
    }
    if (Math.abs(this.#clock.now() / 1000 - idToken.iat) > TOLERANCE_S) {
      throw loginRefused("the ID token was not made just now; compare the clocks of berth and the provider");
    }
    const claims = await this.#claims(oauth, server, client, tokens.access_token, idToken);
    // Asked for with `max_age`, it must be there; a provider that says nothing has not asked anybody.
    const { auth_time: authTime } = idToken;
    const authenticatedAt =
      typeof authTime === "number" && authTime * 1000 <= this.#clock.now() + TOLERANCE_S * 1000
        ? authTime * 1000
        : null;
    return identityFrom(this.#settings.issuer, idToken.sub, claims, authenticatedAt);
  }

  /** Without this the library relies on TLS alone for what the ID token says. */
  async #checkSignature(oauth: OAuth, server: AuthorizationServer, response: Response): Promise<void> {
    const options = this.#options(oauth);
    try {
      await oauth.validateApplicationLevelSignature(server, response, options);
    } catch (thrown) {
      const now = this.#clock.monotonic();
      const unknownKey = thrown instanceof oauth.OperationProcessingError &&
        thrown.code === oauth.KEY_SELECTION;
      if (!unknownKey || now - this.#keysAt < KEYS_MS) throw thrown;
      this.#keysAt = now;
      // The issuer may have turned its keys over. The library remembers keys by the identity of this object.
      const again = { ...server };
      if (this.#metadata !== null) this.#metadata = { ...this.#metadata, value: again };
      await oauth.validateApplicationLevelSignature(again, response, options);
    }
  }

  /** Providers may keep all but the subject out of the ID token; then they are asked for what rules and people need. */
  async #claims(
    oauth: OAuth,
    server: AuthorizationServer,
    client: Client,
    accessToken: string,
    idToken: Claims & { readonly sub: string },
  ): Promise<Claims> {
    const wanted = ["name", "email", ...this.#rules().map((rule) => rule.claim)];
    if (server.userinfo_endpoint === undefined || wanted.every((claim) => Object.hasOwn(idToken, claim))) {
      return idToken;
    }
    const response = await oauth.userInfoRequest(server, client, accessToken, this.#options(oauth));
    const more = await oauth.processUserInfoResponse(server, client, idToken.sub, response);
    return { ...more, ...idToken };
  }

  async #authentication(oauth: OAuth, server: AuthorizationServer): Promise<ClientAuth> {
    const secret = await this.#secret();
    if (secret === null) return oauth.None();
    const methods = server.token_endpoint_auth_methods_supported;
    return methods === undefined || methods.includes("client_secret_basic")
      ? oauth.ClientSecretBasic(secret)
      : oauth.ClientSecretPost(secret);
  }

  #discover(oauth: OAuth): Promise<AuthorizationServer> {
    const now = this.#clock.monotonic();
    if (this.#metadata !== null && now - this.#metadata.at < METADATA_MS) {
      return Promise.resolve(this.#metadata.value);
    }
    if (this.#failed !== null && now - this.#failed.at < FAILED_MS) return Promise.reject(this.#failed.error);
    this.#asking ??= this.#askMetadata(oauth).finally(() => this.#asking = null);
    return this.#asking;
  }

  async #askMetadata(oauth: OAuth): Promise<AuthorizationServer> {
    try {
      const issuer = new URL(this.#settings.issuer);
      const response = await oauth.discoveryRequest(issuer, { algorithm: "oidc", ...this.#options(oauth) });
      const value = await oauth.processDiscoveryResponse(issuer, response);
      // `URL` adds a slash to a bare host; what counts is the plain string.
      if (value.issuer !== this.#settings.issuer) {
        throw unavailable("it goes by another issuer name than configured");
      }
      if (value.authorization_endpoint === undefined || value.token_endpoint === undefined) {
        throw unavailable("its discovery document names no endpoints");
      }
      this.#metadata = { value, at: this.#clock.monotonic() };
      this.#failed = null;
      return value;
    } catch (thrown) {
      const error = thrown instanceof ServiceError
        ? thrown
        : unavailable("its discovery document is not a good one", thrown);
      // The metadata that is known stays in use while discovery fails.
      if (this.#metadata !== null) {
        this.#metadata = { ...this.#metadata, at: this.#clock.monotonic() - METADATA_MS + FAILED_MS };
        return this.#metadata.value;
      }
      this.#failed = { error, at: this.#clock.monotonic() };
      throw error;
    }
  }

  #options(oauth: OAuth) {
    return {
      [oauth.customFetch]: this.#fetch,
      // Plain HTTP never leaves this machine.
      [oauth.allowInsecureRequests]: isLoopback(new URL(this.#settings.issuer)),
    };
  }
}

/** Maps a library error to a code for the user or the operator. */
export function explain(oauth: OAuth, thrown: unknown): unknown {
  if (thrown instanceof ServiceError) return thrown;
  // An error of `boundedFetch` may arrive wrapped.
  if (thrown instanceof Error && thrown.cause instanceof ServiceError) return thrown.cause;
  if (thrown instanceof oauth.ResponseBodyError) {
    if (thrown.error === "invalid_client" || thrown.error === "unauthorized_client") {
      return unavailable("it does not accept berth's client id and secret", thrown);
    }
    return loginRefused(
      "the provider refused the code: it was used, ran out, or belongs to another sign-in",
      thrown,
    );
  }
  if (thrown instanceof oauth.AuthorizationResponseError) {
    return loginRefused("the provider's answer is an error", thrown);
  }
  if (thrown instanceof oauth.WWWAuthenticateChallengeError) {
    return unavailable("it does not accept the token that it issued", thrown);
  }
  if (thrown instanceof oauth.OperationProcessingError || thrown instanceof oauth.UnsupportedOperationError) {
    return loginRefused("what the provider sent could not be verified", thrown);
  }
  return thrown instanceof TypeError
    ? loginRefused("what the provider sent could not be used", thrown)
    : thrown;
}
