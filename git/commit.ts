/** Commits of single files, built on the branch's newest commit without a working tree: nothing else of it changes. */
import type { Mirror } from "./mirror.ts";
import type { TreeEntry } from "./tree.ts";

/** A file as it will be in the commit; null deletes it. */
export interface CommittedFile {
  /** Below the followed folder. */
  readonly path: string;
  readonly content: Uint8Array<ArrayBuffer> | null;
  readonly executable: boolean;
}

interface Author {
  readonly name: string;
  readonly email: string;
}

interface CommitOptions {
  readonly mirror: Mirror;
  /** The folder of the repository that is followed. */
  readonly folder: string;
  readonly parent: string;
  readonly files: readonly CommittedFile[];
  readonly message: string;
  readonly author: Author;
  readonly now: number;
}

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Returns the id of a commit that is in the copy alone. Throws `SourceFailure`. */
export async function buildCommit(options: CommitOptions): Promise<string> {
  const { mirror, folder, parent, files, message, author, now } = options;
  const own = await Deno.makeTempDir({ dir: mirror.objects.folder, prefix: "index-" });
  const env = { GIT_INDEX_FILE: `${own}/index` };
  try {
    await mirror.objects.write({ args: ["read-tree", parent], env });
    const lines: string[] = [];
    for (const { path, content, executable } of files) {
      const full = folder === "" ? path : `${folder}/${path}`;
      const id = content === null ? "0".repeat(parent.length) : await mirror.objects.write({
        args: ["hash-object", "-w", "--no-filters", "--stdin"],
        input: content,
      });
      const mode = content === null ? "0" : executable ? "100755" : "100644";
      lines.push(`${mode} ${id}\t${full}\0`);
    }
    await mirror.objects.write({
      args: ["update-index", "-z", "--index-info"],
      env,
      input: utf8(lines.join("")),
    });
    const tree = await mirror.objects.write({ args: ["write-tree"], env });
    const at = `${Math.floor(now / 1000)} +0000`;
    return await mirror.objects.write({
      args: ["commit-tree", tree, "-p", parent],
      input: utf8(message.endsWith("\n") ? message : `${message}\n`),
      env: {
        GIT_AUTHOR_NAME: author.name,
        GIT_AUTHOR_EMAIL: author.email,
        GIT_AUTHOR_DATE: at,
        GIT_COMMITTER_NAME: author.name,
        GIT_COMMITTER_EMAIL: author.email,
        GIT_COMMITTER_DATE: at,
      },
    });
  } finally {
    await Deno.remove(own, { recursive: true }).catch(() => {});
  }
}

/** Returns a name and an address that a commit can hold. */
export function authorOf(
  { name, email }: { readonly name: string; readonly email?: string | undefined },
): Author {
  const plain = (text: string) => text.replaceAll(/[<>\p{Cc}]+/gu, " ").trim();
  const shown = plain(name) || "berth";
  const local = shown.toLowerCase().replaceAll(/[^a-z0-9]+/g, ".").replaceAll(/^\.|\.$/g, "") || "berth";
  return { name: shown, email: plain(email ?? "") || `${local}@berth.invalid` };
}

/** True if the branch has one of the paths otherwise than the folder's commit, and than it is to become. */
export function isTouched(
  path: string,
  { synced, head }: {
    readonly synced: ReadonlyMap<string, TreeEntry> | null;
    readonly head: ReadonlyMap<string, TreeEntry>;
  },
  wanted: string | null,
): boolean {
  const before = synced?.get(path)?.id ?? null;
  const now = head.get(path)?.id ?? null;
  return now !== before && now !== wanted;
}
