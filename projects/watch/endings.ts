/** Keeps how containers ended, with their last words: they are read the moment that the engine tells of it. */
import type { Model } from "../../artifacts/artifact.ts";
import type { ContainerEvent } from "../../core/container_event.ts";
import type { EndingRecord, EndingStore, LastWords } from "../../core/endings.ts";
import { isStoreAway, ServiceError } from "../../core/error.ts";
import type { IncidentSubject } from "../../core/incidents.ts";
import type { Log } from "../../core/log.ts";
import { type Ownership, scopedProject } from "../../core/ownership.ts";
import type { ActingRuntime } from "../../core/engine_acts.ts";
import type { TextSeal } from "../../core/text_seal.ts";
import { containerKey } from "./evidence.ts";
import { placeOfWords, zipped } from "./ending_words.ts";
import type { Judged } from "./judge.ts";

/** Containers whose words are read at once, and those that wait for it. */
const MOST_AT_ONCE = 32;
const MOST_WAITING = 1_000;
/** In a restart loop the first ones are kept, and then one in this time. */
const FIRST = 3;
const ONE_IN_MS = 60_000;
/** A container that ended no more for this long is in no loop. */
const LOOP_MS = 600_000;
const MOST_LOOPS = 10_000;
const KEPT_MS = 90 * 86_400_000;
const MOST_KEPT = 50_000;
const MOST_BYTES = 64 * 1024 * 1024;
/** Old words give way after so many bytes of new ones. */
const FORGET_BYTES = 4 * 1024 * 1024;
const MOST_NAME = 300;
/** Endings that wait in memory for a store that is away. */
const MOST_UNWRITTEN = 200;

interface EndingsOptions {
  readonly store: EndingStore;
  readonly seal: TextSeal;
  readonly runtime: () => Pick<ActingRuntime, "ending" | "containers"> | null;
  readonly registry: {
    models(): Promise<readonly { readonly workspace: { readonly id: string }; readonly model: Model }[]>;
  };
  readonly ownership: Pick<Ownership, "startedFrom" | "settle">;
  readonly log: Log;
  /** Counts every ending, also those that are not kept. */
  readonly ended: () => void;
}

interface Loop {
  count: number;
  lastAt: number;
  keptAt: number;
  /** The id of the ending that was kept last. */
  kept: string;
}

type Place = Pick<IncidentSubject, "workspace" | "group" | "unit">;

const NOWHERE: Place = { workspace: null, group: null, unit: null };

export class Endings {
  readonly #options: EndingsOptions;
  readonly #loops = new Map<string, Loop>();
  readonly #waiting: (() => Promise<void>)[] = [];
  readonly #working = new Set<Promise<void>>();
  /** Endings that were only counted, by the one that was kept before them. */
  readonly #more = new Map<string, number>();
  #judged: readonly Judged[] = [];
  /** The units of containers by the last look; null until somebody asks. */
  #places: ReadonlyMap<string, Place> | null = null;
  #bytes = 0;
  #isFailing = false;
  /** Endings that the store did not take yet, the oldest first. */
  readonly #unwritten: (() => Promise<void>)[] = [];

  constructor(options: EndingsOptions) {
    this.#options = options;
  }

  /** Notes which units containers are of. */
  know(judged: readonly Judged[]): void {
    this.#judged = judged;
    this.#places = null;
  }

  hear(event: ContainerEvent): void {
    if (event.action !== "die") return;
    this.#options.ended();
    const at = performance.now();
    const key = JSON.stringify([event.engine, event.name || event.id]);
    const known = this.#loops.get(key);
    const loop = known === undefined || at - known.lastAt > LOOP_MS ? null : known;
    if (loop !== null && loop.count >= FIRST && at - loop.keptAt < ONE_IN_MS) {
      this.#loops.set(key, { ...loop, count: loop.count + 1, lastAt: at });
      this.#more.set(loop.kept, (this.#more.get(loop.kept) ?? 0) + 1);
      return;
    }
    const kept = crypto.randomUUID();
    this.#loops.delete(key);
    this.#loops.set(key, { count: (loop?.count ?? 0) + 1, lastAt: at, keptAt: at, kept });
    if (this.#loops.size > MOST_LOOPS) this.#loops.delete(this.#loops.keys().next().value!); // there are that many
    this.#begin(() => this.#keep(kept, event));
  }

  /** Writes what was only counted, and forgets what is old. */
  async settle(now: number, isLong: boolean): Promise<void> {
    const { store } = this.#options;
    for (let write = this.#unwritten[0]; write !== undefined; write = this.#unwritten[0]) {
      await write();
      this.#unwritten.shift();
    }
    if (this.#more.size > 0) {
      const more = [...this.#more];
      await store.count(more.map(([id, by]) => ({ id, by })));
      for (const [id, by] of more) {
        const left = this.#more.get(id)! - by; // it only grows meanwhile
        if (left > 0) this.#more.set(id, left);
        else this.#more.delete(id);
      }
    }
    if (!isLong && this.#bytes < FORGET_BYTES) return;
    this.#bytes = 0;
    await store.forget(now - KEPT_MS, MOST_KEPT, MOST_BYTES);
  }

  /** Resolves when all that was heard is written. */
  async over(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  #begin(work: () => Promise<void>): void {
    if (this.#working.size >= MOST_AT_ONCE) {
      if (this.#waiting.length < MOST_WAITING) this.#waiting.push(work);
      return;
    }
    const running = work().finally(() => {
      this.#working.delete(running);
      const next = this.#waiting.shift();
      if (next !== undefined) this.#begin(next);
    });
    this.#working.add(running);
  }

  async #keep(id: string, heard: ContainerEvent): Promise<void> {
    const { store, seal, log } = this.#options;
    try {
      const event = await this.#named(heard);
      const words = await this.#wordsOf(event);
      const hasWords = typeof words !== "string" && (words.lines.length > 0 || words.health !== "");
      const sealed = hasWords ? await seal.seal(await zipped(words), placeOfWords(id)) : null;
      this.#bytes += sealed?.byteLength ?? 0;
      // It wrote something, although nothing is left that may be told.
      const state = typeof words === "string"
        ? words
        : hasWords
        ? "kept"
        : words.isCut
        ? "unreadable"
        : "none";
      const ended = recordOf(id, event, typeof words === "string" ? null : words, state);
      const write = async () => {
        const place = await this.#placeOf(event);
        await store.add({ ...ended, ...place, startedFrom: await this.#startedFrom(event) }, sealed);
      };
      await write().catch((error) => {
        if (!isStoreAway(error) || this.#unwritten.length >= MOST_UNWRITTEN) throw error;
        this.#unwritten.push(write);
      });
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) log.warn("An ending of a container cannot be kept", { error });
      this.#isFailing = true;
    }
  }

  /** Podman tells of an end before its container is listed: then its labels are not known yet. */
  async #named(event: ContainerEvent): Promise<ContainerEvent> {
    if (event.compose !== null) return event;
    const rows = await this.#options.runtime()?.containers().catch(() => []) ?? [];
    const row = rows.find(({ id, backend }) => id === event.id && backend === event.engine);
    return { ...event, compose: row?.compose ?? null };
  }

  async #wordsOf({ id, engine }: ContainerEvent): Promise<LastWords | "removedTooSoon" | "unreadable"> {
    try {
      return await this.#options.runtime()?.ending(id, engine) ?? "removedTooSoon";
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return error.code === "conflict" ? "removedTooSoon" : "unreadable";
    }
  }

  /** A name alone is no proof: whoever writes files would give themselves the words of others. */
  async #startedFrom({ engine, compose }: ContainerEvent): Promise<string | null> {
    const { ownership } = this.#options;
    const origin = { backend: engine, compose };
    ownership.startedFrom(origin); // one that is new is joined
    await ownership.settle();
    return ownership.startedFrom(origin);
  }

  /** Returns the unit by the last look, and for a container that came and went between two looks by its labels. */
  async #placeOf(event: ContainerEvent): Promise<Place> {
    const known = (this.#places ??= placesOf(this.#judged)).get(containerKey(event));
    const { compose } = event;
    if (known !== undefined || compose === null) return known ?? NOWHERE;
    const found = (await this.#options.registry.models()).flatMap(({ workspace: { id }, model }): Place[] => {
      const groups = model.groups.filter(({ project }) => project === compose.project);
      return groups.flatMap((group) =>
        model.units.filter((unit) => unit.group === group.id && unit.label === compose.service)
          .map((unit) => ({ workspace: id, group: group.name, unit: unit.id }))
      );
    });
    // Two folders may declare one project: then nobody knows which of them is meant.
    return found.length === 1 ? found[0]! : NOWHERE;
  }
}

function placesOf(judged: readonly Judged[]): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const { subject: { workspace, group, unit }, containers, unit: declared } of judged) {
    if (declared === null) continue;
    for (const one of containers) places.set(containerKey(one), { workspace, group, unit });
  }
  return places;
}

function recordOf(
  id: string,
  event: ContainerEvent,
  words: LastWords | null,
  state: EndingRecord["words"],
): Omit<EndingRecord, keyof Place | "startedFrom"> {
  const exitCode = event.exitCode ?? words?.exitCode ?? null;
  return {
    id,
    at: event.heardAt,
    engine: event.engine,
    containerId: event.id,
    container: event.name.slice(0, MOST_NAME),
    project: scopedProject(event.compose),
    exitCode,
    outOfMemory: words?.outOfMemory === true && exitCode === 137,
    words: state,
    more: 0,
  };
}
