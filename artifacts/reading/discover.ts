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
  readonly complete: boolean;
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

/** Walks the folders of a workspace, and stops at the limits. */
export async function discover(
  reader: SafeReader,
  ignore: IgnoreRules,
  budgets: Budgets,
): Promise<Listing> {
  const folders = new Map<string, string[]>();
  const findings: Finding[] = [];
  let entries = 0;
  let files = 0;
  let complete = true;
  const queue: { path: string; depth: number }[] = [{ path: "", depth: 0 }];
  const limit = (message: string, path: string) => {
    complete = false;
    findings.push({ code: "fs/limit-reached", message, at: null, path });
  };

  for (let next = queue.shift(); next; next = queue.shift()) {
    const listed = await reader.list(next.path, budgets.entries - entries + 1);
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
    entries += listed.length;
    const found: { name: string; isFolder: boolean }[] = [];
    for (const { name, isDirectory } of listed) {
      if (isDirectory) {
        if (!isNeverEntered(name)) found.push({ name, isFolder: true });
      } else if (mayCount(name)) found.push({ name, isFolder: false });
    }
    found.sort((a, b) => a.name < b.name ? -1 : 1);
    const names: string[] = [];
    for (const { name, isFolder } of found) {
      await yieldToEventLoop();
      const path = join(next.path, name);
      if (ignore.ignores(path, isFolder)) continue;
      if (!isFolder) {
        if (++files > budgets.files) break;
        names.push(name);
      } else if (next.depth < budgets.depth) queue.push({ path, depth: next.depth + 1 });
      else if (complete) limit(`Folders over ${budgets.depth} levels deep were not read`, path);
    }
    folders.set(next.path, names);
    if (entries > budgets.entries) {
      limit(`Over ${budgets.entries} folder entries; the rest was not read`, next.path);
      break;
    }
    if (files > budgets.files) {
      limit(`Over ${budgets.files} files; the rest was not read`, next.path);
      break;
    }
  }
  return { folders, findings, complete };
}

/** The folder itself cannot be read: as the system would say it. */
function rootError({ code, why }: Refusal): Error {
  return code === "missing" ? new Deno.errors.NotFound(why) : new Deno.errors.PermissionDenied(why);
}
