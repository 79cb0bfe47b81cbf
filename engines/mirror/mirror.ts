/** One engine's containers, images, volumes and networks in memory: listed once, then updated by its events. */
import type { ClaimLookup } from "../../core/claims.ts";
import { ServiceError } from "../../core/error.ts";
import type { Engine } from "../calls/engine.ts";
import { EngineAnswer } from "../calls/failure.ts";
import { at } from "../calls/path.ts";
import { listOf, objectOf } from "../calls/wire.ts";
import type { ContainerRow } from "../rows/container.ts";
import { type ImageRow, imageRow } from "../rows/image.ts";
import { ContainerMirror } from "./container_mirror.ts";
import type { About, RawEvent } from "./event_feed.ts";
import { ListedMirror } from "./listed_mirror.ts";
import { type NetworkRow, networkRow } from "../rows/network.ts";
import { SourcesAtStart } from "./sources_at_start.ts";
import { type VolumeRow, volumeRow } from "../rows/volume.ts";
import { boundedWait } from "../../core/pause.ts";

/** The kinds of objects that a mirror holds. */
const KINDS = ["containers", "images", "volumes", "networks"] as const;
export type Kind = typeof KINDS[number];

/** Of an engine that is up, and has not said what it has. */
export const SLOW = "it is slow to answer";

/** Milliseconds to wait for a complete mirror where containers are known, and another kind is not. */
const COMPLETE_MS = 2_000;

/** Events of a container that change nothing in its row. */
const NO_CHANGE = new Set([
  "exec_create",
  "exec_start",
  "exec_die",
  "exec_detach",
  "exec",
  "exec_died",
  "attach",
  "detach",
  "top",
  "resize",
  "archive-path",
  "extract-to-dir",
  "copy",
  "export",
  "logs",
]);

export class Mirror implements Disposable {
  readonly containers: ContainerMirror;
  readonly images: ListedMirror<ImageRow>;
  readonly volumes: ListedMirror<VolumeRow>;
  readonly networks: ListedMirror<NetworkRow>;
  readonly sourcesAtStart = new SourcesAtStart();

  /** Networks and images that containers have and the lists did not: these are read again once for each. */
  readonly #unlisted = new Set<string>();

  /** `failed` is called when containers cannot be read any more, `unlisted` when a list of another kind fails. */
  constructor(
    engine: Engine,
    failed: (error: unknown) => void,
    unlisted: (error: unknown) => void,
    claims?: ClaimLookup,
  ) {
    this.containers = new ContainerMirror(engine, failed, (row) => {
      // A first list tells of starts before berth was there.
      if (this.containers.known) this.sourcesAtStart.note(row);
      this.#lookForNetworks(row);
      this.#lookForImage(row);
    }, claims);
    this.images = new ListedMirror(engine, listImages, unlisted);
    this.volumes = new ListedMirror(engine, listVolumes, unlisted);
    this.networks = new ListedMirror(engine, listNetworks, unlisted);
  }

  /** Reads everything again. Rejects when the containers cannot be read; the other kinds have their `problem`. */
  async resync(): Promise<void> {
    const others = [this.images, this.volumes, this.networks].map((part) => part.resync());
    const complete = Promise.allSettled(others);
    await this.containers.resync();
    await boundedWait(complete, COMPLETE_MS);
  }

  /** Called every second: tries again what could not be read. */
  again(): void {
    this.#each((part) => part.again());
  }

  /** The reason for each kind whose rows are not current. */
  get behind(): Map<Kind, string> {
    return new Map(KINDS.flatMap((kind) => {
      const { problem, known } = this[kind];
      return problem === null && known ? [] : [[kind, problem ?? SLOW]];
    }));
  }

  /** Called every 30 s: looks for changes without an event. */
  compare(): void {
    this.#each((part) => part.compare());
  }

  clear(): void {
    this.#unlisted.clear();
    this.sourcesAtStart.clear();
    this.#each((part) => part.clear());
  }

  /** Marks what the event may have changed, to be read soon after. */
  handle({ type, action, id, attributes, timeNano }: RawEvent): void {
    switch (type) {
      case "container":
        if (action === "commit") this.images.told();
        if (NO_CHANGE.has(action)) return;
        if (id === "") this.containers.compare();
        else if (action === "stop") this.containers.toldStopped(id, timeNano / 1e6);
        else this.containers.told(id);
        return;
      case "image":
        if (action !== "save" && action !== "push") this.images.told();
        return;
      case "volume":
        if (action !== "mount" && action !== "unmount") this.volumes.told();
        return;
      case "network":
        if (action !== "connect" && action !== "disconnect") this.networks.told();
        else if (attributes.container !== undefined) this.containers.told(attributes.container);
        return;
      case "pod":
        this.containers.compare();
    }
  }

  /** Returns what is known of an event's object. */
  about({ type, id, attributes }: RawEvent): About {
    const container = type === "container" ? id : attributes.container;
    const row = type === "network"
      ? this.networks.rows.get(id)
      : type === "volume"
      ? this.volumes.rows.get(id)
      : undefined;
    return {
      container: container === undefined ? null : this.containers.rows.get(container) ?? null,
      labels: row?.labels ?? {},
    };
  }

  [Symbol.dispose](): void {
    this.#each((part) => part[Symbol.dispose]());
  }

  /** Podman tells nobody that a network was made; a container that has it does. */
  #lookForNetworks({ networks }: ContainerRow): void {
    for (const name of networks) {
      if (this.#isListed(name)) this.#unlisted.delete(name);
      else if (!this.#unlisted.has(name)) {
        this.#unlisted.add(name);
        this.networks.told();
      }
    }
  }

  /** An engine may tell nobody that an image was built; a container that is made of it does. */
  #lookForImage({ imageId }: ContainerRow): void {
    if (this.images.rows.get(imageId) !== undefined) this.#unlisted.delete(imageId);
    else if (this.images.known && !this.#unlisted.has(imageId)) {
      this.#unlisted.add(imageId);
      this.images.told();
    }
  }

  #isListed(name: string): boolean {
    for (const row of this.networks.rows.values()) if (row.name === name) return true;
    return false;
  }

  #each<Result>(act: (part: ContainerMirror | ListedMirror<unknown>) => Result): Result[] {
    return KINDS.map((kind) => act(this[kind]));
  }
}

async function listImages(engine: Engine): Promise<(readonly [string, ImageRow])[]> {
  const list = () =>
    engine.get(at`/images/json`, {
      doing: `list the images of engine "${engine.name}"`,
      firstByteMs: 30_000,
    });
  const answer = await list().catch((error) => {
    if (!isRemovedMeanwhile(error)) throw error;
    return list();
  });
  return rowsOf(answer, (item) => imageRow(item, engine.name), (row) => row.id);
}

/** Podman fails to list its images when one of them is removed at the same time. */
function isRemovedMeanwhile(error: unknown): boolean {
  return error instanceof ServiceError && error.cause instanceof EngineAnswer &&
    /\bimage not known\b/.test(error.cause.words);
}

async function listVolumes(engine: Engine): Promise<(readonly [string, VolumeRow])[]> {
  const answer = await engine.get(at`/volumes`, { doing: `list the volumes of engine "${engine.name}"` });
  return rowsOf(objectOf(answer).Volumes, (item) => volumeRow(item, engine.name), (row) => row.name);
}

async function listNetworks(engine: Engine): Promise<(readonly [string, NetworkRow])[]> {
  const answer = await engine.get(at`/networks`, { doing: `list the networks of engine "${engine.name}"` });
  return rowsOf(answer, (item) => networkRow(item, engine.name), (row) => row.id);
}

function rowsOf<Row>(
  answer: unknown,
  read: (item: unknown) => Row | null,
  key: (row: Row) => string,
): (readonly [string, Row])[] {
  return listOf(answer).slice(0, 100_000).flatMap((item) => {
    const row = read(item);
    return row === null ? [] : [[key(row), row] as const];
  });
}
