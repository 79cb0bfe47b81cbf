/** The repositories that workspaces follow, each with its copy, its credential, and what its commits would change. */
import type { Model } from "../artifacts/artifact.ts";
import type { WorkspaceFolder } from "../artifacts/registry/registry.ts";
import { isInside } from "../artifacts/files/inside.ts";
import type { ContainerRuntime } from "../core/runtime.ts";
import type { NewSource, SourceRecord } from "../core/source.ts";
import type { TextSeal } from "../core/text_seal.ts";
import type { OwnSide } from "../projects/drift/contents.ts";
import type { Credential } from "./address.ts";
import type { MountedPaths } from "./changes.ts";
import { declaredMounts, Followed } from "./followed.ts";
import { Mirror, type Remote, SourceFailure } from "./mirror.ts";
import type { Git } from "./process.ts";

export interface RepositoriesOptions {
  readonly registry: {
    folder(id: string): Promise<WorkspaceFolder>;
    comparedModel(id: string): Promise<Model>;
  };
  readonly seal: TextSeal;
  readonly runtime: () => ContainerRuntime | null;
  readonly own: (workspace: string) => Promise<OwnSide>;
  /** berth's data folder. */
  readonly data: string;
}

export class Repositories {
  readonly #options: RepositoriesOptions;
  readonly #git: Git;
  readonly #signal: AbortSignal;
  readonly #followed = new Map<string, { readonly key: string; readonly followed: Followed }>();

  constructor(options: RepositoriesOptions, git: Git, signal: AbortSignal) {
    this.#options = options;
    this.#git = git;
    this.#signal = signal;
  }

  async follow(record: SourceRecord): Promise<Followed> {
    const { registry, own } = this.#options;
    const { workspace } = record;
    const folder = await registry.folder(workspace);
    const key = JSON.stringify([folder, record.url, record.branch, record.folder]);
    const known = this.#followed.get(workspace);
    if (known?.key === key) return known.followed;
    const followed = new Followed({
      mirror: this.#mirrorOf(workspace),
      folder,
      remoteOf: (record) => this.#remoteOf(record),
      model: () => registry.comparedModel(workspace),
      own: () => own(workspace),
      mounted: (models) => this.#mounted(folder.root, models),
    });
    this.#followed.set(workspace, { key, followed });
    return followed;
  }

  /** Deletes the copy. */
  async forget(workspace: string): Promise<void> {
    this.#followed.delete(workspace);
    await this.#mirrorOf(workspace).remove();
  }

  /** Returns the wanted credential, or the one that is known: that is for its server alone. */
  async credentialFor(wanted: NewSource, known: SourceRecord | null): Promise<Credential | null> {
    if (wanted.credential !== undefined) return wanted.credential;
    const isSameServer = known !== null && URL.parse(wanted.url)?.origin === new URL(known.url).origin;
    return isSameServer ? (await this.#remoteOf(known)).credential : null;
  }

  async sealed(workspace: string, credential: Credential | null): Promise<Uint8Array | null> {
    return credential === null
      ? null
      : await this.#options.seal.seal(JSON.stringify(credential), placeOf(workspace));
  }

  #mirrorOf(workspace: string): Mirror {
    return new Mirror({
      git: this.#git,
      folder: `${this.#options.data}/git/${workspace}.git`,
      signal: this.#signal,
    });
  }

  /** Returns the paths below the root that containers mount, as engines tell it and as models declare it. */
  async #mounted(root: string, models: readonly Model[]): Promise<MountedPaths> {
    const found = declaredMounts(models);
    const holdings = await this.#options.runtime()?.holdings().catch(() => null) ?? null;
    for (const { path } of holdings?.boundPaths ?? []) {
      if (path === root) found.add("");
      else if (isInside(path, root)) found.add(path.slice(root === "/" ? 1 : root.length + 1));
    }
    return found;
  }

  async #remoteOf({ url, branch, credential, workspace }: SourceRecord): Promise<Remote> {
    if (credential === null) return { url, branch, credential: null };
    const text = await this.#options.seal.open(credential, placeOf(workspace));
    if (text === null) {
      throw new SourceFailure(
        "its credential was sealed with another key than this data folder has; set it again",
      );
    }
    return { url, branch, credential: JSON.parse(text) as Credential }; // as `sealed` wrote it
  }
}

const placeOf = (workspace: string) => `source/${workspace}`;
