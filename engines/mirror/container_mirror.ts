/** One engine's containers in memory; each row is read by its id when it may have changed. */
import { settlesInMs } from "../../core/condition.ts";
import { type Claim, type ClaimLookup, NO_CLAIMS } from "../../core/claims.ts";
import { ServiceError } from "../../core/error.ts";
import { isRefusal } from "./refusal.ts";
import { type ContainerRow, containerRow, imageIdOf, stateOf } from "../rows/container.ts";
import type { Engine } from "../calls/engine.ts";
import { at, isIdentifier } from "../calls/path.ts";
import { listOf, objectOf, textOf } from "../calls/wire.ts";
import { isProbe } from "./probe.ts";
import { Rechecks } from "./rechecks.ts";
import { type Need, RefreshQueue } from "./refresh_queue.ts";
import { Rows } from "./rows.ts";

const AT_ONCE = 8;
/** A row that is not read by then is read again later. */
const LATE_MS = 5_000;
const HANGS = 3;
/** The rest of a longer list is ignored. */
const MOST = 50_000;

export class ContainerMirror implements Disposable {
  readonly rows = new Rows<ContainerRow>();
  readonly #rechecks = new Rechecks((ids) => this.#mark(ids, "check"));
  readonly #queue = new RefreshQueue(() => this.#refresh());
  #dirty = new Set<string>();
  /** Ids that the running refresh has still to read. */
  readonly #unread = new Set<string>();
  /** Reads of what berth itself changed. */
  readonly #own = new Set<Promise<void>>();
  /** Which read of an id is the latest that was shown, while any reads run: an older one must not overwrite it. */
  readonly #shown = new Map<string, number>();
  readonly #settling = new Map<string, ReturnType<typeof setTimeout>>();
  /** When somebody stopped a container, in milliseconds of the engine's clock. */
  readonly #stops = new Map<string, number>();
  #started = 0;
  #running = 0;
  /** `all`: read every row. `compare`: read only the rows that differ from the engine's list. */
  #listing: "all" | "compare" | null = null;

  /** True if there are rows to show, though they may be old. */
  known = false;
  /** The reason that the rows are not current although the engine answers; null while they are. */
  problem: string | null = null;

  /**
   * `failed` is called when a refresh cannot reach the engine; the rows can then not be trusted. `read` is called with
   * every row that was read.
   */
  constructor(
    private readonly engine: Engine,
    private readonly failed: (error: unknown) => void,
    private readonly read: (row: ContainerRow) => void,
    private readonly claims: ClaimLookup = NO_CLAIMS,
  ) {}

  /** A claim came, went or changed: its container, and those of the name, are read at once. */
  claimed({ container, name }: Pick<Claim, "container" | "name">): void {
    if (this.rows.get(container) !== undefined) this.touch(container);
    for (const row of this.rows.values()) if (row.name === name && row.id !== container) this.touch(row.id);
  }

  /** The name of the container that the id, or its beginning, means; null where none or several fit. */
  nameOf(id: string): string | null {
    const known = this.rows.get(id);
    if (known !== undefined) return known.name;
    const fitting = [...this.rows.values()].filter((row) => row.id.startsWith(id));
    return fitting.length === 1 ? fitting[0]!.name : null;
  }

  /** Returns the row of an inspected container, with what is known of its stop; null for an answer without an id. */
  rowOf(inspected: unknown): ContainerRow | null {
    const stoppedMs = this.#stops.get(textOf(objectOf(inspected).Id));
    return containerRow(inspected, this.engine.name, { stoppedMs, claims: this.claims });
  }

  /** The number of containers that may have changed and are still to be read. */
  get waiting(): number {
    return this.#dirty.size + this.#unread.size;
  }

  get settled(): boolean {
    return this.#own.size === 0 && this.#queue.settled;
  }

  /** See `RefreshQueue.fresh`. */
  fresh(): Promise<void> {
    return this.#queue.fresh();
  }

  async idle(): Promise<void> {
    await Promise.all(this.#own);
    await this.#queue.idle();
  }

  /** Resolves when all that berth itself changed was read. */
  async freshOwn(): Promise<void> {
    await Promise.all([...this.#own, this.#queue.freshOwn()]);
  }

  /** Berth changed the container: it is read at once, and lists wait from now on until it was. */
  touch(id: string): void {
    this.#rechecks.schedule(id);
    if (!isIdentifier(id)) return;
    const reading = this.#readOne(id)
      .then((late) => late === null || this.#mark([id], "own"), () => this.#mark([id], "own"))
      .then(() => void this.#own.delete(reading));
    this.#own.add(reading);
  }

  /** An event tells that the container may have changed: lists wait a moment for it. */
  told(id: string): void {
    this.#mark([id], "change");
    this.#rechecks.schedule(id);
  }

  /** An event tells that somebody stopped the container. */
  toldStopped(id: string, atMs: number): void {
    this.#stops.delete(id);
    this.#stops.set(id, atMs);
    if (this.#stops.size > MOST) this.#stops.delete(this.#stops.keys().next().value!); // there is one at least
    this.told(id);
  }

  /** Reads the container now, if it is known to have changed. */
  async look(id: string): Promise<void> {
    if (this.#dirty.has(id) || this.#unread.has(id)) await this.#readOne(id);
  }

  /** Reads every row again. */
  async resync(): Promise<void> {
    this.#listing = "all";
    this.#queue.need("change");
    await this.#queue.fresh();
  }

  /** Reads the rows that the engine's list shows differently or lacks, and those that are new. */
  async relist(): Promise<void> {
    this.#listing ??= "compare";
    this.#queue.need("change");
    await this.#queue.fresh();
  }

  /** Tries again where the engine refused the list. */
  again(): void {
    if (this.problem !== null) this.compare();
  }

  /** Compares the rows with the engine's list, for changes without an event. */
  compare(): void {
    this.#listing ??= "compare";
    this.#queue.need("check");
  }

  clear(): void {
    this.#dirty.clear();
    this.#rechecks.clear();
    this.#endSettling();
    this.rows.clear();
    this.known = false;
    this.problem = null;
  }

  [Symbol.dispose](): void {
    this.#rechecks[Symbol.dispose]();
    this.#endSettling();
  }

  #mark(ids: readonly string[], need: Need): void {
    for (const id of ids) if (isIdentifier(id)) this.#dirty.add(id);
    this.#queue.need(need);
  }

  async #refresh(): Promise<void> {
    const ids = this.#dirty;
    const listing = this.#listing;
    this.#dirty = new Set();
    this.#listing = null;
    try {
      if (listing !== null) { for (const id of await this.#listed(listing)) ids.add(id); }
      await this.#read([...ids]);
      if (listing !== null) {
        this.known = true;
        this.problem = null;
      }
    } catch (error) {
      for (const id of ids) this.#dirty.add(id);
      if (isRefusal(error)) {
        this.problem = error.message;
        return; // `again` tries again
      }
      this.#listing ??= listing;
      this.failed(error);
      throw error;
    }
  }

  /** The ids to read: those that the list shows differently, and those that it lacks. */
  async #listed(listing: "all" | "compare"): Promise<Set<string>> {
    const answer = await this.engine.get(at`/containers/json`, {
      doing: `list the containers of engine "${this.engine.name}"`,
      query: { all: true },
      firstByteMs: 30_000,
    });
    const suspects = new Set(this.rows.keys());
    for (const listed of listOf(answer).slice(0, MOST)) {
      const wire = objectOf(listed);
      const id = textOf(wire.Id);
      const row = this.rows.get(id);
      if (listing === "compare" && row !== undefined && shows(wire, row)) suspects.delete(id);
      else if (isIdentifier(id)) suspects.add(id);
    }
    return suspects;
  }

  async #read(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#unread.add(id);
    try {
      await this.#readAll(ids);
    } finally {
      this.#unread.clear();
    }
  }

  async #readAll(ids: readonly string[]): Promise<void> {
    let next = 0;
    let answered = 0;
    let late = 0;
    const reader = async () => {
      for (let id = ids[next++]; id !== undefined; id = ids[next++]) {
        const lateness = await this.#readOne(id);
        this.#unread.delete(id);
        if (lateness === null) answered += 1;
        // One container may be locked for long. If none of several answers, the engine hangs.
        else if ((late += 1) >= HANGS && answered === 0) throw lateness;
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, ids.length) }, reader));
  }

  /** Returns the error if the engine did not answer in time; the row then stays as it was. */
  async #readOne(id: string): Promise<ServiceError | null> {
    const started = this.#started += 1;
    this.#running += 1;
    try {
      const inspected = await this.engine.get(at`/containers/${id}/json`, {
        doing: `inspect container "${id}"`,
        missing: "container_not_found",
        firstByteMs: LATE_MS,
      });
      const { hash } = await import("node:crypto"); // a start does not wait for it
      const row = this.rowOf(inspected);
      if (row !== null && !isProbe(row.name) && this.#isLatest(id, started)) {
        this.rows.put(row.id, row, hash("sha256", JSON.stringify(inspected), "base64"));
        this.#readOnceSettled(row);
        this.read(row);
      }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.code === "container_not_found") {
        if (this.#isLatest(id, started)) this.#forget(id);
      } // Podman fails like this while a container is created or removed: the row stays until the next check.
      else if (error.code === "engine_failed" || error.code === "conflict") this.#rechecks.schedule(id);
      else if (error.code === "engine_timeout") {
        this.#rechecks.schedule(id);
        return error;
      } else throw error;
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#shown.clear();
    }
    return null;
  }

  #forget(id: string): void {
    this.rows.delete(id);
    this.#stops.delete(id);
  }

  /** No event tells that a container keeps running after a restart loop, or that it stays ended. */
  #readOnceSettled(row: ContainerRow): void {
    clearTimeout(this.#settling.get(row.id));
    this.#settling.delete(row.id);
    const ms = settlesInMs(row, Date.now());
    if (ms === 0) return;
    const timer = setTimeout(() => {
      this.#settling.delete(row.id);
      this.#mark([row.id], "check");
    }, ms + 10);
    this.#settling.set(row.id, timer);
  }

  #endSettling(): void {
    for (const timer of this.#settling.values()) clearTimeout(timer);
    this.#settling.clear();
  }

  #isLatest(id: string, started: number): boolean {
    if ((this.#shown.get(id) ?? 0) > started) return false;
    this.#shown.set(id, started);
    return true;
  }
}

/** Returns true if an entry of the engine's list agrees with the row, in the fields that it has. */
function shows(listed: Readonly<Record<string, unknown>>, row: ContainerRow): boolean {
  const names = listOf(listed.Names).map((name) => textOf(name).replace(/^\//, ""));
  const networks = Object.keys(objectOf(objectOf(listed.NetworkSettings).Networks));
  const status = textOf(listed.Status);
  return stateOf(textOf(listed.State)) === row.state && names.includes(row.name) &&
    (textOf(listed.ImageID) === "" || imageIdOf(textOf(listed.ImageID)) === row.imageId) &&
    (networks.length === 0 || networks.every((name) => row.networks.includes(name))) &&
    (row.health === null || row.state !== "running" || status === "" || status.includes(row.health));
}
