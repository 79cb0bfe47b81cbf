/** What the doctor finds, and what it looks at. */
import type { Config } from "../../config.ts";
import type { StoreFile } from "../../store/sqlite/inspection.ts";

export interface Finding {
  /** `wrong` must be mended; `risky` works until it does not. */
  readonly level: "wrong" | "risky";
  readonly what: string;
  /** What to do about it. */
  readonly mend: string;
}

/** What all checks look at. */
export interface Setup {
  readonly config: Config;
  readonly isContained: boolean;
  /** Null where there are no users. */
  readonly uid: number | null;
  readonly store: StoreFile;
}

/** One thing that is looked at. */
export interface Check {
  readonly name: string;
  look(setup: Setup): Promise<readonly Finding[]> | readonly Finding[];
}

export const wrong = (what: string, mend: string): Finding => ({ level: "wrong", what, mend });
export const risky = (what: string, mend: string): Finding => ({ level: "risky", what, mend });

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
