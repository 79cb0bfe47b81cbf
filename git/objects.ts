/** The commits, trees and contents of a copy, read and written without a call to its server. */
import { failureOf, plain, SourceFailure } from "./failure.ts";
import type { Git, GitCall, GitResult } from "./process.ts";
import { LONGEST_TARGET, readTree, RefusedTree, targetInside, type Tree } from "./tree.ts";

/** A commit as it is listed. */
export interface ListedCommit {
  readonly id: string;
  readonly author: string;
  /** RFC 3339. */
  readonly at: string;
  readonly subject: string;
}

interface ObjectsOptions {
  readonly git: Git;
  /** The folder of the bare repository. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** The timeout of a call that needs no server, in milliseconds. */
export const READ_MS = 60_000;
/** Commits of the first fetch, and commits that are listed. */
export const DEPTH = 50;
const LISTING_BYTES = 32 * 1024 * 1024;
const BLOBS_BYTES = 300 * 1024 * 1024;
/** Trees and lists of commits that are remembered: of the synced commit and of the newest. */
const MOST_KNOWN = 2;

export class Objects {
  readonly #options: ObjectsOptions;
  /** Commits that were found while the packs were as they are: git is not started for them again. */
  #found: { readonly packs: string; readonly commits: Set<string> } | null = null;
  /** Trees by commit and folder: they never change. */
  readonly #trees = new Map<string, Tree>();
  /** Commits that lead from one to another: they never change. */
  readonly #listed = new Map<string, ListedCommit[]>();

  constructor(options: ObjectsOptions) {
    this.#options = options;
  }

  get folder(): string {
    return this.#options.folder;
  }

  async has(commit: string): Promise<boolean> {
    const packs = await this.#packs();
    if (packs !== null && this.#found?.packs === packs && this.#found.commits.has(commit)) return true;
    const { code } = await this.read({ args: ["cat-file", "-e", `${commit}^{commit}`], most: 1_000 });
    if (code === 0 && packs !== null) {
      if (this.#found?.packs !== packs) this.#found = { packs, commits: new Set() };
      this.#found.commits.add(commit);
    }
    return code === 0;
  }

  /** False where an object of what was fetched last is missing or cannot be read; true where that takes too long to say. */
  async isWhole(): Promise<boolean> {
    const { code, ended } = await this.read({
      args: ["rev-list", "--objects", "--quiet", "--all"],
      most: 10_000,
    });
    return code === 0 || ended !== "itself";
  }

  /** Returns the state of the folder in which objects lie: another one once any came or went. */
  async #packs(): Promise<string | null> {
    try {
      const { ino, mtime } = await Deno.stat(`${this.folder}/objects/pack`);
      return `${ino} ${mtime?.getTime()}`;
    } catch {
      return null;
    }
  }

  /** True if the branch at `to` contains `from`. */
  async contains(from: string, to: string): Promise<boolean> {
    return (await this.read({ args: ["merge-base", "--is-ancestor", from, to], most: 1_000 })).code === 0;
  }

  /** Returns the commits that lead to `to`, the newest first: those after `from`, where it is given. */
  async commits(from: string | null, to: string): Promise<ListedCommit[]> {
    const range = from === null ? to : `${from}..${to}`;
    const known = this.#listed.get(range);
    if (known !== undefined) return known;
    const result = await this.read({
      args: [
        "log",
        "-z",
        `--max-count=${DEPTH}`,
        "--no-show-signature",
        "--format=%H%x01%an%x01%aI%x01%s",
        range,
        "--",
      ],
      most: 1024 * 1024,
    });
    if (result.code !== 0) throw failureOf(result, null);
    const commits = textOf(result).split("\0").filter((one) => one !== "").map((record) => {
      const [id = "", author = "", at = "", subject = ""] = record.split("\x01");
      return { id: id.trim(), author: plain(author), at, subject: plain(subject) };
    });
    remember(this.#listed, range, commits);
    return commits;
  }

  /** Returns the tree of a commit below a folder of it. Throws `SourceFailure` for one that no folder may hold. */
  async tree(commit: string, folder: string): Promise<Tree> {
    const key = `${commit}:${folder}`;
    const known = this.#trees.get(key);
    if (known !== undefined) return known;
    const tree = await this.#readTree(commit, folder);
    remember(this.#trees, key, tree);
    return tree;
  }

  async #readTree(commit: string, folder: string): Promise<Tree> {
    const result = await this.read({
      args: ["ls-tree", "-r", "-z", "-l", "--full-tree", `${commit}:${folder}`],
      most: LISTING_BYTES,
    });
    if (result.ended === "tooMuch") throw new SourceFailure(refusedTree(commit, "it has too many files"));
    if (result.code !== 0) {
      throw new SourceFailure(
        folder === ""
          ? `commit ${short(commit)} cannot be read`
          : `commit ${short(commit)} has no folder "${folder}"`,
      );
    }
    return await this.#withLinks(commit, judged(commit, () => readTree(result.output)));
  }

  /** Returns contents by their ids, in one call. */
  async blobs(ids: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    const wanted = [...new Set(ids)];
    if (wanted.length === 0) return found;
    const { output, code, ended } = await this.read({
      args: ["cat-file", "--batch"],
      input: new TextEncoder().encode(`${wanted.join("\n")}\n`),
      most: BLOBS_BYTES,
    });
    if (code !== 0 || ended !== "itself") {
      throw new SourceFailure("the copy of the repository cannot be read");
    }
    let at = 0;
    for (const id of wanted) {
      const end = output.indexOf(10, at);
      const [name, kind, size] = new TextDecoder().decode(output.subarray(at, end)).split(" ");
      if (name !== id || kind !== "blob") throw new SourceFailure("the copy of the repository lacks a file");
      const start = end + 1;
      found.set(id, output.slice(start, start + Number(size)));
      at = start + Number(size) + 1;
    }
    return found;
  }

  /** Runs a call that writes objects. Returns what git says, which is an id or nothing. Throws `SourceFailure`. */
  async write(call: Pick<GitCall, "args" | "input" | "env">): Promise<string> {
    const result = await this.read({ ...call, most: 10_000 });
    if (result.code !== 0 || result.ended !== "itself") throw failureOf(result, null);
    return textOf(result).trim();
  }

  /** Runs a call that needs no server. */
  async read(call: Omit<GitCall, "folder" | "timeoutMs">): Promise<GitResult> {
    const { git, folder, signal } = this.#options;
    return await git.run({ ...call, folder, timeoutMs: READ_MS, signal });
  }

  /** Leaves out the links that lead out of the folder. */
  async #withLinks(commit: string, { entries, skipped }: Tree): Promise<Tree> {
    const links = [...entries.values()].filter(({ kind }) => kind === "link");
    if (links.length === 0) return { entries, skipped };
    const long = links.find(({ size }) => size > LONGEST_TARGET);
    if (long !== undefined) {
      throw new SourceFailure(refusedTree(commit, `the link "${long.path}" is too long`));
    }
    const targets = await this.blobs(links.map(({ id }) => id));
    const kept = new Map(entries);
    const outside = links.filter(({ path, id }) =>
      targetInside(path, new TextDecoder().decode(targets.get(id))) === null
    );
    for (const { path } of outside) kept.delete(path);
    return {
      entries: kept,
      skipped: [
        ...skipped,
        ...outside.map(({ path }) => ({ path, why: "the link leads out of the folder" })),
      ],
    };
  }
}

function remember<T>(known: Map<string, T>, key: string, value: T): void {
  known.set(key, value);
  if (known.size > MOST_KNOWN) known.delete(known.keys().next().value!);
}

export const short = (commit: string): string => commit.slice(0, 8);

const textOf = ({ output }: GitResult): string => new TextDecoder().decode(output);

const refusedTree = (commit: string, why: string) => `commit ${short(commit)} is refused: ${why}`;

function judged<T>(commit: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RefusedTree) throw new SourceFailure(refusedTree(commit, error.message));
    throw error;
  }
}
