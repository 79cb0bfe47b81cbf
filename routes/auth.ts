/** Signing in, staying signed in, and signing out. */
import * as z from "../core/schema.ts";
import type { Access } from "../auth/access.ts";
import type { IdentityProvider } from "../auth/provider/identity_provider.ts";
import { honestly, peerGroup } from "../auth/rate_limit.ts";
import { Principal } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import { within } from "../core/signal.ts";
import { sessionIn } from "../core/credential.ts";
import {
  bindingOf,
  mustBeSameOrigin,
  refreshCookie,
  refreshCookieOf,
} from "../http/declare/refresh_cookie.ts";
import { type CoreRouter, json, problems, reply, route, router } from "../http/declare/router.ts";
import { deviceOf, NO_STORE, Tokens, tokensReply } from "./tokens.ts";

const Provider = z.object({
  name: z.string().describe("The name to display"),
  issuer: z.string().describe("Its address, or github"),
  clientId: z.string().describe("Our client id there"),
  authorizationEndpoint: z.string().describe("Address to send the person to"),
  scopes: z.array(z.string()).readonly().describe("Scopes to request"),
  pkce: z.literal("S256").describe("The method of PKCE that must be used"),
  redirectUri: z.string().describe("The address to come back to"),
}).meta({ id: "Provider" });

const AuthStatus = z.object({
  authenticated: z.boolean().describe("True if the caller is known"),
  principal: Principal.nullable().describe("The caller"),
  expiresAt: z.iso.datetime().nullable().describe("When the credential ends; null: never"),
  provider: Provider.nullable().describe(
    "Null when none is configured, or when it cannot be asked right now",
  ),
  setupRequired: z.boolean().describe("True until the first admin exists"),
}).meta({ id: "AuthStatus" });

export const CodeAnswer = z.strictObject({
  code: z.string().min(1).max(2_048).describe("The code that the identity provider sent back"),
  codeVerifier: z.string().regex(/^[A-Za-z0-9._~-]{43,128}$/, "Expected a PKCE verifier (RFC 7636)").describe(
    "The verifier whose challenge went to the identity provider (PKCE)",
  ),
  redirectUri: z.string().min(1).max(2_048).describe("The address it was sent back to"),
  nonce: z.string().min(8).max(512).optional().describe("The nonce that the authorization request had"),
  iss: z.string().max(2_048).optional().describe("The issuer, where the identity provider sent it along"),
}).meta({
  id: "CodeAnswer",
  examples: [{
    code: "SplxlOBeZQQYbYS6WxSbIA",
    codeVerifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    redirectUri: "https://berth.example/",
    nonce: "n-0S6_WzA2Mj",
  }],
});

const RefreshToken = z.strictObject({
  refreshToken: z.string().min(1).max(4_096).optional().describe(
    "For clients that do not receive it as a cookie",
  ),
})
  .meta({ id: "RefreshToken", examples: [{ refreshToken: "eyJhbGciOi..." }] });

const status = route({
  method: "get",
  path: "/auth/status",
  summary: "Check whether the caller is signed in, and how to sign in",
  description:
    "Needs no credential. Says who the caller is, if a valid credential came along, and what a page " +
    "needs to send a person to the identity provider.",
  permission: "open",
  answers: { 200: json(AuthStatus, "Always, even for a bad credential") },
});

const exchange = route({
  method: "post",
  path: "/auth/idp",
  summary: "Exchange an identity provider's authorization code for tokens",
  description:
    "The last step of a sign-in at an identity provider: berth redeems the code with its PKCE verifier, " +
    "checks the answer, and opens a session. A browser that sends `X-Berth` gets its refresh token as a " +
    "cookie.",
  headers: ["X-Berth"],
  permission: "open",
  audited: "change",
  body: CodeAnswer,
  answers: {
    200: json(Tokens, "Signed in"),
    ...problems(
      "login_refused",
      "identity_provider_not_configured",
      "identity_provider_unavailable",
      "too_many_requests",
    ),
  },
});

const refresh = route({
  method: "post",
  path: "/auth/refresh",
  summary: "Exchange a refresh token for new tokens; the old one is spent",
  description:
    "Access tokens live for a few minutes. A client sends its refresh token, in the body or as the " +
    "cookie, and gets the next pair. berth ends the whole session if somebody uses a refresh token " +
    "twice.",
  headers: ["X-Berth"],
  permission: "open",
  audited: false, // each session does it every five minutes; refusals and reuse are audited all the same
  body: RefreshToken.optional(),
  answers: {
    200: json(Tokens, "The next tokens"),
    ...problems("refresh_refused", "two_credentials", "forbidden", "origin_refused", "too_many_requests"),
  },
});

const me = route({
  method: "get",
  path: "/auth/me",
  summary: "Return the caller and their permissions",
  description:
    "Returns the name, the role and the permissions that this credential has right now, with their " +
    "scopes.",
  permission: "any",
  answers: { 200: json(Principal, "The caller") },
});

const logout = route({
  method: "post",
  path: "/auth/logout",
  summary: "End the caller's session, with all its tokens and streams",
  description:
    "Ends the session of this access token. Its refresh token stops working, and its open streams and " +
    "sockets close. An API key has no session, so nothing happens to it.",
  headers: ["X-Berth"],
  permission: "any",
  audited: "change",
  answers: {
    200: json(
      z.object({ revoked: z.boolean().describe("True if a session was ended") }),
      "False for an API key, which has no session",
    ),
  },
});

interface AuthOptions {
  readonly access: Access;
  /** The origins our own pages have. */
  readonly origins: { has(origin: string): boolean };
}

export function auth(options: AuthOptions): CoreRouter {
  return router()
    .add(askedStatus(options))
    .add(signingIn(options))
    .add(refreshing(options))
    .add(signedIn(options));
}

function askedStatus({ access }: AuthOptions): CoreRouter {
  const { provider } = access;
  return router()
    .on(status, async (call) => {
      const [caller, description, setupRequired] = await Promise.all([
        call.recognised(),
        provider === null ? null : describe(provider),
        access.setup.required(),
      ]);
      return reply(200, {
        authenticated: caller !== null,
        principal: caller?.principal ?? null,
        expiresAt: endOf(caller?.expiresAt),
        provider: description,
        setupRequired,
      }, NO_STORE);
    });
}

function signingIn({ access, origins }: AuthOptions): CoreRouter {
  const { sessions, limits, provider } = access;
  return router()
    .on(exchange, async (call) => {
      if (provider === null) {
        throw new ServiceError(
          "identity_provider_not_configured",
          'Cannot sign in: no identity provider is configured; set "identityProvider" in config.yaml, or use an API key',
        );
      }
      const device = deviceOf(call.request.headers, origins);
      const tokens = await honestly(limits.signIn, peerGroup(call.peer), async () => {
        return await sessions.open(await provider.exchange(call.body), device, call.entry());
      });
      call.setPrincipal(tokens.principal);
      return tokensReply(tokens, device.binding);
    });
}

function refreshing({ access, origins }: AuthOptions): CoreRouter {
  const { sessions, limits } = access;
  return router()
    .on(refresh, async (call) => {
      const { headers } = call.request;
      const binding = bindingOf(headers);
      const token = presented(headers, binding, call.body?.refreshToken, origins);
      const tokens = await honestly(limits.refresh, peerGroup(call.peer), async () => {
        const session = await sessions.sessionOf(token);
        if (session !== null) limits.refreshOfSession.spend(session);
        return await sessions.refresh(token, binding, call.entry());
      });
      call.setPrincipal(tokens.principal);
      return tokensReply(tokens, binding);
    });
}

function signedIn({ access }: AuthOptions): CoreRouter {
  const { sessions } = access;
  return router()
    .on(me, ({ principal }) => reply(200, principal, NO_STORE))
    .on(logout, async (call) => {
      const session = sessionIn(call.source);
      const revoked = session !== null && await sessions.end(session, call.entry());
      const cookie = bindingOf(call.request.headers) === null ? {} : { "set-cookie": refreshCookie("", 0) };
      return reply(200, { revoked }, { ...NO_STORE, ...cookie });
    });
}

const endOf = (at = Infinity): string | null => at === Infinity ? null : new Date(at).toISOString();

/** A page that asks whether it is signed in must not wait for a provider that hangs. */
const DESCRIBE_MS = 2_000;

async function describe(provider: IdentityProvider): Promise<z.input<typeof Provider> | null> {
  const asked = provider.describe().then((found) => ({ ...found, pkce: "S256" as const }), () => null);
  return await within(asked, DESCRIBE_MS, null);
}

/** The one refresh token of a request: from the body, or for a page of ours from the cookie. */
function presented(
  headers: Headers,
  binding: string | null,
  inBody: string | undefined,
  origins: AuthOptions["origins"],
): string {
  if (binding === null) {
    if (inBody !== undefined) return inBody;
    if (!headers.has("cookie")) {
      throw new ServiceError("invalid_request", "Cannot refresh: the body holds no refresh token", {
        errors: [{ path: "body.refreshToken", message: "Expected a refresh token" }],
      });
    }
    throw new ServiceError("forbidden", 'Cannot refresh: the cookie counts only together with "X-Berth"');
  }
  mustBeSameOrigin(headers, origins);
  if (inBody !== undefined) {
    throw new ServiceError(
      "two_credentials",
      'Cannot refresh: "X-Berth" goes with the cookie, not with a token in the body',
    );
  }
  const cookie = refreshCookieOf(headers);
  if (cookie === null) {
    throw new ServiceError("refresh_refused", "Cannot refresh: there is no session here; sign in");
  }
  return cookie;
}
