/** Loads what follows Git repositories with the first source: who has none pays nothing. */
import type { Registry } from "../artifacts/registry/registry.ts";
import type { Access } from "../auth/access.ts";
import type { Replicas } from "../core/replicas.ts";
import type { SourceStore } from "../core/source.ts";
import type { Store } from "../core/store.ts";
import type { Sources, SourcesOptions } from "../git/sources.ts";
import { ownSide } from "./artifact_lookup.ts";

interface SourceRoomOptions extends SourcesOptions {
  readonly store: SourceStore;
  /** True if other replicas may add a source. */
  readonly isShared: boolean;
}

/** Another replica's first source is noticed within this time. */
const LOOK_MS = 60_000;

export class SourceRoom implements AsyncDisposable {
  readonly #options: SourceRoomOptions;
  readonly #looking: ReturnType<typeof setInterval> | undefined;
  #sources: Promise<Sources> | null = null;
  #looked: Promise<void>;

  constructor(options: SourceRoomOptions) {
    this.#options = options;
    this.#looked = this.#look();
    if (!options.isShared) return;
    this.#looking = setInterval(() => void (this.#looked = this.#look()), LOOK_MS);
    Deno.unrefTimer(this.#looking);
  }

  /** Returns what follows them, loaded or not. */
  sources(): Promise<Sources> {
    return this.#sources ??= import("../git/sources.ts").then(({ Sources }) => new Sources(this.#options));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#looking);
    await this.#looked;
    await (await this.#sources)?.[Symbol.asyncDispose]();
  }

  async #look(): Promise<void> {
    if (this.#sources !== null) return;
    try {
      if ((await this.#options.store.list()).length > 0) await this.sources();
    } catch (error) {
      this.#options.log.warn("Sources cannot be read", { error });
    }
  }
}

interface OpenSources extends Pick<SourcesOptions, "runtime" | "environment" | "data" | "log" | "stopping"> {
  readonly store: Pick<Store, "sources" | "replicas">;
  readonly access: Pick<Access, "digests" | "clock" | "sourceSeal">;
  readonly registry: Registry;
  readonly replicas: Pick<Replicas, "turn">;
}

/** Opens the place of what follows repositories: empty until there is one. */
export function openSources({ store, access, registry, replicas, ...others }: OpenSources): SourceRoom {
  const { digests, clock, sourceSeal } = access;
  return new SourceRoom({
    ...others,
    store: store.sources,
    isShared: store.replicas !== null,
    registry,
    seal: sourceSeal,
    turn: (what, ms) => replicas.turn(what, ms),
    own: (workspace) => ownSide({ registry, digests }, workspace),
    now: () => clock.now(),
  });
}
