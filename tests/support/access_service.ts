/** A service for tests about access: with a clock that they can move, and a socket that echoes. */
import type { Access } from "../../auth/access.ts";
import type { Clock } from "../../auth/clock.ts";
import type { Passwords } from "../../auth/people/password.ts";
import type { IdentityProviderSettings, RoleRule } from "../../core/sign_in.ts";
import type { Device } from "../../auth/sessions/session.ts";
import { CATALOGUE } from "./catalogue.ts";
import { PLUGINS } from "../../plugins/plugins.ts";
import type { Store } from "../../core/store.ts";
import { type Router, router, socketRoute } from "../../http/declare/router.ts";
import { openSocket } from "../../http/socket/socket.ts";
import { dropStores } from "./chosen_store.ts";
import { type Answer, startService } from "./service.ts";
import * as z from "../../core/schema.ts";

export class MovableClock implements Clock {
  #offset = 0;
  now = () => Date.now() + this.#offset;
  monotonic = () => performance.now() + this.#offset;
  move(ms: number): void {
    this.#offset += ms;
  }
}

/** The device that signs in by default. */
export const PROGRAM: Device = { binding: null, name: null };

export interface AccessServiceOptions {
  readonly clock?: MovableClock;
  /** A data folder that another service uses too: two replicas over one store. */
  readonly folder?: string;
  readonly roles?: readonly RoleRule[];
  readonly identityProvider?: IdentityProviderSettings;
  /** Instead of cheap ones. */
  readonly passwords?: Passwords;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
}

export interface AccessService extends AsyncDisposable {
  readonly url: string;
  readonly origin: string;
  /** Its data folder. */
  readonly folder: string;
  readonly access: Access;
  readonly store: Store;
  /** Of all replicas. */
  readonly stores: readonly Store[];
  readonly accesses: readonly Access[];
  readonly clock: MovableClock;
  /** Everything that was logged, line by line. */
  readonly logged: readonly string[];
  /** The lines about failures that are defects of berth. */
  readonly bugs: readonly string[];
  call(target: string, options?: CallOptions): Promise<Answer>;
  /** As of `TestService`. */
  settled(): Promise<void>;
  acquainted(): Promise<void>;
  /** Makes the first admin, and says their key. */
  setUp(): Promise<string>;
}

/** A socket that echoes, so that admission has something to admit to. */
const echo = socketRoute({
  path: "/echo",
  summary: "Sends back what it gets",
  permission: "containers:exec",
  subject: "everything",
  query: z.object({ word: z.string().optional() }),
});

function echoes(): Router {
  return router().socket(echo, (call) =>
    openSocket(call.request, async (socket) => {
      for await (const message of socket) socket.send(message);
    }, { revoked: call.revoked, stopping: call.stopping }));
}

export async function startAccess(options: AccessServiceOptions = {}): Promise<AccessService> {
  const { clock = new MovableClock(), roles = [], identityProvider = null } = options;
  const folder = options.folder ?? await Deno.makeTempDir({ prefix: "berth-access-" });
  const remove = async () => {
    if (options.folder !== undefined) return;
    await dropStores(folder);
    await Deno.remove(folder, { recursive: true });
  };
  const service = await startService({
    install: PLUGINS,
    plugins: [],
    mount: () => [echoes()],
    setup: false,
    data: folder,
    logLevel: "debug",
    clock,
    roles,
    identityProvider,
    ...(options.passwords === undefined ? {} : { passwords: options.passwords }),
  }).catch(async (thrown) => {
    await remove();
    throw thrown;
  });
  const { access, store } = service.berth;
  async function call(target: string, { body, token, headers = {} }: CallOptions = {}): Promise<Answer> {
    const caller = token === undefined || token === null ? service.anonymous() : service.as(token);
    const answer = await caller.call(target, body, { headers });
    return answer.text === "" ? { ...answer, body: null } : answer;
  }
  return {
    url: service.url,
    origin: service.url,
    folder,
    access,
    store,
    stores: service.replicas.map(({ store }) => store),
    accesses: service.replicas.map(({ access }) => access),
    clock,
    get logged() {
      return service.logged();
    },
    get bugs() {
      return service.bugs();
    },
    call,
    settled: () => service.settled(),
    acquainted: () => service.acquainted(),
    async setUp() {
      const made = await call("POST /api/settings/setup", {
        body: { token: access.setupToken, name: "first" },
      });
      return made.body.key;
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await remove();
    },
  };
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
  if (made.status !== 201) throw new Error(`no key: ${made.status} ${made.text}`);
  return made.body;
}

export const ALL_PERMISSIONS = CATALOGUE.names;
