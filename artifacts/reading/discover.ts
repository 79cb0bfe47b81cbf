/** Finds the files of a workspace that may be artifacts, within limits. */

import type { Finding } from "../artifact.ts";
import { yieldToEventLoop } from "../event_loop.ts";
import type { Budgets } from "../files/budgets.ts";
import { isRefusal } from "../files/file_store.ts";
import { type IgnoreRules, isNeverEntered } from "../files/ignore.ts";
import { join } from "../files/paths.ts";
import type { Refusal, SafeReader } from "../files/safe_reader.ts";

export interface Listing {
  /** Folder ("" is the root) to the names of its files that may be artifacts. */
  readonly folders: ReadonlyMap<string, readonly string[]>;
  readonly findings: readonly Finding[];
}

export const SETTINGS_FILE = "berth.yaml";
export const IGNORE_FILE = ".berthignore";
export const CANONICAL = ["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"];
export const OVERRIDES = [
  "compose.override.yml",
  "compose.override.yaml",
  "docker-compose.override.yml",
  "docker-compose.override.yaml",
];
const VARIANT = /^(?:docker-)?compose[.-](.*)\.ya?ml$/;

/** `prod` of `compose.prod.yaml`; null for other names. */
export function variantOf(name: string): string | null {
  return CANONICAL.includes(name) || OVERRIDES.includes(name) ? null : VARIANT.exec(name)?.[1] ?? null;
}

export function isComposeName(name: string): boolean {
  return CANONICAL.includes(name) || OVERRIDES.includes(name) || VARIANT.test(name);
}

/** Returns true if a file may be an artifact, by its name. Any YAML may: native documents have no fixed name. */
export function mayCount(name: string): boolean {
  return /\.ya?ml$/i.test(name) || name === ".env" ||
    /^readme(?:\.md|\.markdown|\.txt|\.rst)?$/i.test(name) ||
    name === IGNORE_FILE;
}

/** A folder may be full of what is no artifact, but not without end. */
const OTHERS = 10;
/** The number of entries that are searched in folders that are too deep. */
const PEEKED = 5_000;

/** Walks the folders of a workspace, and stops at the limits. Only folders with artifacts in them use up a limit. */
export async function discover(
  reader: SafeReader,
  ignore: IgnoreRules,
  budgets: Budgets,
): Promise<Listing> {
  const folders = new Map<string, string[]>();
  const findings: Finding[] = [];
  const tooDeep: string[] = [];
  let entries = 0;
  let walked = 0;
  let files = 0;
  const queue: { path: string; depth: number }[] = [{ path: "", depth: 0 }];
  const limit = (message: string, path: string) => {
    findings.push({ code: "fs/limit-reached", message, at: null, path });
  };

  for (let next = queue.shift(); next; next = queue.shift()) {
    const left = OTHERS * budgets.entries - walked;
    const listed = await reader.list(next.path, left, isWalkedOrRead);
    if (isRefusal(listed)) {
      if (next.path === "") throw rootError(listed);
      // Gone since, or a folder that is never read.
      if (listed.code === "missing" || listed.code === "fs/symlink-escape") continue;
      findings.push({
        code: "fs/unreadable",
        severity: "info",
        message: `Cannot read "${next.path}": ${listed.why}`,
        at: null,
        path: next.path,
      });
      continue;
    }
    const own = listed.looked;
    const found = listed.entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory }));
    found.sort((a, b) => a.name < b.name ? -1 : 1);
    const names: string[] = [];
    for (const { name, isFolder } of found) {
      await yieldToEventLoop();
      const path = join(next.path, name);
      if (ignore.ignores(path, isFolder)) continue;
      if (name.includes("\ufffd") && await reader.look(path) === "missing") {
        const message = `Cannot read "${path}": its name is not UTF-8; rename it`;
        const severity = isFolder ? "info" : "warning";
        findings.push({ code: "fs/unreadable", severity, message, at: null, path });
        continue;
      }
      if (!isFolder) names.push(name);
      else if (next.depth < budgets.depth) queue.push({ path, depth: next.depth + 1 });
      else tooDeep.push(path);
    }
    const counts = names.some(isArtifactName);
    const kept = counts ? names.slice(0, budgets.files - files) : [];
    folders.set(next.path, kept);
    walked += own;
    if (counts) {
      entries += own;
      files += kept.length;
    }
    if (entries > budgets.entries || walked > OTHERS * budgets.entries) {
      limit(`Over ${budgets.entries} folder entries; the rest was not read`, next.path);
      break;
    }
    if (counts && kept.length < names.length) {
      limit(`Over ${budgets.files} files; the rest was not read`, next.path);
      break;
    }
  }
  const missed = await withArtifacts(reader, tooDeep);
  if (missed.length > 0) {
    const common = missed.reduce(commonFolder);
    const where = common === "" ? "" : ` below "${common}"`;
    limit(`Folders more than ${budgets.depth} levels deep${where} were not read`, missed[0]!);
  }
  return { folders, findings };
}

function isWalked({ name, isDirectory }: Deno.DirEntry): boolean {
  return isDirectory && !isNeverEntered(name);
}

function isRead({ name, isDirectory }: Deno.DirEntry): boolean {
  return !isDirectory && mayCount(name);
}

function isArtifact({ name, isDirectory }: Deno.DirEntry): boolean {
  return !isDirectory && isArtifactName(name);
}

const isWalkedOrRead = (entry: Deno.DirEntry): boolean => isWalked(entry) || isRead(entry);
const isWalkedOrArtifact = (entry: Deno.DirEntry): boolean => isWalked(entry) || isArtifact(entry);

/** A README by itself is none. */
function isArtifactName(name: string): boolean {
  return /\.ya?ml$/i.test(name) || name === ".env" || name === IGNORE_FILE;
}

/** Returns the folders with something like an artifact in or below them, and those that take too long to search. */
async function withArtifacts(reader: SafeReader, folders: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  let looked = 0;
  for (const folder of folders) {
    const queue = [folder];
    let has = false;
    for (let next = queue.pop(); next !== undefined && !has; next = queue.pop()) {
      const listed = await reader.list(next, PEEKED, isWalkedOrArtifact);
      // A folder that cannot be listed could not have been read either.
      if (isRefusal(listed)) continue;
      looked += listed.looked;
      has = looked > PEEKED || listed.entries.some(isArtifact);
      for (const { name, isDirectory } of listed.entries) if (isDirectory) queue.push(join(next, name));
    }
    if (has) found.push(folder);
  }
  return found;
}

function commonFolder(one: string, other: string): string {
  const parts = one.split("/");
  const others = other.split("/");
  const end = parts.findIndex((part, index) => part !== others[index]);
  return (end === -1 ? parts : parts.slice(0, end)).join("/");
}

/** The folder itself cannot be read: as the system would say it. */
function rootError({ code, why }: Refusal): Error {
  return code === "missing" ? new Deno.errors.NotFound(why) : new Deno.errors.PermissionDenied(why);
}
