/**
 * Signs a person in from the command line, with nothing but fetch: asks berth how, lets the browser do the rest, and
 * prints an access token. See docs/access.md.
 *
 *     deno run --allow-net docs/examples/sign_in.ts http://127.0.0.1:8700
 */

const berth = Deno.args[0] ?? "http://127.0.0.1:8700";

const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));
const base64url = (bytes: Uint8Array) => bytes.toBase64({ alphabet: "base64url", omitPadding: true });

// 1. How to sign in, and where the provider may send the answer. A loopback address may have any port.
const { provider } = await (await fetch(`${berth}/api/auth/status`)).json();
if (provider === null) throw new Error("berth has no identity provider, or cannot ask it right now");
const redirect = new URL(provider.redirectUri);

// 2. A listener for the answer, and what proves that the answer is to our question.
const [state, nonce, codeVerifier] = [random(), random(), random()];
const answer = Promise.withResolvers<URL>();
const listener = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
  const url = new URL(request.url);
  if (url.pathname !== redirect.pathname) return new Response("Not here", { status: 404 });
  answer.resolve(url);
  return new Response("Signed in. You can close this page.");
});
redirect.port = String(listener.addr.port);
const redirectUri = redirect.href;

// 3. The link for the browser.
const challenge = new Uint8Array(
  await crypto.subtle.digest("SHA-256", new TextEncoder().encode(codeVerifier)),
);
const link = new URL(provider.authorizationEndpoint);
for (
  const [name, value] of Object.entries({
    response_type: "code",
    client_id: provider.clientId,
    redirect_uri: redirectUri,
    scope: provider.scopes.join(" "),
    state,
    nonce,
    code_challenge: base64url(challenge),
    code_challenge_method: provider.pkce,
  })
) link.searchParams.set(name, value);
console.log(`Open this in your browser:\n\n  ${link}\n`);

// 4. The answer, if it is to our question, in exchange for tokens.
const { searchParams } = await answer.promise;
await listener.shutdown();
if (searchParams.get("state") !== state) throw new Error("That was the answer to another sign-in");
const code = searchParams.get("code");
if (code === null) throw new Error(`The provider refused: ${searchParams.get("error")}`);
const response = await fetch(`${berth}/api/auth/idp`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ code, codeVerifier, redirectUri, nonce, iss: searchParams.get("iss") ?? undefined }),
});
const tokens = await response.json();
if (!response.ok) throw new Error(tokens.title);
console.log(`You are ${tokens.principal.name}, ${tokens.principal.role}. For five minutes:\n`);
console.log(`  Authorization: Bearer ${tokens.accessToken}`);
