/** Finds the files of a workspace that may be artifacts, within limits. */

import type { Finding } from "../artifact.ts";
import { yieldToEventLoop } from "../event_loop.ts";
import type { Budgets } from "../files/budgets.ts";
import { type IgnoreRules, isNeverEntered } from "../files/ignore.ts";
import { join } from "../files/paths.ts";

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

/** Whether a file may be an artifact, by its name. Any YAML may: native documents have no fixed name. */
export function mayCount(name: string): boolean {
  return /\.ya?ml$/i.test(name) || name === ".env" ||
    /^readme(?:\.md|\.markdown|\.txt|\.rst)?$/i.test(name) ||
    name === IGNORE_FILE;
}

/** A folder may be full of what is no artifact, but not without end. */
const OTHERS = 10;
/** How far folders that are too deep are searched for something worth telling of. */
const PEEKED = 5_000;

/** Walks the folders of a workspace, and stops at the limits. Only folders with artifacts in them use up a limit. */
export async function discover(root: string, ignore: IgnoreRules, budgets: Budgets): Promise<Listing> {
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
    const found: { name: string; isFolder: boolean }[] = [];
    let own = 0;
    try {
      for await (const entry of Deno.readDir(next.path === "" ? root : `${root}/${next.path}`)) {
        if (++own + walked > OTHERS * budgets.entries) break;
        if ((own & 1023) === 0) await yieldToEventLoop();
        if (entry.isDirectory) {
          if (!isNeverEntered(entry.name)) found.push({ name: entry.name, isFolder: true });
        } else if (mayCount(entry.name)) found.push({ name: entry.name, isFolder: false });
      }
    } catch (error) {
      if (next.path === "") throw error;
      if (error instanceof Deno.errors.NotFound) continue;
      findings.push({
        code: "fs/unreadable",
        severity: "info",
        message: `Cannot read "${next.path}": access is denied`,
        at: null,
        path: next.path,
      });
      continue;
    }
    found.sort((a, b) => a.name < b.name ? -1 : 1);
    const names: string[] = [];
    for (const { name, isFolder } of found) {
      await yieldToEventLoop();
      const path = join(next.path, name);
      if (ignore.ignores(path, isFolder)) continue;
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
  const missed = await withArtifacts(root, tooDeep);
  if (missed.length > 0) {
    const common = missed.reduce(commonFolder);
    const where = common === "" ? "" : ` below "${common}"`;
    limit(`Folders more than ${budgets.depth} levels deep${where} were not read`, missed[0]!);
  }
  return { folders, findings };
}

/** A README by itself is none. */
function isArtifactName(name: string): boolean {
  return /\.ya?ml$/i.test(name) || name === ".env" || name === IGNORE_FILE;
}

/** Those of the folders with something like an artifact in or below them; what takes too long to tell counts. */
async function withArtifacts(root: string, folders: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  let looked = 0;
  for (const folder of folders) {
    const queue = [folder];
    let has = false;
    for (let next = queue.pop(); next !== undefined && !has; next = queue.pop()) {
      try {
        for await (const { name, isDirectory } of Deno.readDir(`${root}/${next}`)) {
          if ((++looked & 255) === 0) await yieldToEventLoop();
          if (isDirectory ? looked > PEEKED : isArtifactName(name)) has = true;
          if (isDirectory && !isNeverEntered(name)) queue.push(join(next, name));
        }
      } catch {
        // What cannot be looked into could not have been read either.
      }
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
