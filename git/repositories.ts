/** The repositories that workspaces follow, each with its copy, its credential, and what its commits would change. */
import type { Model } from "../artifacts/artifact.ts";
import type { WorkspaceFolder } from "../artifacts/registry/registry.ts";
import { isInside } from "../artifacts/files/inside.ts";
import type { ContainerRuntime } from "../core/runtime.ts";
import type { NewSource, SourceRecord, SourceSsh } from "../core/source.ts";
import type { TextSeal } from "../core/text_seal.ts";
import type { OwnSide } from "../projects/drift/contents.ts";
import { type Credential, isSsh } from "./address.ts";
import type { MountedPaths } from "./changes.ts";
import { type DeployKey, fingerprintOf, newDeployKey } from "./deploy_key.ts";
import { declaredMounts, Followed } from "./followed.ts";
import { SourceFailure } from "./failure.ts";
import { Mirror } from "./mirror.ts";
import type { Remote } from "./remote.ts";
import { refusedSource } from "./own_folder.ts";
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
  async credentialFor(wanted: NewSource, known: SourceRecord | null): Promise<Secret | null> {
    if (isSsh(wanted.url)) return await this.#deployKeyFor(wanted, known);
    if (wanted.credential !== undefined) return wanted.credential;
    return known === null || !isSameServer(wanted.url, known.url) ? null : await this.#secretOf(known);
  }

  async sealed(workspace: string, secret: Secret | null): Promise<Uint8Array | null> {
    return secret === null ? null : await this.#options.seal.seal(JSON.stringify(secret), placeOf(workspace));
  }

  /** Returns the open side of a repository behind ssh. Throws `source_refused` where its server cannot be known. */
  async sshOf(
    workspace: string,
    { url, hostKeys }: NewSource,
    known: SourceRecord | null,
    key: DeployKey,
  ): Promise<SourceSsh> {
    const pinned = known !== null && known.ssh !== null && isSameServer(url, known.url)
      ? keysOf(known.ssh)
      : null;
    const keys = hostKeys ?? (hostKeys === undefined ? pinned : null) ??
      await this.#hostKeysOf(workspace, url, key);
    return {
      publicKey: key.public,
      hostKeys: await Promise.all(keys.map(async (key) => {
        const fingerprint = await fingerprintOf(key);
        if (fingerprint === null) throw refusedSource(`"${key.slice(0, 60)}" is no key of a host`);
        return { key, fingerprint };
      })),
    };
  }

  /** Returns the keys that the server behind ssh shows. Throws `source_refused` where it shows none. */
  async #hostKeysOf(workspace: string, url: string, { secret }: DeployKey): Promise<string[]> {
    const ssh = { secret, hostKeys: [] };
    try {
      const remote = { url, branch: "main", credential: null, ssh };
      const keys = await this.#mirrorOf(workspace).hostKeys(remote);
      if (keys.length > 0) return keys;
    } catch (error) {
      if (!(error instanceof SourceFailure)) throw error;
      throw refusedSource(error.message);
    }
    throw refusedSource(
      "its server cannot be reached by ssh, so that its host key is not known; try again when it can",
    );
  }

  /** A key that is known is for its server alone. */
  async #deployKeyFor({ url }: NewSource, known: SourceRecord | null): Promise<DeployKey> {
    const before = known !== null && isSameServer(url, known.url) ? await this.#secretOf(known) : null;
    return before !== null && "secret" in before ? before : await newDeployKey("berth");
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

  async #remoteOf(record: SourceRecord): Promise<Remote> {
    const { url, branch, ssh } = record;
    const secret = await this.#secretOf(record);
    return secret !== null && "secret" in secret
      ? { url, branch, credential: null, ssh: { secret: secret.secret, hostKeys: keysOf(ssh) } }
      : { url, branch, credential: secret, ssh: null };
  }

  async #secretOf({ credential, workspace }: SourceRecord): Promise<Secret | null> {
    if (credential === null) return null;
    const text = await this.#options.seal.open(credential, placeOf(workspace));
    if (text === null) {
      throw new SourceFailure(
        "its credential was sealed with another key than this data folder has; set it again",
      );
    }
    return JSON.parse(text) as Secret; // as `sealed` wrote it
  }
}

const keysOf = (ssh: SourceSsh | null): string[] => ssh?.hostKeys.map(({ key }) => key) ?? [];

/** User and token, or a deploy key. */
type Secret = Credential | DeployKey;

const placeOf = (workspace: string) => `source/${workspace}`;

/** The origin of an address behind ssh is opaque, so its parts are compared. */
function isSameServer(one: string, other: string): boolean {
  const [first, second] = [URL.parse(one), URL.parse(other)];
  return first !== null && second !== null && first.protocol === second.protocol &&
    first.host === second.host;
}
