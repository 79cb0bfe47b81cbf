/** The routes about access, on a real listener over a real store, with a clock that tests can move. */
import { type Access, openAccess } from "../auth/access.ts";
import type { Clock } from "../auth/clock.ts";
import type { IdentityProviderSettings } from "../auth/identity_provider.ts";
import type { RoleRule } from "../auth/roles.ts";
import { PERMISSIONS } from "../core/access.ts";
import type { Log } from "../core/log.ts";
import type { Store } from "../core/store.ts";
import { Responder } from "../http/responder.ts";
import { createAuditor } from "../http/auditor.ts";
import { createGuard } from "../http/guard.ts";
import { type Router, router, socketRoute } from "../http/router.ts";
import { openSocket } from "../http/socket.ts";
import { audit } from "../routes/audit.ts";
import { createApp } from "../routes/app.ts";
import { auth } from "../routes/auth.ts";
import { settings } from "../routes/settings.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import { z } from "zod";

export class MovableClock implements Clock {
  #offset = 0;
  now = () => Date.now() + this.#offset;
  monotonic = () => performance.now() + this.#offset;
  move(ms: number): void {
    this.#offset += ms;
  }
}

export interface AccessServiceOptions {
  readonly clock?: MovableClock;
  /** A folder that another service uses too: two replicas over one store. */
  readonly folder?: string;
  readonly roles?: readonly RoleRule[];
  readonly identityProvider?: IdentityProviderSettings;
}

export interface Answer {
  readonly status: number;
  // deno-lint-ignore no-explicit-any -- what a test reads from an answer is what it is about to check
  readonly body: any;
  readonly headers: Headers;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
}

export interface AccessService extends AsyncDisposable {
  readonly url: string;
  readonly origin: string;
  readonly folder: string;
  readonly access: Access;
  readonly store: Store;
  readonly clock: MovableClock;
  /** Everything that was logged, as text. */
  readonly logged: string[];
  call(target: string, options?: CallOptions): Promise<Answer>;
  /** Makes the first admin, and says their key. */
  setUp(): Promise<string>;
}

/** A socket that echoes, so that admission has something to admit to. */
const echo = socketRoute({
  path: "/echo",
  summary: "Sends back what it gets",
  permission: "containers:exec",
  query: z.object({ word: z.string().optional() }),
});

function echoes(): Router {
  return router().socket(echo, (call) =>
    openSocket(call.request, async (socket) => {
      for await (const message of socket) socket.send(message);
    }, { revoked: call.revoked, stopping: call.stopping }));
}

export async function startAccess(options: AccessServiceOptions = {}): Promise<AccessService> {
  const { clock = new MovableClock() } = options;
  const folder = options.folder ?? await Deno.makeTempDir({ prefix: "berth-access-" });
  const logged: string[] = [];
  const log = recordingLog(logged);
  const store = await openSqliteStore(`${folder}/berth.db`);
  const { roles = [], identityProvider = null } = options;
  let access: Access;
  try {
    access = await openAccess({ store, log, dataFolder: folder, clock, config: { roles, identityProvider } });
  } catch (thrown) {
    await store[Symbol.asyncDispose]();
    throw thrown;
  }
  const origins = new Set<string>();
  const hosts = new Set<string>();
  const stopping = new AbortController();
  const app = createApp({
    routers: [
      auth({ access, origins }),
      settings({ access }),
      audit({ access, store: store.audit }),
      echoes(),
    ],
    version: "0.0.0",
    guard: createGuard({ credentials: access.credentials, origins }),
    auditor: createAuditor({ audit: access.audit, clock }),
    responder: new Responder({ tls: false }),
    onBug: (error) => logged.push(`BUG ${error instanceof Error ? error.stack : String(error)}`),
    onAccess: (line) => logged.push(JSON.stringify(line)),
    hosts,
    stopping: stopping.signal,
  });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, app);
  const host = `127.0.0.1:${server.addr.port}`;
  hosts.add(host);
  origins.add(`http://${host}`);
  const url = `http://${host}`;

  async function call(target: string, { body, token, headers = {} }: CallOptions = {}): Promise<Answer> {
    const [method = "GET", path = "/"] = target.split(" ");
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined || token === null ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text === "" ? null : JSON.parse(text),
      headers: response.headers,
    };
  }

  return {
    url,
    origin: url,
    folder,
    access,
    store,
    clock,
    logged,
    call,
    async setUp() {
      const made = await call("POST /api/settings/setup", {
        body: { token: access.setupToken, name: "first" },
      });
      return made.body.key;
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await server.shutdown();
      await access[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      if (options.folder === undefined) await Deno.remove(folder, { recursive: true });
    },
  };
}

function recordingLog(lines: string[]): Log {
  const at = (level: string) => (message: string, fields?: unknown) => {
    lines.push(`${level} ${message} ${Deno.inspect(fields)}`);
  };
  const log: Log = {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    access: (entry) => lines.push(JSON.stringify(entry)),
    with: () => log,
  };
  return log;
}

/** A key with exactly one permission, or a role; made by `admin`. */
export async function makeKey(
  berth: AccessService,
  admin: string,
  what: Record<string, unknown>,
): Promise<{ id: string; key: string }> {
  const made = await berth.call("POST /api/settings/api-keys", {
    token: admin,
    body: { name: "made", ...what },
  });
  if (made.status !== 201) throw new Error(`no key: ${JSON.stringify(made.body)}`);
  return made.body;
}

export const ALL_PERMISSIONS = PERMISSIONS;
