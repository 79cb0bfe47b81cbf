/** A whole berth for one test: a real listener on a free port, a real store and log in a folder of its own. */
import type { Clock } from "../../auth/clock.ts";
import type { IdentityProvider } from "../../auth/provider/identity_provider.ts";
import { Passwords } from "../../auth/people/password.ts";
import type { Config } from "../../config/config.ts";
import { answeredHeaders } from "../../http/declare/answered_headers.ts";
import { refusalsOf } from "../../http/declare/refusals.ts";
import { type Entry, nameOf, type Router } from "../../http/declare/router.ts";
import type { ApplyTimes } from "../../projects/apply/applies_options.ts";
import type { AutomaticTimes } from "../../projects/updates/automatic.ts";
import type { AllTimes } from "../../app/watch.ts";
import type { Plugin } from "../../plugins/plugin.ts";
import { type AppParts, type Berth, startBerth, type StartOptions } from "../../app/start.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { bounded } from "./bounded.ts";
import { startCaddy } from "./caddy.ts";
import { AS_REPLICAS, dropStores, storeSettings, tellReplicas } from "./chosen_store.ts";
import { COMPOSE } from "./compose_version.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free_port.ts";
import { tellsPlans } from "./watched_makes.ts";

/** Any setting, and the parts that a test brings itself. */
export interface ServiceOptions extends Partial<Config> {
  /** Engines of the container runtime; none unless given. */
  readonly engines?: readonly unknown[];
  /** Instead of berth's own plugins. */
  readonly install?: readonly Plugin[];
  /** Further routes, over the same parts. */
  readonly mount?: (parts: AppParts) => readonly Router[];
  readonly clock?: Clock;
  readonly applyTimes?: ApplyTimes;
  readonly watchTimes?: AllTimes;
  readonly updateTimes?: AutomaticTimes;
  /**
   * About what each replica has for itself, as lists and tags: Caddy keeps the caller at one of them, as it is shipped.
   * Otherwise it sends every request to the other one than the last.
   */
  readonly keepsCaller?: boolean;
  readonly provider?: IdentityProvider;
  /** Instead of cheap ones. */
  readonly passwords?: Passwords;
  /** False leaves the service without its first admin. */
  readonly setup?: boolean;
  /** A folder that outlives the service, to start another one on it. */
  readonly folder?: string;
  /** The admin's key of an earlier start on the same folder. */
  readonly admin?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // deno-lint-ignore no-explicit-any -- a test reads what it expects and fails where it is absent
  readonly body: any;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Somebody who calls: with one credential, or with none. */
export class TestCaller {
  constructor(
    readonly url: string,
    readonly credential: string | null,
    /** Waits after a change, before its answer counts. */
    private readonly afterChange: () => Promise<void> = () => Promise.resolve(),
  ) {}

  /** `call("POST /api/workspaces", { path })`; the answer's body is parsed where it is JSON. */
  async call(route: string, body?: unknown, options: CallOptions = {}): Promise<Answer> {
    const response = await this.fetch(route, body, options);
    const text = await response.text();
    if (!/^(?:GET|HEAD) /.test(route)) await this.afterChange();
    const isJson = /[/+]json\b/.test(response.headers.get("content-type") ?? "");
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== "" ? JSON.parse(text) : text,
    };
  }

  /** The response itself, for streams; its body is the caller's to read or cancel. */
  async fetch(route: string, body?: unknown, options: CallOptions = {}): Promise<Response> {
    const space = route.indexOf(" ");
    const headers = new Headers(options.headers);
    if (this.credential !== null && !headers.has("authorization")) {
      headers.set("authorization", `Bearer ${this.credential}`);
    }
    if (body !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
    return await fetch(`${this.url}${route.slice(space + 1)}`, {
      method: route.slice(0, space),
      headers,
      redirect: "manual",
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
  }
}

export class TestService extends TestCaller implements AsyncDisposable {
  constructor(
    readonly berth: Berth,
    /** The admin's key, or null when there is none yet. */
    readonly admin: string | null,
    /** Holds `data` and the allowed root `workspaces`. */
    readonly folder: string,
    readonly keepsFolder: boolean,
    readonly second: SecondReplica | null,
    /** Refusals and headers that the API document does not tell of, or wrongly. */
    private readonly untold: ReadonlySet<string>,
  ) {
    super(berth.url, admin, () => this.#heard());
    this.#plans = tellsPlans(berth);
  }

  readonly #plans: Disposable;

  /** The service, or both of it. */
  get replicas(): readonly Berth[] {
    return this.second === null ? [this.berth] : [this.berth, this.second.berth];
  }

  /**
   * Waits until the late writes of a replica are in the store: refusals, outcomes, last uses. One that is alone shows
   * them at once, so nothing is waited for.
   */
  async settled(): Promise<void> {
    if (this.second === null) return;
    await Promise.all(this.replicas.flatMap(({ access }) => [access.audit.flush(), access.keys.flush()]));
  }

  /**
   * Both replicas have heard what was told before, as that somebody was revoked: within moments, but tests ask at once.
   * How soon it is, replicas_test.ts says.
   */
  async #heard(): Promise<void> {
    if (this.second === null) return;
    const word = crypto.randomUUID();
    const tell = () => tellReplicas(this.berth.config.database!.name, word);
    const heard = this.replicas.map(async ({ store }) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      using _listening = store.replicas!.listen((hint) => {
        if (hint === word) resolve();
        if (hint === null) tell().catch(reject); // it listens only from now on
      });
      await promise;
    });
    await tell();
    await Promise.all(heard);
  }

  /** Each replica knows how many there are, which divides the limits. */
  async acquainted(): Promise<void> {
    const all = this.replicas;
    await eventually(
      "they know of each other",
      () => all.every(({ replicas }) => replicas.count === all.length),
    );
  }

  /** Stops it, as a supervisor does; its folder stays until it is disposed of. */
  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((berth) => berth.stop()));
  }

  /** The port at which it is reached. */
  get port(): number {
    return this.second?.frontPort ?? this.berth.port;
  }

  anonymous(): TestCaller {
    return new TestCaller(this.url, null, () => this.#heard());
  }

  as(credential: string): TestCaller {
    return new TestCaller(this.url, credential, () => this.#heard());
  }

  /** A key with this role, or with exactly these permissions. */
  async key(rights: string | readonly string[]): Promise<TestCaller> {
    const made = await this.call("POST /api/settings/api-keys", {
      name: "test",
      ...(typeof rights === "string" ? { role: rights } : { permissions: rights }),
    });
    if (made.status !== 201) throw new Error(`No key was made: ${made.text}`);
    return this.as(made.body.key);
  }

  /** A WebSocket address of this service. */
  socketUrl(path: string): string {
    return `${this.url.replace(/^http/, "ws")}${path}`;
  }

  /** Every line that was logged. */
  logged(): string[] {
    return this.replicas.flatMap(({ log }) => {
      log.flush();
      return Deno.readTextFileSync(log.path!).split("\n").filter((line) => line !== "");
    });
  }

  /** The lines about requests that failed by a defect of berth. */
  bugs(): string[] {
    return this.logged().filter((line) => JSON.parse(line).message === "A request failed");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.second?.[Symbol.asyncDispose]();
    await bounded("the stop of berth", this.berth.stop());
    this.#plans[Symbol.dispose]();
    if (this.keepsFolder) return;
    await dropStores(this.folder);
    await Deno.remove(this.folder, { recursive: true });
    if (this.untold.size > 0) {
      throw new Error(`The API document does not tell of ${[...this.untold].join(", ")}`);
    }
  }
}

/** Another berth on the same store, with a data folder of its own, and Caddy, which asks both in turn. */
interface SecondReplica extends AsyncDisposable {
  readonly berth: Berth;
  readonly frontPort: number;
}

/** Both are in this process, because tests move their clock and reach into them. */
async function startSecond(
  options: StartOptions,
  first: Berth,
  { frontPort, keepsCaller }: { readonly frontPort: number; readonly keepsCaller: boolean },
): Promise<SecondReplica> {
  await using stack = new AsyncDisposableStack();
  const data = await Deno.makeTempDir({ prefix: "berth-second-" });
  stack.defer(() => Deno.remove(data, { recursive: true }));
  const replica = `${options.config.replica}-second`;
  const berth = stack.use(await startBerth({ ...options, config: { ...options.config, data, replica } }));
  stack.use(await startCaddy(frontPort, [first.port, berth.port], keepsCaller));
  const all = stack.move();
  return { berth, frontPort, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Returns the settings of a replica behind Caddy at this port. */
function behind(frontPort: number): Pick<Config, "baseUrl" | "trustedProxies"> {
  return { baseUrl: `http://127.0.0.1:${frontPort}`, trustedProxies: ["127.0.0.1"] };
}

/** Returns true if the test itself says nothing about how the service is reached. */
function isPlain({ baseUrl, trustedProxies, tls, host, metricsPort, database }: Partial<Config>): boolean {
  return [baseUrl, trustedProxies, tls, host, metricsPort, database].every((one) => one === undefined);
}

/** Tests sign in often, and what a check costs is not what they are about. */
const CHEAP = new Passwords({ cost: { N: 2 ** 10, r: 8, p: 1 } });

/** Codes that each path answers before its route is asked. */
const ANYWHERE: ReadonlySet<string> = new Set(["too_many_requests", "method_not_allowed"]);

/** Most tests of applies are not about the time that a started container is watched; tests/apply/apply_judged_test.ts is. */
const JUDGED_MS = 100;

/** Most tests are not about incidents, and would find them in lists; those in tests/watch/ begin at once. */
const NEVER_MS = 86_400_000;

function untoldCode(entry: Entry, status: number, code: string): string | null {
  const isTold = refusalsOf(entry).get(status)?.includes(code) ?? false;
  return isTold || status >= 500 || ANYWHERE.has(code) ? null : code;
}

/** Returns a header of an answer that is not told, and a `Location` that is told and not there. */
function wrongHeader(entry: Entry, { status, headers }: Response): string | null {
  if (status === 308) return null; // of the page with the documentation
  const told = answeredHeaders(entry, status);
  if (headers.has("etag") && !told.includes("ETag")) return "ETag";
  return headers.has("location") === told.includes("Location") ? null : "Location";
}

/** Starts on a free port of loopback; no engine is looked for unless `engines` says so. */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const {
    engines = [],
    install,
    mount,
    clock,
    applyTimes,
    watchTimes,
    updateTimes,
    keepsCaller = false,
    provider,
    passwords = CHEAP,
    setup = true,
    folder: given,
    admin: known,
    ...settings
  } = options;
  // The real path, as berth itself shows it: on some systems the temporary folder is behind a link.
  const folder = given ?? await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-test-" }));
  await Deno.mkdir(`${folder}/workspaces`, { recursive: true });
  try {
    const config = {
      ...defaults(folder),
      ...await storeSettings(settings.data ?? `${folder}/data`),
      ...(install === undefined || engines.length > 0 ? { unclaimed: { engines } } : {}),
      ...settings,
    };
    const frontPort = AS_REPLICAS && isPlain(settings) ? freePort() : null;
    const untold = new Set<string>();
    const start = {
      config: frontPort === null ? config : { ...config, ...behind(frontPort) },
      plugins: async () => install ?? (await import("../../plugins/plugins.ts")).PLUGINS,
      console: null,
      ...(mount === undefined ? {} : { mount }),
      ...(clock === undefined ? {} : { clock }),
      applyTimes: { judgedMs: JUDGED_MS, ...applyTimes },
      watchTimes: { beginMs: NEVER_MS, ...watchTimes },
      ...(updateTimes === undefined ? {} : { updateTimes }),
      ...(provider === undefined ? {} : { provider }),
      passwords,
      onAnswer(entry, response, code) {
        const what = code === null ? wrongHeader(entry, response) : untoldCode(entry, response.status, code);
        if (what !== null) untold.add(`${nameOf(entry.route)}: ${response.status} ${what}`);
      },
    } satisfies StartOptions;
    const berth = await startBerth(start);
    const second = frontPort === null ? null : await startSecond(start, berth, { frontPort, keepsCaller });
    const token = berth.access.setupToken;
    const made = setup && token !== null
      ? (await berth.access.setup.complete(token, "test admin", ENTRY)).key
      : null;
    return new TestService(berth, made ?? known ?? null, folder, given !== undefined, second, untold);
  } catch (error) {
    if (given === undefined) await Deno.remove(folder, { recursive: true });
    throw error;
  }
}

/** A service over these engines, by name; it has read each of them, or knows that it is away. */
export async function serveEngines(
  engines: Readonly<Record<string, { readonly socket: string }>>,
  options: ServiceOptions = {},
): Promise<TestService> {
  const named = Object.entries(engines).map(([name, { socket }]) => ({ name, url: `unix://${socket}` }));
  const service = await startService({ ...options, engines: named });
  await eventually("each engine was tried", async () => {
    const { body } = await service.call("GET /api/system/backends");
    return body.items.every((one: { reason?: string }) => one.reason !== "it has not answered yet");
  });
  await service.call("GET /api/containers"); // answered when those that are up were read
  return service;
}

function defaults(folder: string): Config {
  return {
    host: "127.0.0.1",
    published: null,
    port: 0,
    data: `${folder}/data`,
    roots: [`${folder}/workspaces`],
    baseUrl: null,
    trustedProxies: [],
    tls: null,
    database: null,
    sealingKeyFile: null,
    replica: null,
    identityProvider: null,
    roles: [],
    freshSignIn: 15,
    keyMaxDays: null,
    composeVersion: COMPOSE,
    // Tests ask more often than any stranger may.
    strangersPerSecond: 0,
    plugins: null,
    pluginSettings: {},
    logLevel: "info",
    logFile: null,
    metricsPort: null,
    metricsHost: "127.0.0.1",
    minDescriptors: 0,
    unclaimed: {},
    variable: () => undefined,
    strays: [],
    former: [],
    auditSyslog: null,
    file: null,
  };
}
