/** Signing in with GitHub, which has plain OAuth: no discovery and no ID token, so berth asks whom the token belongs to. */
import type { AuthorizationServer, Client } from "oauth4webapi";
import * as z from "../../core/schema.ts";
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
import { explain } from "./openid_connect.ts";
import { boundedFetch, type Fetch, unavailable } from "./outbound.ts";
import type { IdentityProviderSettings, RoleRule } from "../../core/sign_in.ts";

/** The addresses of GitHub, or of a GitHub Enterprise Server. */
export interface GitHubAddresses {
  readonly web: string;
  readonly api: string;
}

const GITHUB: GitHubAddresses = { web: "https://github.com", api: "https://api.github.com" };

const User = z.object({
  id: z.int().positive(),
  login: z.string(),
  name: z.string().nullish(),
  avatar_url: z.string().nullish(),
});
const Emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));
const Organisations = z.array(z.object({ login: z.string() }));

export class GitHub implements IdentityProvider {
  readonly issuer: string;
  /** GitHub neither asks again nor says when it did. */
  readonly provesAgain = false;
  readonly #settings: IdentityProviderSettings;
  readonly #secret: () => Promise<string | null>;
  readonly #rules: () => readonly RoleRule[];
  readonly #addresses: GitHubAddresses;
  readonly #fetch: Fetch;

  constructor(options: {
    readonly settings: IdentityProviderSettings;
    readonly secret: () => Promise<string | null>;
    readonly rules: () => readonly RoleRule[];
    readonly addresses?: GitHubAddresses;
    readonly fetch?: Fetch;
  }) {
    this.#settings = options.settings;
    this.#secret = options.secret;
    this.#rules = options.rules;
    this.#addresses = options.addresses ?? GITHUB;
    this.issuer = this.#addresses.web;
    this.#fetch = options.fetch ?? boundedFetch();
  }

  describe(): Promise<ProviderDescription> {
    return Promise.resolve({
      name: "GitHub",
      issuer: this.#addresses.web,
      clientId: this.#settings.clientId,
      authorizationEndpoint: `${this.#addresses.web}/login/oauth/authorize`,
      scopes: ["read:user", "user:email", ...(this.#withGroups() ? ["read:org"] : [])],
      redirectUri: this.#settings.redirectUris[0] ?? "",
    });
  }

  async exchange(answer: CodeAnswer): Promise<Identity> {
    mustBeOurs(answer.redirectUri, this.#settings.redirectUris);
    const { web } = this.#addresses;
    if (answer.iss !== undefined && answer.iss !== web) {
      throw loginRefused("the answer comes from another issuer than the one that is configured");
    }
    const oauth = await import("oauth4webapi");
    const server: AuthorizationServer = { issuer: web, token_endpoint: `${web}/login/oauth/access_token` };
    const client: Client = { client_id: this.#settings.clientId };
    const secret = await this.#secret();
    if (secret === null) {
      throw unavailable(
        'GitHub needs a client secret; name its file in "identityProvider.clientSecretFile" in config.yaml',
      );
    }
    const options = {
      [oauth.customFetch]: this.#fetch,
      [oauth.allowInsecureRequests]: isLoopback(new URL(web)),
    };
    let token: string;
    try {
      const parameters = new URLSearchParams({ code: answer.code });
      const checked = oauth.validateAuthResponse(server, client, parameters, oauth.skipStateCheck);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.ClientSecretPost(secret),
        checked,
        answer.redirectUri,
        answer.codeVerifier,
        options,
      );
      // Refusals come with status 200 and without a token, which the library reports as a bad answer.
      token = (await oauth.processAuthorizationCodeResponse(server, client, response)).access_token;
    } catch (thrown) {
      throw explain(oauth, thrown);
    }
    return await this.#identity(token);
  }

  async #identity(token: string): Promise<Identity> {
    const user = await this.#ask("/user", token, User);
    const emails = await this.#ask("/user/emails", token, Emails);
    const primary = emails.find((one) => one.primary && one.verified);
    const groups = this.#withGroups() ? await this.#ask("/user/orgs?per_page=100", token, Organisations) : [];
    const subject = String(user.id);
    return identityFrom(this.#addresses.web, subject, {
      iss: this.#addresses.web,
      sub: subject,
      login: user.login,
      name: user.name ?? user.login,
      picture: user.avatar_url,
      ...(primary === undefined ? {} : { email: primary.email, email_verified: true }),
      groups: groups.map((one) => one.login),
    }, null);
  }

  #withGroups(): boolean {
    return this.#rules().some((rule) => rule.claim === "groups");
  }

  async #ask<Schema extends z.ZodType>(
    path: string,
    token: string,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const response = await this.#fetch(`${this.#addresses.api}${path}`, {
      headers: {
        authorization: `Bearer ${token}`,
        accept: "application/vnd.github+json",
        "user-agent": "berth",
      },
    });
    const said = response.ok ? schema.safeParse(await response.json().catch(() => null)) : null;
    if (said?.success !== true) throw unavailable("GitHub did not say who signed in");
    return said.data;
  }
}
