/** An OpenID Connect issuer that says what a test tells it to, true or not; for what a real one will not do. */
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from "jose";

export interface Script {
  /** Changes to the ID token's claims; `undefined` leaves one out. */
  claims: Record<string, unknown>;
  header: Record<string, unknown>;
  /** Signs with another key than the one in the JWKS. */
  wrongKey: boolean;
  /** Takes the place of the ID token. */
  idToken: ((good: string) => string) | null;
  discovery: Record<string, unknown>;
  userInfo: Record<string, unknown>;
  /** Takes the place of an answer, by path. */
  answers: Map<string, () => Response | Promise<Response>>;
}

export interface ScriptedIssuer extends AsyncDisposable {
  readonly issuer: string;
  readonly script: Script;
  /** The number of requests to each path. */
  readonly asked: Map<string, number>;
  /** The forms that reached the token endpoint. */
  readonly forms: URLSearchParams[];
  /** Publishes a new key, and signs with it from now on. */
  turnOver(): Promise<void>;
  reset(): void;
}

export const CLIENT = "berth-test";

export async function startScriptedIssuer(nonce: string): Promise<ScriptedIssuer> {
  let pair = await generateKeyPair("ES256", { extractable: true });
  const other = await generateKeyPair("ES256");
  const asked = new Map<string, number>();
  const forms: URLSearchParams[] = [];
  const fresh = (): Script => ({
    claims: {},
    header: {},
    wrongKey: false,
    idToken: null,
    discovery: {},
    userInfo: {},
    answers: new Map(),
  });
  let script = fresh();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  const issuer = `http://127.0.0.1:${server.addr.port}`;

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    asked.set(pathname, (asked.get(pathname) ?? 0) + 1);
    const body = await request.text();
    if (pathname === "/token") forms.push(new URLSearchParams(body));
    const special = script.answers.get(pathname);
    if (special !== undefined) return await special();
    const jwk = await exportJWK(pair.publicKey);
    const kid = await calculateJwkThumbprint(jwk);
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return Response.json(without({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["ES256"],
          ...script.discovery,
        }));
      case "/jwks":
        return Response.json({ keys: [{ ...jwk, kid, alg: "ES256", use: "sig" }] });
      case "/userinfo":
        return Response.json(script.userInfo);
      case "/token": {
        const now = Math.floor(Date.now() / 1000);
        const claims = without({
          iss: issuer,
          aud: CLIENT,
          sub: "ada",
          name: "Ada",
          email: "ada@example.org",
          groups: ["ops"],
          iat: now,
          exp: now + 300,
          nonce,
          ...script.claims,
        });
        const header = without({ alg: "ES256", kid, ...script.header });
        const good = await new SignJWT(claims)
          .setProtectedHeader(header as { alg: string }) // what is left out on purpose is the point
          .sign(script.wrongKey ? other.privateKey : pair.privateKey);
        return Response.json({
          access_token: "their-access-token",
          token_type: "Bearer",
          expires_in: 300,
          id_token: script.idToken?.(good) ?? good,
        });
      }
      default:
        return new Response("nothing here", { status: 404 });
    }
  }

  return {
    issuer,
    get script() {
      return script;
    },
    asked,
    forms,
    async turnOver() {
      pair = await generateKeyPair("ES256", { extractable: true });
    },
    reset() {
      script = fresh();
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function without(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined));
}
