/** A bare copy of a repository in berth's data folder: a cache, which is deleted and fetched again when it is damaged or too large. */
import { checkedAddress, isSsh, optionsFor } from "./address.ts";
import { failureOf, SourceFailure } from "./failure.ts";
import { callableAddresses, OutboundFailure } from "../core/outbound.ts";
import type { Remote } from "./remote.ts";
import { overSsh, type Reached, type SshKeys } from "./ssh.ts";
import { DEPTH, Objects, READ_MS } from "./objects.ts";
import type { Git, GitCall, GitResult } from "./process.ts";

interface MirrorOptions {
  readonly git: Git;
  /** The folder of the bare repository; berth's own. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Returns the addresses of a name; that of the system unless given. */
  readonly resolve?: (hostname: string, signal: AbortSignal) => Promise<string[]>;
  /** Bytes that it may take. */
  readonly mostBytes?: number;
}

const CHECK_MS = 60_000;
const FETCH_MS = 5 * 60_000;
const MOST_BYTES = 512 * 1024 * 1024;
const WATCH_MS = 250;
const FETCH = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"];
const HEAD = "refs/heads/berth";
const ID = /^[0-9a-f]{40}$|^[0-9a-f]{64}$/;

/** The copies that this process has tidied up, or is tidying up: every call waits for that before it writes a key. */
const tidied = new Map<string, Promise<void>>();

export class Mirror {
  readonly #options: MirrorOptions;
  /** All that was fetched. */
  readonly objects: Objects;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.objects = new Objects(options);
  }

  /** Asks the server for the branch's commit. Throws `SourceFailure`. */
  async remoteHead(remote: Remote): Promise<string> {
    await this.#open();
    await using to = await this.#reach(remote);
    const result = await this.#run({
      args: ["ls-remote", "--", to.address, `refs/heads/${remote.branch}`],
      timeoutMs: CHECK_MS,
      most: 1024 * 1024,
      config: to.config,
      env: to.env,
    }, remote);
    const line = textOf(result).split("\n").find((one) => one.endsWith(`\trefs/heads/${remote.branch}`));
    const id = line?.split("\t")[0] ?? "";
    if (!ID.test(id)) {
      throw new SourceFailure(`the repository has no branch "${remote.branch}"`);
    }
    return id;
  }

  /** Fetches the branch, so that the commit is there. Throws `SourceFailure`. */
  async fetchHead(remote: Remote, head: string): Promise<void> {
    if (await this.objects.has(head)) return;
    const isFirst = !await this.#hasAny();
    await this.#fetch(remote, [
      ...(isFirst ? [`--depth=${DEPTH}`] : []),
    ], `+refs/heads/${remote.branch}:${HEAD}`);
    if (await this.objects.has(head)) return;
    // The branch moved on meanwhile, or back: the commit itself is asked for.
    await this.#fetch(remote, [], head);
  }

  /** Fetches one commit by its id; false where the server does not give it. */
  async fetchCommit(remote: Remote, id: string): Promise<boolean> {
    if (await this.objects.has(id)) return true;
    try {
      await this.#fetch(remote, ["--depth=1"], id);
    } catch (error) {
      if (error instanceof SourceFailure) return false;
      throw error;
    }
    return await this.objects.has(id);
  }

  /** Pushes a commit. Throws `SourceFailure`, which says if the branch has moved. */
  async push(remote: Remote, commit: string, branch: string, isNew: boolean): Promise<void> {
    await this.#tidy();
    await using to = await this.#reach(remote);
    const ref = `refs/heads/${branch}`;
    // What is expected of a new branch is that nothing has its name.
    const lease = isNew ? [`--force-with-lease=${ref}:`] : [];
    const args = ["push", "--quiet", "--no-verify", ...lease, "--", to.address, `${commit}:${ref}`];
    await this.#run({ args, timeoutMs: FETCH_MS, most: 1024 * 1024, config: to.config, env: to.env }, remote);
  }

  /** Deletes all of it. */
  async remove(): Promise<void> {
    await Deno.remove(this.#options.folder, { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }

  async #open(): Promise<void> {
    const { folder } = this.#options;
    await this.#tidy();
    try {
      if ((await Deno.stat(`${folder}/objects`)).isDirectory) return;
    } catch {
      // It is new, or damaged.
    }
    await this.remove();
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    const result = await this.#run({
      args: ["init", "--quiet", "--bare", "--template=", folder],
      timeoutMs: READ_MS,
      most: 10_000,
    }, null);
    if (result.code !== 0) throw failureOf(result, null);
  }

  async #tidy(): Promise<void> {
    const { folder } = this.#options;
    const tidying = tidied.get(folder) ?? removeLeft(folder);
    tidied.set(folder, tidying);
    await tidying.catch((error) => {
      tidied.delete(folder);
      throw error;
    });
  }

  async #hasAny(): Promise<boolean> {
    return (await this.objects.read({ args: ["rev-parse", "--verify", "--quiet", HEAD], most: 1_000 }))
      .code === 0;
  }

  async #fetch(remote: Remote, options: readonly string[], what: string): Promise<void> {
    await this.#open();
    await removeCut(`${this.#options.folder}/objects/pack`);
    await using to = await this.#reach(remote);
    const limit = this.#options.mostBytes ?? MOST_BYTES;
    const tooLarge = new AbortController();
    const watching = setInterval(async () => {
      if (await sizeOf(`${this.#options.folder}/objects`) > limit) tooLarge.abort();
    }, WATCH_MS);
    try {
      await this.#run({
        args: [...FETCH, ...options, "--", to.address, what],
        timeoutMs: FETCH_MS,
        most: 1024 * 1024,
        env: to.env,
        config: [
          ...to.config,
          ["fetch.unpackLimit", "1"],
          ["transfer.unpackLimit", "1"],
        ],
        signal: tooLarge.signal,
      }, remote);
    } catch (error) {
      if (!tooLarge.signal.aborted) throw error;
    } finally {
      clearInterval(watching);
    }
    if (tooLarge.signal.aborted || await sizeOf(`${this.#options.folder}/objects`) > limit) {
      await this.remove();
      throw new SourceFailure(`the repository takes over ${Math.round(limit / 1024 / 1024)} MiB`);
    }
  }

  /** Returns the keys that the server shows; none where it cannot be reached. */
  async hostKeys(remote: Remote & { readonly ssh: SshKeys }): Promise<string[]> {
    await this.#pinned(remote);
    await this.#open();
    await using to = await overSsh(remote.url, { ...remote.ssh, hostKeys: [] }, this.#options.folder);
    const call = { args: ["ls-remote", "--", to.address], timeoutMs: CHECK_MS, most: 1024 * 1024 };
    try {
      await this.#run({ ...call, config: to.config, env: to.env }, remote);
    } catch (error) {
      // The deploy key is not known there yet: the server's own was seen before.
      if (!(error instanceof SourceFailure)) throw error;
    }
    return await to.seenKeys();
  }

  async #reach({ url, credential, ssh }: Remote): Promise<Reached> {
    if (ssh !== null) return await overSsh(url, ssh, this.#options.folder);
    return {
      address: checkedAddress(url, credential !== null),
      config: optionsFor(url, credential),
      env: {},
      seenKeys: () => Promise.resolve([]),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }

  /** Throws `SourceFailure` with the last that git said. */
  async #run(call: Omit<GitCall, "folder">, remote: Remote | null): Promise<GitResult> {
    const { git, folder, signal } = this.#options;
    const pinned = remote === null ? [] : await this.#pinned(remote);
    const signals = call.signal === undefined ? [signal] : [signal, call.signal];
    const result = await git.run({
      ...call,
      config: [...call.config ?? [], ...pinned],
      folder,
      signal: AbortSignal.any(signals),
      isRemote: remote !== null,
    });
    if (result.code !== 0 || result.ended !== "itself") throw failureOf(result, remote);
    return result;
  }

  /** Returns the option that lets git call the addresses that were looked at, and look no name up by itself. */
  async #pinned({ url }: Remote): Promise<(readonly [name: string, value: string])[]> {
    const { git, signal, resolve } = this.#options;
    const { hostname, port, protocol } = new URL(url);
    try {
      const found = await callableAddresses(hostname, signal, resolve);
      const addresses = found.map((one) => one.includes(":") ? `[${one}]` : one).join(",");
      // Another address of a host behind ssh does not have its key.
      if (isSsh(url)) return [];
      const isName = addresses !== "" && found.every((one) => one !== hostname.replace(/^\[|\]$/g, ""));
      if (isName && !await git.mayPin()) {
        throw new SourceFailure("git is too old to call a name safely: install git of at least 2.37");
      }
      const at = port || (protocol === "https:" ? "443" : "80");
      return isName ? [["http.curloptResolve", `${hostname}:${at}:${addresses}`]] : [];
    } catch (error) {
      if (error instanceof OutboundFailure) throw new SourceFailure(error.message);
      throw error;
    }
  }
}

const textOf = ({ output }: GitResult): string => new TextDecoder().decode(output);

/** Bytes of the files in a folder and one level of folders below it. */
async function sizeOf(folder: string): Promise<number> {
  let sum = 0;
  const queue = [folder];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    try {
      for await (const { name, isDirectory } of Deno.readDir(at)) {
        const path = `${at}/${name}`;
        if (isDirectory) queue.push(path);
        else sum += (await Deno.lstat(path)).size;
      }
    } catch {
      // A file that git renamed or removed meanwhile.
    }
  }
  return sum;
}

/** Removes packs that cut fetches left unfinished. One that is younger than a fetch may take is another's. */
async function removeCut(folder: string): Promise<void> {
  try {
    for await (const { name, isFile } of Deno.readDir(folder)) {
      if (!isFile || !name.startsWith("tmp_")) continue;
      const { mtime } = await Deno.lstat(`${folder}/${name}`);
      if (mtime !== null && mtime.getTime() < Date.now() - 2 * FETCH_MS) {
        await Deno.remove(`${folder}/${name}`);
      }
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Removes the deploy keys, lists of signers and indexes of calls that were killed with their berth: the copy is this process's alone. */
async function removeLeft(folder: string): Promise<void> {
  try {
    for await (const { name } of Deno.readDir(folder)) {
      if (/^(?:ssh|index|signers)-/.test(name)) await Deno.remove(`${folder}/${name}`, { recursive: true });
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
