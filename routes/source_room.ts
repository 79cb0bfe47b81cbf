/** Loads what follows Git repositories with the first source: who has none pays nothing. */
import type { FileEditor } from "../artifacts/registry/file_editor.ts";
import type { Registry } from "../artifacts/registry/registry.ts";
import type { Access } from "../auth/access.ts";
import { auditEntry } from "../auth/audit/audit.ts";
import type { Replicas } from "../core/replicas.ts";
import type { SourceStore } from "../core/source.ts";
import type { NewAuditEntry, Store } from "../core/store.ts";
import type { Sources, SourcesOptions } from "../git/sources.ts";
import type { Plugins } from "../plugins/host.ts";
import { ownSide } from "./artifact_lookup.ts";
import type { AutoEntry } from "./auto_apply.ts";
import type { Planning } from "./unattended_apply.ts";

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

  /** Deletes the copy of the repository of a workspace that is no more; with none loaded there are no copies. */
  async forget(workspace: string): Promise<void> {
    await (await this.#sources)?.forget(workspace);
  }

  /** True while a commit is half written into the folder, by whichever replica. */
  async isSyncing(workspace: string): Promise<boolean> {
    return ((await this.#options.store.get(workspace))?.syncing ?? null) !== null;
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

interface OpenSources extends Pick<SourcesOptions, "environment" | "data" | "log" | "stopping"> {
  readonly store: Pick<Store, "sources" | "replicas">;
  readonly access: Pick<Access, "digests" | "clock" | "sourceSeal" | "holderNow">;
  readonly registry: Registry;
  readonly editor: Pick<FileEditor, "keep">;
  readonly replicas: Pick<Replicas, "turn">;
  readonly plugins: Pick<Plugins, "runtime">;
  /** The parts by which groups are planned and applied; asked for once there is something to apply. */
  readonly planning: () => Planning;
}

/** Opens the place of what follows repositories: empty until there is one. */
export function openSources(
  { store, access, registry, editor, replicas, plugins, planning, ...others }: OpenSources,
): SourceRoom {
  const { digests, clock, sourceSeal } = access;
  return new SourceRoom({
    ...others,
    store: store.sources,
    runtime: () => plugins.runtime,
    isShared: store.replicas !== null,
    registry,
    seal: sourceSeal,
    turn: (what, ms) => replicas.turn(what, ms),
    keep: (of, text) => editor.keep(of, text),
    entryOf: (told) => entryOf(told, clock.now()),
    holder: (by) => access.holderNow(by),
    isRunning: async (_workspace, project) =>
      await (await import("./auto_apply.ts")).isProjectRunning(plugins.runtime, project),
    applyGroup: async (asked) => {
      const autoEntry: AutoEntry = (asked, told) => autoEntryOf(asked, told, clock.now());
      return await (await import("./auto_apply.ts")).applyPushed({ ...planning(), autoEntry }, asked);
    },
    own: (workspace) => ownSide({ registry, digests }, workspace),
    now: () => clock.now(),
  });
}

/** Returns the entry for the end of a sync, of whoever asked for it. */
function entryOf(
  { workspace, by, from, to, result, files }: Parameters<SourcesOptions["entryOf"]>[0],
  at: number,
): NewAuditEntry {
  return auditEntry({
    at,
    actor: by,
    action: "source.sync",
    target: `/api/workspaces/${workspace}/source`,
    particulars: { workspace, from: from ?? "nothing", to, files: String(files), result },
    result: result === "failed" ? "git_failed" : "done",
  });
}

/** Returns the entry for a plan or an apply by the policy `auto`, of the user or key that it acts for. */
function autoEntryOf(
  { workspace, group, commit, principal: { kind, id, name } }: Parameters<AutoEntry>[0],
  told: Readonly<Record<string, string>>,
  at: number,
): NewAuditEntry {
  return auditEntry({
    at,
    actor: { kind, id, name },
    action: "source.auto",
    target: `/api/workspaces/${workspace}/source`,
    particulars: { workspace, group: group.name, commit, via: "policy", ...told },
  });
}
