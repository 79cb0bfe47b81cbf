/** A real image registry that berth and a test's engine both reach, under one name, behind a front that a test scripts. */
import { serveForwarded } from "./forward.ts";
import type { TestEngine } from "./engine.ts";
import { eventually } from "./eventually.ts";
import { onPath } from "./on_path.ts";
import { ACCOUNT, HTPASSWD } from "./registry.ts";
import { selfSigned, signToken } from "./self_signed.ts";

export interface RegistryOptions {
  /** The way to sign in: with the one account at the registry itself, or at a token service on another port. */
  readonly account?: "password" | "tokens";
  /** With a certificate of its own authority, in PEM. */
  readonly tls?: boolean;
  /** Answers in place of the registry, or changes its answer. */
  readonly script?: (request: Request, ask: () => Promise<Response>) => Response | Promise<Response>;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  /** True if it came from the engine. */
  readonly isSigned: boolean;
}

export interface ReachableRegistry extends AsyncDisposable {
  /** Host and port, the same for berth and for the engine. */
  readonly host: string;
  readonly ca: string;
  /** The host and port of the token service. */
  readonly tokenService: string;
  /** The requests for manifests, and for anything else below a repository, so far. */
  readonly asked: readonly Asked[];
  /** The requests that the token service got. */
  readonly tokensAsked: readonly string[];
  /** Sends a request to the registry itself, past the front and every account. */
  direct(path: string, init?: RequestInit): Promise<Response>;
}

/** True where this machine has Debian's docker-registry. */
export const HAS_REGISTRY = await onPath("docker-registry") && await onPath("openssl");

/** `engine` is one whose own network leads to it, too. */
export async function startReachableRegistry(
  { account, tls = false, script }: RegistryOptions = {},
  engine: TestEngine | null = null,
): Promise<ReachableRegistry> {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "rr" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const identity = await selfSigned(folder);
  const tokensAsked: string[] = [];
  const tokens = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    tokensAsked.push(`${request.method} ${new URL(request.url).search}`);
    return await tokenAnswer(request, identity.key, identity.cert);
  });
  stack.defer(() => tokens.shutdown());
  const tokenService = `127.0.0.1:${tokens.addr.port}`;
  const socket = `${folder}/registry`;
  await Deno.writeTextFile(`${folder}/htpasswd`, HTPASSWD);
  await Deno.writeTextFile(
    `${folder}/config.yml`,
    JSON.stringify({
      version: "0.1",
      log: { level: "error", accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: `${folder}/data` }, delete: { enabled: true } },
      http: { net: "unix", addr: socket, relativeurls: true },
      ...(account === "password"
        ? { auth: { htpasswd: { realm: "berth", path: `${folder}/htpasswd` } } }
        : account === "tokens"
        ? {
          auth: {
            token: {
              realm: `http://${tokenService}/token`,
              service: "berth",
              issuer: "berth",
              rootcertbundle: `${folder}/cert.pem`,
            },
          },
        }
        : {}),
    }),
  );
  const process = new Deno.Command("docker-registry", {
    args: ["serve", `${folder}/config.yml`],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  stack.defer(async () => {
    process.kill("SIGKILL");
    await process.status;
  });
  await eventually(
    "the registry listens",
    () =>
      Deno.connect({ transport: "unix", path: socket }).then((one) => {
        one.close();
        return true;
      }, () => false),
  );
  const client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
  stack.defer(() => client.close());
  const asked: Asked[] = [];
  const answer = async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    const isSigned = request.headers.has("authorization");
    if (pathname !== "/v2/") asked.push({ method: request.method, path: pathname + search, isSigned });
    const ask = async () => {
      const headers = new Headers(request.headers);
      headers.delete("host");
      const answered = await fetch(`http://registry${pathname}${search}`, {
        method: request.method,
        headers,
        body: request.body,
        redirect: "manual",
        client,
      });
      return new Response(answered.body, { status: answered.status, headers: answered.headers });
    };
    return script === undefined ? await ask() : await script(request, ask);
  };
  const listening = { port: 0, hostname: "127.0.0.1", onListen() {} };
  const front = Deno.serve(
    tls ? { ...listening, cert: identity.cert, key: identity.keyPem } : listening,
    answer,
  );
  stack.defer(() => front.shutdown());
  const { port } = front.addr;
  if (engine !== null) {
    for (const one of [port, ...(account === "tokens" ? [tokens.addr.port] : [])]) {
      stack.use(await serveForwarded(engine, one, folder));
    }
  }
  const owned = stack.move();
  return {
    host: tls ? `localhost:${port}` : `127.0.0.1:${port}`,
    ca: identity.cert,
    tokenService,
    asked,
    tokensAsked,
    direct: (path, init) => fetch(`http://registry${path}`, { ...init, client }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function tokenAnswer(request: Request, key: CryptoKey, cert: string): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const given = request.headers.get("authorization");
  const isRight = given === `Basic ${btoa(`${ACCOUNT.username}:${ACCOUNT.password}`)}`;
  const form = request.method === "POST" ? new URLSearchParams(await request.text()) : null;
  if (!isRight && form?.get("refresh_token") !== ACCOUNT.password) {
    return Response.json({ details: "incorrect username or password" }, { status: 401 });
  }
  const [type = "", name = "", actions = ""] = (form?.get("scope") ?? searchParams.get("scope") ?? "").split(
    ":",
  );
  const access = name === "" ? [] : [{ type, name, actions: actions.split(",") }];
  const token = await signToken(key, cert, { iss: "berth", sub: ACCOUNT.username, aud: "berth", access });
  return Response.json({ token, expires_in: 300 });
}
