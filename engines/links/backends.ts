/** The engines that berth knows: those of the settings, or those it finds, each with its link. */
import { Reach } from "../../core/access.ts";
import { type ClaimLookup, NO_CLAIMS } from "../../core/claims.ts";
import type { Log } from "../../core/log.ts";
import type { ServiceError } from "../../core/error.ts";
import type { Backend } from "../../core/runtime.ts";
import { findEngines, type FoundEngine, type UserEnvironment } from "./discovery.ts";
import { Link } from "./link.ts";
import { Twins } from "./twins.ts";
import { addressText, type EngineAddress } from "../calls/address.ts";
import { reasonOf } from "../calls/failure.ts";
import type { EngineKind } from "../calls/greeting.ts";
import { type Kind, SLOW } from "../mirror/mirror.ts";
import { EventFeed } from "../mirror/event_feed.ts";
import type { Unavailable } from "./unavailable.ts";
import { boundedWait, pause } from "../../core/pause.ts";
import { engineError } from "../calls/errors.ts";

const SEARCH_EVERY_MS = 1_500;
const MAX_ENGINES = 512;

/** The engines by what their mirrors can show now. */
export interface Readable {
  /** Engines whose mirrors are true. */
  readonly up: readonly Link[];
  /** The ready engines, and those that show their last known rows. */
  readonly shown: readonly Link[];
  readonly unavailable: readonly Unavailable[];
  /** The names of engines whose latest changes are not shown yet. */
  readonly stale: readonly string[];
}

/** Milliseconds that a read waits for a refresh before it lists the engine as unavailable. */
const REFRESH_WAIT_MS = 6_000;
/**
 * Milliseconds that a read waits for changes of others. In a storm it shows the known rows, and names the engine as
 * stale.
 */
const STORM_WAIT_MS = 250;

export interface NamedEngine {
  readonly name: string;
  readonly guess: EngineKind;
  readonly address: EngineAddress;
}

export class Backends implements AsyncDisposable {
  readonly feed = new EventFeed();
  readonly #links: Link[] = [];
  readonly #unsupported = new Map<string, Backend>();
  readonly #twins = new Twins();
  readonly #targets = new Set<string>();
  readonly #stopping = new AbortController();
  readonly #claimed: Disposable;
  #searching: Promise<void> | null = null;
  /** Rises when an engine joins, and with every change of an engine's state. */
  #revision = 0;

  private constructor(
    private readonly log: Log,
    private readonly ssh = "ssh",
    private readonly claims: ClaimLookup = NO_CLAIMS,
  ) {
    this.#claimed = claims.onChange((changed) => {
      for (const claim of changed) {
        this.#links.find(({ name }) => name === claim.engine)?.mirror.containers.claimed(claim);
      }
    });
    this.feed.subscribe({
      backend: () => this.#revision += 1,
      resync: () => this.#revision += 1,
    });
  }

  /** The engines that the settings name, and no others. */
  static configured(
    engines: readonly NamedEngine[],
    log: Log,
    ssh?: string,
    claims?: ClaimLookup,
  ): Backends {
    const backends = new Backends(log, ssh, claims);
    for (const engine of engines) backends.#join(engine);
    return backends;
  }

  /** The engines that can be found, and then those that the settings name beside them; looks for new ones every 1.5 s. */
  static async found(
    environment: UserEnvironment,
    log: Log,
    named: readonly NamedEngine[] = [],
    ssh?: string,
    claims?: ClaimLookup,
  ): Promise<Backends> {
    const backends = new Backends(log, ssh, claims);
    const search = () => findEngines(environment, named);
    backends.#joinFound(await search());
    for (const engine of named) backends.#join(engine);
    backends.#searching = backends.#search(search);
    return backends;
  }

  get links(): readonly Link[] {
    return this.#links;
  }

  /** True if an engine that is not known yet may still be found. */
  readonly isSearching = () => this.#searching !== null;

  get revision(): number {
    return this.#revision;
  }

  /** Another text whenever rows of these kinds, or how engines are doing, may be others. */
  stamp(kinds: readonly Kind[]): string {
    let stamp = String(this.#revision);
    for (const { mirror, reason } of this.#links) {
      for (const kind of kinds) stamp += ` ${mirror[kind].rows.version} ${mirror[kind].problem ?? ""}`;
      stamp += ` ${reason}`;
    }
    return stamp;
  }

  /** One line for each engine in reach. */
  report(reach = Reach.EVERYWHERE): Backend[] {
    const first = this.#links[0];
    return [...this.#links.map((link) => link.report(link === first)), ...this.#unsupported.values()]
      .filter(({ name }) => reach.has({ engine: name }));
  }

  /** The link of that name, or every link in reach without one. Throws `backend_not_found` for others. */
  pick(name: string | undefined, reach: Reach): readonly Link[] {
    if (name === undefined) {
      return reach.everywhere ? this.#links : this.#links.filter((link) => reach.has({ engine: link.name }));
    }
    if (!reach.has({ engine: name })) throw unknownEngine(name);
    return [this.named(name)];
  }

  /** The link of that name. Throws `backend_not_found`. */
  named(name: string): Link {
    const link = this.#links.find((one) => one.name === name);
    if (link !== undefined) return link;
    const refused = this.#unsupported.get(name);
    if (refused !== undefined) {
      throw engineError(
        "runtime_unavailable",
        `Cannot use engine "${name}": ${refused.reason ?? "unsupported"}`,
      );
    }
    throw unknownEngine(name);
  }

  /**
   * Returns the link in reach to create something on: the named one, else the first that is up. Throws when none is up,
   * and `forbidden` for a caller whose scopes hold no engine, whether berth knows one or not.
   */
  target(name: string | undefined, reach: Reach): Link {
    const links = this.pick(name, reach);
    const up = links.find((link) => link.state === "up");
    if (up !== undefined) return up;
    const [link] = links;
    if (link === undefined && !reach.everywhere) {
      throw engineError(
        "forbidden",
        "Cannot choose an engine: your scopes hold none; use a key or role that has the permission on an engine",
      );
    }
    if (link === undefined) {
      throw engineError(
        "no_engine",
        "Cannot reach an engine: berth knows none; check that one runs, or name one in the settings",
      );
    }
    throw engineError("runtime_unavailable", `Cannot reach engine "${link.name}": ${link.reason}`);
  }

  /** Returns true if the mirrors can answer a read of this kind without waiting. */
  settled(kind: Kind, links: readonly Link[] = this.#links): boolean {
    return links.every((link) => link.state !== "up" || (link.ready && link.mirror[kind].settled));
  }

  /**
   * Waits until the mirrors hold every change that was known when this was called; for those that berth did not make
   * itself a moment only.
   */
  async fresh(
    kind: Kind,
    links: readonly Link[] = this.#links,
  ): Promise<Readable> {
    if (!this.settled(kind, links)) {
      const behind = links.filter((link) => !this.settled(kind, [link]));
      await Promise.all(behind.map((link) => freshen(link, kind)));
    }
    return this.current(kind, links);
  }

  /** The engines whose mirrors can be read, and those whose cannot, without waiting. */
  current(kind: Kind, links: readonly Link[] = this.#links): Readable {
    const up: Link[] = [];
    const shown: Link[] = [];
    const unavailable: Unavailable[] = [];
    const stale: string[] = [];
    for (const link of links) {
      const { name: backend, reason, since, mirror } = link;
      const { problem } = mirror[kind];
      const isKnown = link.known && mirror[kind].known;
      if (isKnown && link.state === "up" && link.ready && problem === null) up.push(link);
      if (isKnown) shown.push(link);
      if (isKnown && (link.isBehind(kind) || !this.settled(kind, [link]))) stale.push(backend);
      if (since !== null) unavailable.push({ backend, reason, since });
      else if (link.state !== "up") unavailable.push({ backend, reason });
      else if (problem !== null) unavailable.push({ backend, reason: problem, stale: [kind] });
      else if (!isKnown) unavailable.push({ backend, reason: SLOW, stale: [kind] });
    }
    return { up, shown, unavailable, stale };
  }

  /** Resolves when every engine was read once, or is known to be away. */
  async settle(): Promise<void> {
    await Promise.all(this.#links.map((link) => link.settle()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#claimed[Symbol.dispose]();
    this.#stopping.abort();
    await this.#searching;
    await Promise.all(this.#links.map((link) => link[Symbol.asyncDispose]()));
  }

  async #search(search: () => Promise<readonly FoundEngine[]>): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await pause(SEARCH_EVERY_MS, this.#stopping.signal);
      if (this.#stopping.signal.aborted) return;
      this.#joinFound(await search());
    }
  }

  #joinFound(found: readonly FoundEngine[]): void {
    for (const engine of found) {
      const target = "unsupported" in engine ? engine.address : addressText(engine.address);
      if (this.#targets.has(target) || this.#targets.size >= MAX_ENGINES) continue;
      if ("unsupported" in engine) {
        this.#targets.add(target);
        this.#unsupported.set(engine.name, unsupported(engine.name, engine.address, engine.unsupported));
      } else this.#join(engine);
    }
  }

  #join(engine: NamedEngine): void {
    this.#targets.add(addressText(engine.address));
    let name = engine.name;
    for (let number = 2; this.#links.some((link) => link.name === name); number += 1) {
      name = `${engine.name}-${number}`;
    }
    try {
      const { feed, log, ssh, claims } = this;
      this.#links.push(new Link({ ...engine, name, feed, log, ssh, twins: this.#twins, claims }));
    } catch (error) { // no permission for this engine: go on with the others
      this.#unsupported.set(name, {
        ...unsupported(name, addressText(engine.address), reasonOf(error)),
        state: "refused",
      });
    }
    this.#revision += 1;
  }
}

/** Waits for one mirror of one engine; a failure shows in the link's state. */
async function freshen(link: Link, kind: Kind): Promise<void> {
  const mirror = link.mirror[kind];
  await boundedWait(link.settle(), REFRESH_WAIT_MS);
  await Promise.all([
    boundedWait(mirror.freshOwn(), REFRESH_WAIT_MS),
    boundedWait(mirror.fresh(), mirror.known ? STORM_WAIT_MS : REFRESH_WAIT_MS),
  ]);
}

export function unknownEngine(name: string): ServiceError {
  return engineError(
    "backend_not_found",
    `Cannot use engine "${name}": berth knows no engine of that name, see /api/system/backends`,
  );
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
