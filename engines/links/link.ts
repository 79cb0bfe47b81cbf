/** The connection to one engine: reads its events, keeps its mirror up to date, and reconnects. */
import { ServiceError } from "../../core/error.ts";
import type { Log } from "../../core/log.ts";
import type { Backend, BackendState, HostFolder, HostSight } from "../../core/runtime.ts";
import { Engine } from "../calls/engine.ts";
import type { EngineKind, EngineVersion } from "../calls/greeting.ts";
import { addressText, type EngineAddress } from "../calls/address.ts";
import { reasonOf, unreadable } from "../calls/failure.ts";
import { Certificates } from "./certificates.ts";
import { HealthExecs } from "../mirror/health_execs.ts";
import { type Kind, Mirror } from "../mirror/mirror.ts";
import type { EventFeed } from "../mirror/event_feed.ts";
import { isProbe } from "../mirror/probe.ts";
import { HostSights } from "./host_sight.ts";
import { readEvents, ToldEvents } from "../mirror/events.ts";
import { pause } from "../../core/pause.ts";
import { EventCheck } from "../mirror/event_check.ts";
import { Tunnel } from "./tunnel.ts";
import { type Twin, TwinFailure, type Twins } from "./twins.ts";
import { type Way, WayFailure } from "./way.ts";
import { Watchdog } from "./watchdog.ts";

const SLOW_CLOCK_MS = 30_000;
/** Podman sends no events for networks, so its short list of them is polled. */
const PODMAN_NETWORKS_MS = 1_500;
/** Milliseconds until a failed list is asked for again. */
const AGAIN_MS = 1_000;
/** The longest wait between two attempts to reconnect. */
const LONGEST_WAIT_MS = 1_000;

/** The same for one that another link has already. */
const TWIN_WAIT_MS = 30_000;

/** Ends a connection to an engine that does not answer: what is known of it stays. */
const SILENT = Symbol("silent");
/** Milliseconds that a way has to say why the engine cannot be reached. */
const EXPLAIN_MS = 250;
const isAway = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.code === "runtime_unavailable";

interface LinkOptions {
  readonly name: string;
  readonly address: EngineAddress;
  /** The kind it probably is, until it says so itself. */
  readonly guess: EngineKind;
  readonly feed: EventFeed;
  readonly log: Log;
  /** The program that reaches other hosts. */
  readonly ssh: string;
  readonly twins: Twins;
}

export class Link implements AsyncDisposable {
  readonly engine: Engine;
  readonly mirror: Mirror;
  readonly #feed: EventFeed;
  readonly #log: Log;
  readonly #address: EngineAddress;
  readonly #twins: Twins;
  readonly #twin: Twin;
  /** The way to an engine on another host; null for one of this host. */
  readonly #way: Way | null;
  readonly #sights = new HostSights();
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #state: BackendState = "away";
  #reason = "it has not answered yet";
  #kind: EngineKind;
  #api: string | null = null;
  #version: EngineVersion | null = null;
  #attempt = new AbortController();
  /** Resolves when the mirror is complete; replaced whenever the connection is lost. */
  #ready = Promise.withResolvers<void>();
  #isReady = false;
  /** True once the mirror has held everything that the engine had. */
  #isKnown = false;
  #greeted = false;
  #isSilent = false;
  /** When it last answered before it fell silent. */
  #since = "";
  /** When it was lost; null while it is up, and before it was. */
  #lostAt: string | null = null;
  /** Resolved unless the engine is silent. */
  #heard = Promise.withResolvers<void>();
  #events: EventCheck | null = null;
  #told = new ToldEvents();
  readonly #watchdog: Watchdog;
  /** The number of events that the engine sent. */
  events = 0;
  readonly #healthExecs = new HealthExecs();
  #firstTry = Promise.withResolvers<void>();

  constructor({ name, address, guess, feed, log, ssh, twins }: LinkOptions) {
    this.#address = address;
    this.#twins = twins;
    this.#twin = twins.join(name);
    this.#log = log.with({ backend: name });
    const nameOf = (id: string) => this.mirror.containers.nameOf(id);
    if (address.kind === "ssh") {
      const tunnel = new Tunnel(address, ssh);
      this.#way = tunnel;
      this.engine = new Engine(name, tunnel.local, nameOf);
    } else {
      this.#way = address.kind === "tls" ? new Certificates(address.files, this.#log) : null;
      this.engine = new Engine(name, address, nameOf);
    }
    this.mirror = new Mirror(this.engine, (error) => this.#fail(error), (error) => this.#unlisted(error));
    this.#kind = guess;
    this.#feed = feed;
    this.#heard.resolve();
    this.#running = this.#run();
    this.#watchdog = new Watchdog(this.engine, {
      silent: (since) => this.#silent(since),
      heard: (time) => this.#answered(time),
      halfOpen: () => this.#reopen("Connections to the engine are half open; they are opened again"),
    });
  }

  /** Asks the engine whether it sees a folder of this machine. */
  async sightOf(folder: HostFolder): Promise<HostSight> {
    if (this.#state !== "up") return "unknown";
    const image = this.mirror.images.rows.values().next().value?.id ?? null;
    // Podman is asked with an image; after a restart none is listed yet, and that is not remembered.
    if (this.#kind === "podman" && image === null) return "unknown";
    return await this.#sights.of({ engine: this.engine, kind: this.#kind, image }, folder);
  }

  get name(): string {
    return this.engine.name;
  }

  get state(): BackendState {
    return this.#state;
  }

  /** The reason that it is not up; empty while it is. */
  get reason(): string {
    return this.#reason;
  }

  /** Since when it does not answer; null while it does. */
  get since(): string | null {
    return this.#state === "unresponsive" ? this.#since : null;
  }

  get kind(): EngineKind {
    return this.#kind;
  }

  get apiVersion(): string | null {
    return this.#api;
  }

  /** True if its mirror is complete. */
  get ready(): boolean {
    return this.#isReady;
  }

  /** True if its mirror has rows to show, though they may be old. */
  get known(): boolean {
    return this.#isKnown;
  }

  /** Resolves when the mirror is complete, or the engine is known to be away. */
  async settle(): Promise<void> {
    await Promise.race([this.#firstTry.promise, this.#ready.promise]);
    if (this.#state === "up") await this.#ready.promise;
  }

  report(isDefault: boolean): Backend {
    return {
      name: this.name,
      kind: this.#kind,
      address: addressText(this.#address),
      state: this.#state,
      version: this.#version?.version ?? null,
      apiVersion: this.#api,
      os: this.#version?.os ?? null,
      arch: this.#version?.arch ?? null,
      default: isDefault,
      ...(this.#state === "up" ? this.#behind() : { reason: this.#reason }),
      ...lastHeard(this.since ?? this.#lostAt),
    };
  }

  /** Returns true if its rows of that kind are the last known ones. */
  isBehind(kind: Kind): boolean {
    return this.since !== null || this.mirror[kind].problem !== null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    this.#attempt.abort();
    this.#heard.resolve();
    this.engine[Symbol.dispose]();
    await Promise.all([this.#running, this.#watchdog[Symbol.asyncDispose]()]);
    await this.#way?.[Symbol.asyncDispose]();
    this.mirror[Symbol.dispose]();
    this.#tried();
    this.#ready.resolve();
    await Promise.all([
      this.mirror.containers.idle(),
      this.mirror.images.idle(),
      this.mirror.volumes.idle(),
      this.mirror.networks.idle(),
    ]);
    this.mirror[Symbol.dispose]();
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      await this.#heard.promise;
      this.#attempt = new AbortController();
      this.#greeted = false;
      let isTwin = false;
      try {
        if (await this.#watch()) failures = 0;
      } catch (error) {
        const failure = await this.#whyNot(error);
        isTwin = failure instanceof TwinFailure;
        if (this.#attempt.signal.reason !== SILENT) this.#down(error, failure);
      }
      if (this.#stopping.signal.aborted) return;
      const wait = isTwin
        ? TWIN_WAIT_MS
        : Math.min(LONGEST_WAIT_MS, 50 * 2 ** failures) * (0.5 + Math.random() / 2);
      failures = Math.min(failures + 1, 8);
      await pause(wait, this.#stopping.signal);
    }
  }

  /** One connection, from `/_ping` to its end. Answers whether it was ever open. */
  async #watch(): Promise<boolean> {
    await this.#way?.open(this.engine, this.#attempt.signal);
    this.engine.forget();
    const greeting = await this.engine.greet();
    const { kind, api } = greeting;
    this.#greeted = true;
    this.#kind = kind;
    this.#api = api;
    await this.#twins.claim(this.#twin, this.engine, kind, this.#address);
    this.#twin.introduced.resolve();
    const attempt = this.#attempt;
    let check: EventCheck | null = null;
    let syncing: Promise<void> = Promise.resolve();
    const clocks: ReturnType<typeof setInterval>[] = [];
    const told = this.#told;
    try {
      await readEvents(this.engine, attempt.signal, told, {
        opened: () => {
          if (greeting.time !== null) told.hear(greeting.time);
          this.#events = check = new EventCheck(this.engine, greeting);
          syncing = this.#sync(attempt);
          clocks.push(setInterval(() => this.mirror.compare(), SLOW_CLOCK_MS));
          clocks.push(setInterval(() => this.mirror.again(), AGAIN_MS));
          if (kind === "podman") {
            clocks.push(setInterval(() => this.mirror.networks.compare(), PODMAN_NETWORKS_MS));
          }
        },
        event: (event) => {
          this.events += 1;
          check?.told(event);
          if (isProbe(event.attributes.name ?? "")) return;
          this.mirror.handle(event);
          const command = this.mirror.containers.rows.get(event.id)?.healthCommand ?? null;
          const isCheck = this.#healthExecs.includes(event, command);
          this.#feed.publish(this.name, event, isCheck, this.mirror.about(event));
        },
      });
    } finally {
      for (const clock of clocks) clearInterval(clock);
      if (this.#events !== null) told.cut();
      this.#events = null;
      attempt.abort();
      await syncing;
    }
    this.#unready();
    if (attempt.signal.reason instanceof ServiceError) throw attempt.signal.reason;
    return true;
  }

  /** Called once events are read, so that no change falls between the list and the events. */
  async #sync(attempt: AbortController): Promise<void> {
    this.#sights.clear();
    this.#setState("up", "");
    this.#askVersion();
    try {
      await this.mirror.resync();
    } catch (error) {
      attempt.abort(error instanceof ServiceError ? error : undefined);
      return;
    }
    if (attempt.signal.aborted) return;
    this.#isReady = true;
    this.#isKnown = true;
    this.#ready.resolve();
    this.#feed.resync(this.name);
  }

  get #isOver(): boolean {
    return this.#stopping.signal.aborted || this.#attempt.signal.aborted;
  }

  /** The engine goes on, and the kind is shown as it was last known. */
  #unlisted(error: unknown): void {
    if (!this.#isOver) this.#log.warn("A list of the engine could not be read", { error });
  }

  /** Called when containers cannot be read: the mirror can no longer be trusted, so the connection is closed. */
  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#log.warn("A refresh of the mirror failed", { error });
    this.#attempt.abort(
      error instanceof ServiceError ? error : unreadable(this.name, `read engine "${this.name}"`),
    );
  }

  #silent(since: Date): void {
    this.#heard = Promise.withResolvers<void>();
    this.#isSilent = true;
    this.#since = secondOf(since);
    this.#attempt.abort(SILENT);
    this.engine.silent(this.#since);
    this.#release();
    this.#setState("unresponsive", `it has not answered since ${this.#since}`);
    this.#tried();
  }

  async #answered(time: number | null): Promise<void> {
    if (time !== null) this.engine.prepare();
    if (this.#isSilent) {
      this.#isSilent = false;
      this.engine.heard();
      this.#heard.resolve();
    } else if (time !== null && await this.#events?.missed(time, this.#attempt.signal)) {
      this.#reopen("The events of the engine did not come; its streams are opened again");
    }
  }

  /** Cuts all that is open: events, logs and measurements resume over new connections. */
  #reopen(why: string): void {
    this.#log.warn(why);
    this.#attempt.abort();
    this.engine.drop();
  }

  #behind(): Pick<Backend, "stale" | "reason"> {
    const { behind } = this.mirror;
    if (!this.#isReady || behind.size === 0) return {};
    return { stale: [...behind.keys()], reason: [...new Set(behind.values())].join("; ") };
  }

  #askVersion(): void {
    this.engine.version().then((version) => this.#version = version, () => {
      // Nothing depends on it, and the next connection asks again.
    });
  }

  async #whyNot(error: unknown): Promise<WayFailure | null> {
    if (error instanceof WayFailure) return error;
    if (this.#way === null || !isAway(error) || this.#attempt.signal.reason === SILENT) return null;
    return await this.#way.explain(AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(EXPLAIN_MS)]));
  }

  #down(error: unknown, failure: WayFailure | null): void {
    this.#release();
    this.#isKnown = false;
    this.#told = new ToldEvents();
    this.mirror.clear();
    const cause = error instanceof ServiceError && error.cause !== undefined ? error.cause : error;
    const away = isAway(error);
    const reason = failure !== null
      ? failure.message
      : away
      ? reasonOf(cause)
      : error instanceof ServiceError
      ? error.discreet
      : "berth could not talk to it";
    const denied = failure?.kind === "refused" || away && reason.includes("may not open");
    this.#setState(
      denied
        ? "refused"
        : !this.#greeted && error instanceof ServiceError && error.code === "engine_failed"
        ? "unsupported"
        : "away",
      reason,
    );
    this.#tried();
  }

  #tried(): void {
    this.#firstTry.resolve();
    this.#twin.introduced.resolve();
  }

  /** Wakes callers that wait; they see that it is not ready. */
  #release(): void {
    this.#unready();
    this.#ready.resolve();
    this.#ready = Promise.withResolvers<void>();
  }

  #unready(): void {
    if (this.#isReady) this.#ready = Promise.withResolvers<void>();
    this.#isReady = false;
  }

  #setState(state: BackendState, reason: string): void {
    const changed = this.#state !== state;
    if (!changed && this.#reason === reason) return;
    if (changed && (state === "up" || this.#state === "up")) {
      this.#lostAt = state === "up" ? null : secondOf(new Date());
    }
    this.#state = state;
    this.#reason = reason;
    this.#log.info(state === "up" ? "Engine is up" : "Engine is not up", { state, reason });
    if (changed) this.#feed.backend(this.name, state);
  }
}

const secondOf = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

const lastHeard = (since: string | null) => since === null ? {} : { since };
