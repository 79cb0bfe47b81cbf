/** Which engines there are: those the settings name or those found by looking, each with its link. */
import { ServiceError } from "../../../core/error.ts";
import type { Log } from "../../../core/log.ts";
import type { Backend } from "../../../core/runtime.ts";
import { findEngines, type FoundEngine, type UserEnvironment } from "./discovery.ts";
import { Link } from "./link.ts";
import { addressText, type EngineAddress } from "../engine/address.ts";
import { reasonOf } from "../engine/failure.ts";
import type { EngineKind } from "../engine/engine.ts";
import type { Mirror } from "../mirror/mirror.ts";
import { EventFeed } from "../mirror/event_feed.ts";
import { pause } from "../engine/pause.ts";

const LOOK_EVERY_MS = 1_500;
const MOST = 32;
/** How long a read waits for a refresh before it names the engine as unavailable. */
const PATIENCE_MS = 6_000;

export interface NamedEngine {
  readonly name: string;
  readonly guess: EngineKind;
  readonly address: EngineAddress;
}

/** An engine that a list had to do without. */
export interface Unavailable {
  readonly backend: string;
  readonly reason: string;
}

type Kind = "containers" | "images" | "volumes" | "networks";

export class Backends implements AsyncDisposable {
  readonly feed = new EventFeed();
  readonly #links: Link[] = [];
  readonly #unsupported = new Map<string, Backend>();
  readonly #targets = new Set<string>();
  readonly #stopping = new AbortController();
  #looking: Promise<void> = Promise.resolve();
  /** Rises when an engine joins, and with every change of any engine's state. */
  #revision = 0;

  private constructor(private readonly log: Log) {
    this.feed.subscribe({
      backend: () => this.#revision += 1,
      resync: () => this.#revision += 1,
    });
  }

  /** The engines that the settings name, and no others. */
  static configured(engines: readonly NamedEngine[], log: Log): Backends {
    const backends = new Backends(log);
    for (const engine of engines) backends.#join(engine);
    return backends;
  }

  /** The engines that can be found; looks again and again for new ones. */
  static async found(environment: UserEnvironment, log: Log): Promise<Backends> {
    const backends = new Backends(log);
    backends.#welcome(await findEngines(environment));
    backends.#looking = backends.#look(environment);
    return backends;
  }

  get links(): readonly Link[] {
    return this.#links;
  }

  get revision(): number {
    return this.#revision;
  }

  /** One line for each engine. */
  report(): Backend[] {
    const first = this.#links[0];
    return [...this.#links.map((link) => link.report(link === first)), ...this.#unsupported.values()];
  }

  /** The link of that name, or every link without one. Throws `backend_not_found` for an unknown name. */
  pick(name: string | undefined): readonly Link[] {
    return name === undefined ? this.#links : [this.named(name)];
  }

  /** The link of that name. Throws `backend_not_found`. */
  named(name: string): Link {
    const link = this.#links.find((one) => one.name === name);
    if (link !== undefined) return link;
    const refused = this.#unsupported.get(name);
    if (refused !== undefined) {
      throw new ServiceError(
        "runtime_unavailable",
        `Cannot use engine "${name}": ${refused.reason ?? "unsupported"}`,
      );
    }
    throw new ServiceError(
      "backend_not_found",
      `Cannot use engine "${name}": there is no engine of that name`,
    );
  }

  /** The one link to create something on: the named one, else the first that is up. Throws when none is. */
  target(name: string | undefined): Link {
    const links = this.pick(name);
    const up = links.find((link) => link.state === "up");
    if (up !== undefined) return up;
    const [link] = links;
    if (link === undefined) throw new ServiceError("no_engine", "Cannot reach an engine: none is known");
    throw new ServiceError("runtime_unavailable", `Cannot reach engine "${link.name}": ${link.reason}`);
  }

  /** Whether a read of this kind may be answered from memory at once. */
  settled(kind: Kind, links: readonly Link[] = this.#links): boolean {
    return links.every((link) => link.state !== "up" || (link.ready && link.mirror[kind].settled));
  }

  /**
   * The engines whose mirrors may be read, each true to every change known when this was called, and those
   * that could not be. The wait is bounded: an engine that hangs shows what it showed last until it is given up.
   */
  async fresh(
    kind: Kind,
    links: readonly Link[] = this.#links,
  ): Promise<{ readonly up: readonly Link[]; readonly unavailable: readonly Unavailable[] }> {
    if (!this.settled(kind, links)) {
      await Promise.all(links.map((link) => patiently(freshen(link, kind))));
    }
    return this.current(kind, links);
  }

  /** The same without any wait. */
  current(
    kind: Kind,
    links: readonly Link[] = this.#links,
  ): { readonly up: readonly Link[]; readonly unavailable: readonly Unavailable[] } {
    const up: Link[] = [];
    const unavailable: Unavailable[] = [];
    for (const link of links) {
      if (link.state !== "up") unavailable.push({ backend: link.name, reason: link.reason });
      else if (!link.ready) unavailable.push({ backend: link.name, reason: "it is slow to answer" });
      else if (link.mirror[kind].problem !== null) {
        unavailable.push({ backend: link.name, reason: link.mirror[kind].problem });
      } else up.push(link);
    }
    return { up, unavailable };
  }

  /** Resolves when every engine that is there was read once, or is known to be away. */
  async settle(): Promise<void> {
    await Promise.all(this.#links.map((link) => link.settle()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
    await Promise.all(this.#links.map((link) => link[Symbol.asyncDispose]()));
  }

  async #look(environment: UserEnvironment): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await pause(LOOK_EVERY_MS, this.#stopping.signal);
      if (this.#stopping.signal.aborted) return;
      this.#welcome(await findEngines(environment));
    }
  }

  #welcome(found: readonly FoundEngine[]): void {
    for (const engine of found) {
      const target = JSON.stringify(engine.address);
      if (this.#targets.has(target) || this.#targets.size >= MOST) continue;
      if ("unsupported" in engine) {
        this.#targets.add(target);
        this.#unsupported.set(engine.name, unsupported(engine.name, engine.address, engine.unsupported));
      } else this.#join(engine);
    }
  }

  #join(engine: NamedEngine): void {
    this.#targets.add(JSON.stringify(engine.address));
    let name = engine.name;
    for (let number = 2; this.#links.some((link) => link.name === name); number += 1) {
      name = `${engine.name}-${number}`;
    }
    try {
      this.#links.push(new Link({ ...engine, name, feed: this.feed, log: this.log }));
    } catch (error) { // berth itself may not: one engine less, and the others go on
      this.#unsupported.set(name, {
        ...unsupported(name, addressText(engine.address), reasonOf(error)),
        state: "refused",
      });
    }
    this.#revision += 1;
  }
}

/** The mirror of one kind, as fresh as can be had; a failure shows in the link's state. */
async function freshen(link: Link, kind: keyof Mirror & Kind): Promise<void> {
  await link.settle();
  await link.mirror[kind].fresh().catch(() => {});
}

async function patiently(work: Promise<void>): Promise<void> {
  const waited = new AbortController();
  await Promise.race([work, pause(PATIENCE_MS, waited.signal)]);
  waited.abort();
}

function unsupported(name: string, address: string, reason: string): Backend {
  return {
    name,
    kind: "docker",
    address,
    state: "unsupported",
    version: null,
    apiVersion: null,
    os: null,
    arch: null,
    default: false,
    reason,
  };
}
