/** Sources: the branch of a Git repository that a workspace follows, as the store keeps it and as callers see it. */
import * as z from "./schema.ts";
import type { AuditActor, NewAuditEntry } from "./audit_entry.ts";

const SOURCE_POLICIES = ["manual", "auto"] as const;

/** A sync that has begun: the commit before, the one that is written, and the paths that are written in place. */
export interface Syncing {
  readonly from: string | null;
  readonly to: string;
  readonly inPlace: readonly string[];
  /** Conflicting paths that stay as they are. */
  readonly keep: readonly string[];
  /** Conflicting paths that are overwritten, each with the id of the content that it had. */
  readonly overwrite: Readonly<Record<string, string>>;
  /** The policy once it is done; an earlier berth wrote none. */
  readonly policy?: SourceRecord["policy"];
}

/** The state of a source that changes by itself. */
interface SourceState {
  /** The newest commit that was fetched and may be written; null before the first. */
  readonly head: string | null;
  /** When a check last ended; null before the first. */
  readonly checkedAt: number | null;
  /** The reason why the last check failed; null if it did not. */
  readonly error: string | null;
  /** Checks that failed one after the other. */
  readonly failures: number;
}

/** A group that a commit changes or adds, and that is still to be applied. */
export interface TodoGroup {
  readonly name: string;
  /** True if the commit adds it. */
  readonly isNew: boolean;
  /** The ids of units that the commit adds to it. */
  readonly added: readonly string[];
}

/** What the policy `auto` still has to do after its last sync. */
interface SourceTodo {
  readonly groups: readonly TodoGroup[];
  /** True if the first of them did not end well: all wait for the next commit. */
  readonly isTried: boolean;
}

/** An address that a forge calls after a push, and the secret that it signs with. */
interface SourceHook {
  /** The last part of its address. */
  readonly id: string;
  /** The secret, sealed. */
  readonly secret: Uint8Array;
}

/** A repository behind ssh: the open part of the deploy key, and the keys that its server must show. */
export interface SourceSsh {
  readonly publicKey: string;
  /** As `ssh-ed25519 AAAA…`, each with its fingerprint. */
  readonly hostKeys: readonly { readonly key: string; readonly fingerprint: string }[];
}

/** A key that may sign commits. */
export interface SourceSigner {
  /** As `ssh-ed25519 AAAA…`. */
  readonly key: string;
  /** The comment behind the key; may be empty. */
  readonly name: string;
  readonly fingerprint: string;
}

export interface SourceRecord extends SourceState {
  /** The workspace's id. */
  readonly workspace: string;
  readonly url: string;
  readonly branch: string;
  /** Below the root of the repository; empty for all of it. */
  readonly folder: string;
  readonly policy: (typeof SOURCE_POLICIES)[number];
  /** The person or key that set it. */
  readonly by: Pick<AuditActor, "kind" | "id" | "name">;
  readonly createdAt: number;
  /** Null for a repository that is not behind ssh. */
  readonly ssh: SourceSsh | null;
  /** Keys of which one must have signed a commit before it is taken; empty takes every commit. */
  readonly signers: readonly SourceSigner[];
  /** User and token, or the deploy key, sealed. */
  readonly credential: Uint8Array | null;
  /** The commit that the folder was last brought to; null before the first sync. */
  readonly synced: string | null;
  readonly syncing: Syncing | null;
  readonly hook: SourceHook | null;
  /** The reason why the policy `auto` waits for a person; null if it does not. */
  readonly waiting: string | null;
  readonly todo: SourceTodo | null;
}

/** They go with their workspace. */
export interface SourceStore {
  /** Returns all of them, by their workspaces' ids. */
  list(): Promise<SourceRecord[]>;
  get(workspace: string): Promise<SourceRecord | null>;
  /**
   * Adds it, or puts it in place of the one that is there, with all of its state. Throws `workspace_not_found`, and
   * `source_refused` when there are `most` already.
   */
  put(record: SourceRecord, most: number, entry: NewAuditEntry): Promise<void>;
  /** Returns the source that has a hook with this id. */
  ofHook(id: string): Promise<SourceRecord | null>;
  /** Gives it a hook in place of the one before, or none. Returns false if the source is gone. */
  setHook(workspace: string, hook: SourceHook | null, entry: NewAuditEntry): Promise<boolean>;
  /** Returns false if there was none. */
  remove(workspace: string, entry: NewAuditEntry): Promise<boolean>;
  /**
   * Notes what a check found of the source that was set then, and nothing if it has been set anew since. Housekeeping:
   * nothing that anybody asked for changes.
   */
  note(of: Pick<SourceRecord, "workspace" | "createdAt">, state: SourceState): Promise<void>;
  /**
   * Notes what the policy `auto` waits for, and what it still has to do; nothing if the source has been set anew since.
   * Housekeeping.
   */
  setAuto(
    of: Pick<SourceRecord, "workspace" | "createdAt">,
    state: Pick<SourceRecord, "waiting" | "todo">,
  ): Promise<void>;
  /** Begins or ends a sync. Returns false if the source is gone. */
  sync(
    workspace: string,
    state: Pick<SourceRecord, "synced" | "syncing" | "policy">,
    entry: NewAuditEntry,
  ): Promise<boolean>;
}

const Commit = z.string().regex(/^[0-9a-f]{40}$|^[0-9a-f]{64}$/, "Expected the whole id of a commit").meta({
  id: "CommitId",
  examples: ["9f3e77d1c0b54a8e2f6d7b1a3c5e9d8f0a2b4c6e"],
});

const SourceCredential = z.strictObject({
  user: z.string().max(200).regex(/^[^:\p{Cc}]*$/u, "Expected no colon and no control characters")
    .meta({ pattern: String.raw`^[^:\x00-\x1f\x7f-\x9f]*$` })
    .default("git").describe("The user's name; most servers take any"),
  token: z.string().min(1).max(4_000).regex(/^[!-~]+$/, "Expected printable ASCII without spaces")
    .describe("A token that may read the repository; kept encrypted, and never shown"),
}).meta({ id: "SourceCredential" });

export const NewSource = z.strictObject({
  url: z.string().min(1).max(2_000).describe(
    "The repository's address: https://, ssh:// with a deploy key that berth makes, or http:// without a credential",
  ),
  branch: z.string().min(1).max(200).describe("The branch to follow"),
  folder: z.string().max(1_000).default("").describe(
    "Only this folder of the repository; all of it unless given",
  ),
  policy: z.enum(SOURCE_POLICIES).default("manual").describe(
    "`manual`: files are written when somebody syncs; `auto`: each new commit is synced and applied with the rights that " +
      "the user or key who set this has at that time",
  ),
  credential: SourceCredential.nullable().optional().describe(
    "Null for none; left out, the one that is known stays if the server is the same",
  ),
  hostKeys: z.array(z.string().max(5_000)).min(1).max(10).nullable().optional().describe(
    "Behind ssh: the keys that the server must show, as `ssh-ed25519 AAAA…`. Null for those that it shows now; left out, " +
      "those that are known stay if the server is the same",
  ),
  signers: z.array(z.string().trim().min(1).max(5_000).meta({ pattern: String.raw`\S` })).max(50).nullable()
    .optional().describe(
      "The SSH keys of those who may sign commits, as `ssh-ed25519 AAAA… ada`: a commit that none of them has signed is " +
        "not taken. Null or none for every commit; left out, those that are known stay",
    ),
}).meta({ id: "NewSource", examples: [{ url: "https://git.example/ada/home.git", branch: "main" }] });
export type NewSource = z.infer<typeof NewSource>;

const SourceStateName = z.enum(["unchecked", "synced", "behind", "syncing", "waiting", "conflict", "failed"])
  .meta({
    id: "SourceStateName",
  });

const SourceCommit = z.object({
  id: Commit.describe("Its id"),
  author: z.string().describe("The name of its author"),
  at: z.string().describe("RFC 3339"),
  subject: z.string().describe("The first line of its message"),
}).meta({ id: "SourceCommit" });

export const SourceGroup = z.object({
  name: z.string().describe("The group's name"),
  project: z.string().describe("The Compose project"),
  change: z.enum(["changed", "added", "removed"]).meta({ id: "SourceChange" })
    .describe("The effect of the commit on it"),
  files: z.array(z.string()).describe(
    "The changed files that it is made of or mounts, below the workspace's folder",
  ),
  file: z.string().nullable().describe("The first of them with a changed line; null where none is text"),
  line: z.int().nullable().describe("The line in the new text, from 1"),
}).meta({ id: "SourceGroup" });
export type SourceGroup = z.infer<typeof SourceGroup>;

const SourcePath = z.object({
  path: z.string().describe("Below the workspace's folder"),
  why: z.string().describe("The reason"),
}).meta({ id: "SourcePath" });

export const SyncRequest = z.strictObject({
  commit: Commit.describe("The commit to write: the newest, or an earlier one of `history`"),
  keep: z.array(z.string().min(1).max(4_000)).max(20_000).default([])
    .describe("Conflicting paths that stay as they are"),
  overwrite: z.array(z.string().min(1).max(4_000)).max(20_000).default([])
    .describe("Conflicting paths that are overwritten; their texts are kept as file versions"),
}).meta({ id: "SyncRequest", examples: [{ commit: "9f3e77d1c0b54a8e2f6d7b1a3c5e9d8f0a2b4c6e" }] });
export type SyncRequest = z.infer<typeof SyncRequest>;

const SourceUncommitted = z.object({
  path: z.string().describe("Below the workspace's folder"),
  change: z.enum(["changed", "deleted", "added"]).meta({ id: "UncommittedChange" }).describe(
    "`added`: berth reads it as a project or a card, and the commit lacks it",
  ),
}).meta({ id: "SourceUncommitted" });

export const CommitRequest = z.strictObject({
  paths: z.array(z.string().min(1).max(4_000)).min(1).max(1_000)
    .describe("The files to commit as they are in the folder, and those that are gone from it"),
  message: z.string().trim().min(1).max(10_000).regex(
    /^[^\0-\x08\x0b-\x1f\x7f]*$/,
    "Expected no control characters",
  )
    // Spaces alone are no message.
    .meta({ pattern: String.raw`^[^\x00-\x08\x0b-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x08\x0b-\x1f\x7f]*$` })
    .describe("The message of the commit"),
  branch: z.string().min(1).max(200).optional().describe(
    "A new branch for it, as for a pull request; the branch that is followed unless given",
  ),
  withSecrets: z.boolean().optional().describe(
    "True to commit values that berth would mask: needs `artifacts:reveal`, too",
  ),
}).meta({ id: "CommitRequest", examples: [{ paths: ["blog/compose.yaml"], message: "Newer nginx" }] });
export type CommitRequest = z.infer<typeof CommitRequest>;

export const CommitMade = z.object({
  id: Commit.describe("Its id"),
  branch: z.string().describe("The branch that it was pushed to"),
}).meta({ id: "CommitMade" });
export type CommitMade = z.infer<typeof CommitMade>;

export const Source = z.object({
  workspace: z.string().describe("The workspace's id"),
  url: z.string().describe("The repository's address"),
  branch: z.string().describe("The branch that is followed"),
  folder: z.string().describe("The folder of the repository; empty for all of it"),
  policy: z.enum(SOURCE_POLICIES).describe("When files are written"),
  hasCredential: z.boolean().describe("True if a credential is kept"),
  hook: z.string().nullable().describe(
    "The path that a forge calls after a push, as `/api/hooks/…`; null where there is none",
  ),
  ssh: z.object({
    publicKey: z.string().describe("The deploy key, for the forge: one that may read is enough"),
    hostKeys: z.array(
      z.object({
        key: z.string().describe("As `ssh-ed25519 AAAA…`"),
        fingerprint: z.string().describe("As ssh and forges show it"),
      }).meta({ id: "SourceHostKey" }),
    ).describe("The keys that the server must show"),
  }).meta({ id: "SourceSsh" }).nullable().describe("Null for a repository that is not behind ssh"),
  signers: z.array(
    z.object({
      key: z.string().describe("As `ssh-ed25519 AAAA…`"),
      name: z.string().describe("The comment behind the key; may be empty"),
      fingerprint: z.string().describe("As ssh and forges show it"),
    }).meta({ id: "SourceSigner" }),
  ).describe("The keys of which one must have signed a commit before it is taken; empty takes every commit"),
  setBy: z.string().describe("The user or key that set it"),
  state: SourceStateName.describe(
    "`unchecked`: no check has ended yet; `behind`: the branch has other commits than the folder; `conflict`: files that " +
      "are not Git's are in the way of a sync; `waiting`: the policy `auto` waits for a person, and `waiting` says why",
  ),
  waiting: z.string().nullable().describe(
    "The reason why the policy `auto` waits for a person; null if it does not",
  ),
  error: z.string().nullable().describe("The reason that the last check failed; null if it did not"),
  checkedAt: z.string().nullable().describe("When a check last ended, RFC 3339"),
  synced: Commit.nullable().describe("The commit that the folder was last brought to"),
  head: Commit.nullable().describe("The newest commit that was fetched"),
  rewritten: z.boolean().describe("True if the branch does not contain the synced commit any more"),
  uncommitted: z.array(SourceUncommitted).describe(
    "Files of the folder that differ from the synced commit, at most 200; empty for callers who see a part of the workspace",
  ),
  history: z.array(SourceCommit).describe(
    "The newest commits of the branch, at most 50: each can be synced; empty for callers who see a part of the workspace",
  ),
  pending: z.object({
    commits: z.array(SourceCommit).describe("The commits that are not synced, the newest first, at most 50"),
    groups: z.array(SourceGroup).describe("The groups that the newest commit would change"),
    conflicts: z.array(SourcePath).describe("Files that a sync would overwrite, and that are not Git's"),
    skipped: z.array(SourcePath).describe("Submodules, and links that lead out of the folder: never written"),
    files: z.int().describe("Files that a sync would write or delete"),
    isPart: z.boolean().describe(
      "True for callers who see a part of the workspace: they are told the groups in it, and nothing else",
    ),
  }).nullable().describe("The effect of a sync; null where nothing waits, or nobody could tell"),
}).meta({ id: "Source" });
export type Source = z.infer<typeof Source>;

export const NewHook = z.object({
  path: z.string().describe("The path of its address, behind the one that callers reach berth by"),
  secret: z.string().describe("The secret that the forge signs with; shown this once"),
}).meta({ id: "NewHook" });
export type NewHook = z.infer<typeof NewHook>;

export const HookAnswer = z.object({
  commit: Commit.describe("The newest commit of the branch"),
  groups: z.array(SourceGroup.pick({ name: true, change: true }).meta({ id: "HookGroup" })).describe(
    "The groups that it would change",
  ),
  policy: z.enum(SOURCE_POLICIES).describe("When files are written"),
}).meta({ id: "HookAnswer" });
export type HookAnswer = z.infer<typeof HookAnswer>;
