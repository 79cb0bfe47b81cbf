/** The contract of the doctor's checks. */
import type { Config } from "../../config/config.ts";
import type { Finding } from "../../core/finding.ts";
import type { InspectedDatabase } from "../../store/postgres/inspection.ts";
import type { StoreFile } from "../../store/sqlite/inspection.ts";

/** The setup that all checks look at. */
export interface Setup {
  readonly config: Config;
  readonly isContained: boolean;
  /** Null where there are no users. */
  readonly uid: number | null;
  /** The store, wherever it is. */
  readonly store:
    & Pick<StoreFile, "state" | "schema" | "isSetUp" | "folders" | "sources" | "applies">
    & Partial<Pick<StoreFile, "chains">>;
  /** The facts about the database; null if the store is a file. */
  readonly database: InspectedDatabase | null;
}

/** One thing that is looked at. */
export interface Check {
  readonly name: string;
  look(setup: Setup): Promise<readonly Finding[]> | readonly Finding[];
}

/** Null where there is nothing or it may not be looked at. */
export async function statOf(path: string): Promise<Deno.FileInfo | null> {
  return await Deno.stat(path).catch(() => null);
}

/** The text of a small file, or null. */
export async function textOf(path: string): Promise<string | null> {
  return await Deno.readTextFile(path).catch(() => null);
}

export function isOpenToOthers({ mode }: Deno.FileInfo): boolean {
  return mode !== null && (mode & 0o077) !== 0;
}
