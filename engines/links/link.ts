/** The connection to one engine: reads its events, keeps its mirror up to date, and reconnects. */
import type { ClaimLookup } from "../../core/claims.ts";
import { ServiceError } from "../../core/error.ts";
import type { Log } from "../../core/log.ts";
import { pause } from "../../core/pause.ts";
import type { Backend, BackendState, HostFolder, HostSight } from "../../core/runtime.ts";
import { Latch } from "../../core/signal.ts";
import { addressText, type EngineAddress } from "../calls/address.ts";
import { Engine } from "../calls/engine.ts";
import { unreadable } from "../calls/failure.ts";
import type { EngineKind, EngineVersion } from "../calls/greeting.ts";
import { EventCheck } from "../mirror/event_check.ts";
import type { EventFeed } from "../mirror/event_feed.ts";
import { ToldEvents } from "../mirror/events.ts";
import { HealthExecs } from "../mirror/health_execs.ts";
import { type Kind, Mirror } from "../mirror/mirror.ts";
import { Certificates } from "./certificates.ts";
import { followEvents } from "./follow_events.ts";
import { BareContainer } from "./bare_container.ts";
import { HostSights } from "./host_sight.ts";
import { failureOf, isAway } from "./link_failure.ts";
import {
  backendState,
  complete,
  CONNECTING,
  cut,
  failed,
  type Failure,
  fellSilent,
  heard,
  isKnown,
  type LinkState,
  lostAt,
  opened,
  reasonOf,
  silentSince,
} from "./link_state.ts";
import { Tunnel } from "./tunnel.ts";
import { type Twin, TwinFailure, type Twins } from "./twins.ts";
import { Watchdog } from "./watchdog.ts";
import { type Way, WayFailure } from "./way.ts";

/** The longest wait between two attempts to reconnect. */
const LONGEST_WAIT_MS = 1_000;
/** The same for one that another link has already. */
const TWIN_WAIT_MS = 30_000;
/** The reason of an attempt that ends because its engine does not answer. */
const SILENT = Symbol("silent");
/** Milliseconds that a way has to say why the engine cannot be reached. */
const EXPLAIN_MS = 250;

/** One attempt to be connected, from the way to the engine to the end of its events. */
interface Attempt {
  readonly ending: AbortController;
  hasGreeted: boolean;
  /** The check that events are still delivered; null unless they are open. */
  check: EventCheck | null;
}

function attempt(): Attempt {
  return { ending: new AbortController(), hasGreeted: false, check: null };
}

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
  readonly claims: ClaimLookup;
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
  readonly bare = new BareContainer();
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #state: LinkState = CONNECTING;
  #attempt = attempt();
  #kind: EngineKind;
  #api: string | null = null;
  #version: EngineVersion | null = null;
  /** Open while the mirror is current. */
  readonly #ready = new Latch();
  /** Open unless the engine is silent. */
  readonly #heard = new Latch("open");
  /** Open once an attempt has ended or succeeded. */
  readonly #firstTry = new Latch();
  #told = new ToldEvents();
  readonly #watchdog: Watchdog;
  /** The number of events that the engine sent. */
  events = 0;
  readonly #healthExecs = new HealthExecs();

  constructor({ name, address, guess, feed, log, ssh, twins, claims }: LinkOptions) {
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
    const unlisted = (error: unknown) => this.#unlisted(error);
    this.mirror = new Mirror(this.engine, (error) => this.#fail(error), unlisted, claims);
    this.#kind = guess;
    this.#feed = feed;
    this.#running = this.#run();
    this.#watchdog = new Watchdog(this.engine, {
      silent: (since) => this.#silent(since),
      heard: (time) => this.#answered(time),
      halfOpen: () => this.#reopen("Connections to the engine are half open; they are opened again"),
    });
  }

  /** Asks the engine whether it sees a folder of this machine. */
  async sightOf(folder: HostFolder, maxAgeMs = Infinity): Promise<HostSight> {
    if (this.state !== "up") return "unknown";
    const image = this.mirror.images.rows.values().next().value?.id ?? null;
    // Podman is asked with an image; after a restart none is listed yet, and that is not remembered.
    if (this.#kind === "podman" && image === null) return "unknown";
    return await this.#sights.of({ engine: this.engine, kind: this.#kind, image }, folder, maxAgeMs);
  }

  get name(): string {
    return this.engine.name;
  }

  get state(): BackendState {
    return backendState(this.#state);
  }

  /** The reason that it is not up; empty while it is. */
  get reason(): string {
    return reasonOf(this.#state);
  }

  /** The time of its last answer while it does not answer; null while it does. */
  get since(): string | null {
    return silentSince(this.#state);
  }

  get kind(): EngineKind {
    return this.#kind;
  }

  get apiVersion(): string | null {
    return this.#api;
  }

  /** True if its mirror is complete. */
  get ready(): boolean {
    return this.#state.kind === "current";
  }

  /** True if its mirror has rows to show, though they may be old. */
  get known(): boolean {
    return isKnown(this.#state);
  }

  /** Resolves when the mirror is complete, or the engine is known to be away. */
  async settle(): Promise<void> {
    await Promise.race([this.#firstTry.opened, this.#ready.opened]);
    if (this.state === "up") await this.#ready.opened;
  }

  report(isDefault: boolean): Backend {
    return {
      name: this.name,
      kind: this.#kind,
      address: addressText(this.#address),
      state: this.state,
      version: this.#version?.version ?? null,
      apiVersion: this.#api,
      os: this.#version?.os ?? null,
      arch: this.#version?.arch ?? null,
      default: isDefault,
      ...(this.state === "up" ? this.#behind() : { reason: this.reason }),
      ...lastHeard(this.since ?? lostAt(this.#state)),
    };
  }

  /** Returns true if its rows of that kind are the last known ones. */
  isBehind(kind: Kind): boolean {
    return this.since !== null || this.mirror[kind].problem !== null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    this.#attempt.ending.abort();
    this.#heard.open();
    this.engine[Symbol.dispose]();
    await Promise.all([this.#running, this.#watchdog[Symbol.asyncDispose]()]);
    await this.#way?.[Symbol.asyncDispose]();
    this.mirror[Symbol.dispose]();
    this.#tried();
    this.#ready.open();
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
      await this.#heard.opened;
      const current = this.#attempt = attempt();
      let isTwin = false;
      try {
        await this.#connect(current);
        failures = 0;
      } catch (error) {
        const failure = await this.#whyNot(error, current);
        isTwin = failure instanceof TwinFailure;
        if (!isCutBySilence(current)) this.#down(failureOf(error, failure, current.hasGreeted));
      }
      if (this.#stopping.signal.aborted) return;
      const wait = isTwin
        ? TWIN_WAIT_MS
        : Math.min(LONGEST_WAIT_MS, 50 * 2 ** failures) * (0.5 + Math.random() / 2);
      failures = Math.min(failures + 1, 8);
      await pause(wait, this.#stopping.signal);
    }
  }

  /** Holds one connection, from `/_ping` to the end of its events. Throws if it is not opened or cannot be trusted. */
  async #connect(current: Attempt): Promise<void> {
    const { signal } = current.ending;
    await this.#way?.open(this.engine, signal);
    this.engine.forget();
    const greeting = await this.engine.greet();
    const { kind, api, time } = greeting;
    current.hasGreeted = true;
    this.#kind = kind;
    this.#api = api;
    await this.#twins.claim(this.#twin, this.engine, kind, this.#address);
    this.#twin.introduced.open();
    let reading: Promise<void> = Promise.resolve();
    const told = this.#told;
    try {
      await followEvents({
        engine: this.engine,
        kind,
        mirror: this.mirror,
        feed: this.#feed,
        told,
        healthExecs: this.#healthExecs,
        opened: () => {
          if (time !== null) told.hear(time);
          const check = current.check = new EventCheck(this.engine, greeting);
          reading = this.#read(current);
          return check;
        },
        counted: () => this.events += 1,
      }, signal);
    } finally {
      if (current.check !== null) told.cut();
      current.check = null;
      current.ending.abort();
      await reading;
    }
    this.#become(cut(this.#state));
    if (signal.reason instanceof ServiceError) throw signal.reason;
  }

  /** Reads the mirror once events are open, so that no change falls between the lists and the events. */
  async #read({ ending }: Attempt): Promise<void> {
    this.#sights.clear();
    this.bare.clear();
    this.#become(opened(this.#state));
    this.#askVersion();
    try {
      await this.mirror.resync();
    } catch (error) {
      ending.abort(error instanceof ServiceError ? error : undefined);
      return;
    }
    if (ending.signal.aborted) return;
    this.#become(complete(this.#state));
    this.#feed.resync(this.name);
  }

  get #isOver(): boolean {
    return this.#stopping.signal.aborted || this.#attempt.ending.signal.aborted;
  }

  /** The engine goes on, and the kind is shown as it was last known. */
  #unlisted(error: unknown): void {
    if (!this.#isOver) this.#log.warn("A list of the engine could not be read", { error });
  }

  /** Called when containers cannot be read: the mirror can no longer be trusted, so the connection is closed. */
  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#log.warn("A refresh of the mirror failed", { error });
    this.#attempt.ending.abort(
      error instanceof ServiceError ? error : unreadable(this.name, `read engine "${this.name}"`),
    );
  }

  #silent(since: Date): void {
    this.#heard.close();
    this.#attempt.ending.abort(SILENT);
    const state = fellSilent(this.#state, since, new Date());
    this.engine.silent(state.since);
    this.#become(state);
    this.#tried();
  }

  async #answered(time: number | null): Promise<void> {
    if (time !== null) this.engine.prepare();
    const { check, ending } = this.#attempt;
    if (this.#state.kind === "silent") {
      this.#become(heard(this.#state));
      this.engine.heard();
      this.#heard.open();
    } else if (time !== null && await check?.missed(time, ending.signal)) {
      this.#reopen("The events of the engine did not come; its streams are opened again");
    }
  }

  /** Cuts all that is open: events, logs and measurements resume over new connections. */
  #reopen(why: string): void {
    this.#log.warn(why);
    this.#attempt.ending.abort();
    this.engine.drop();
  }

  #behind(): Pick<Backend, "stale" | "reason"> {
    const { behind } = this.mirror;
    if (!this.ready || behind.size === 0) return {};
    return { stale: [...behind.keys()], reason: [...new Set(behind.values())].join("; ") };
  }

  #askVersion(): void {
    this.engine.version().then((version) => this.#version = version, () => {
      // Nothing depends on it, and the next connection asks again.
    });
  }

  async #whyNot(error: unknown, current: Attempt): Promise<WayFailure | null> {
    if (error instanceof WayFailure) return error;
    if (this.#way === null || !isAway(error) || isCutBySilence(current)) return null;
    return await this.#way.explain(AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(EXPLAIN_MS)]));
  }

  #down(failure: Failure): void {
    this.#told = new ToldEvents();
    this.mirror.clear();
    this.#become(failed(this.#state, failure, new Date()));
    this.#tried();
  }

  #tried(): void {
    this.#firstTry.open();
    this.#twin.introduced.open();
  }

  /** Enters the state, lets callers go on who wait for it, and tells others what has changed for them. */
  #become(state: LinkState): void {
    const [before, why] = [this.state, this.reason];
    this.#state = state;
    if (state.kind === "current") this.#ready.open();
    else this.#ready.close();
    // Callers that wait see that it is not ready.
    if (state.kind === "down" || state.kind === "silent") this.#ready.wake();
    if (before === this.state && why === this.reason) return;
    const { state: now, reason } = this;
    this.#log.info(now === "up" ? "Engine is up" : "Engine is not up", { state: now, reason });
    if (before !== now) this.#feed.backend(this.name, now);
  }
}

function isCutBySilence({ ending }: Attempt): boolean {
  return ending.signal.reason === SILENT;
}

const lastHeard = (since: string | null) => since === null ? {} : { since };
