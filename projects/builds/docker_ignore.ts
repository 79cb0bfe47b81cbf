/** Which files of a build's context are sent: patterns in the syntax of `.dockerignore`. */

import { fits } from "../../artifacts/files/ignore.ts";

interface Pattern {
  readonly isException: boolean;
  readonly segments: readonly string[];
}

const MOST_PATTERNS = 1_000;

/** Patterns start at the context, each counts for all below what it matches, and the last one that matches decides. */
export class DockerIgnore {
  readonly #patterns: readonly Pattern[];

  /** Throws a `RangeError` with the number of patterns if there are too many. */
  constructor(text: string) {
    const lines = text.replace(/^\ufeff/, "").split("\n").filter((line) => !line.startsWith("#"));
    this.#patterns = lines.flatMap((line) => parse(line.trim()));
    if (this.#patterns.length > MOST_PATTERNS) {
      throw new RangeError(
        `.dockerignore has ${this.#patterns.length} patterns, and ${MOST_PATTERNS} are the most`,
      );
    }
  }

  /** `enter`: it is left out itself, and an exception may name something in it. */
  judge(path: string): "take" | "enter" | "skip" {
    const segments = path.split("/");
    let isOut = false;
    for (const { isException, segments: pattern } of this.#patterns) {
      if (isOut !== isException) continue; // it would change nothing
      if (segments.some((_, at) => fits(pattern, segments.slice(0, at + 1)))) isOut = !isException;
    }
    if (!isOut) return "take";
    return this.#patterns.some(({ isException }) => isException) ? "enter" : "skip";
  }
}

function parse(line: string): Pattern[] {
  const isException = line.startsWith("!");
  const segments: string[] = [];
  for (const part of (isException ? line.slice(1).trim() : line).split("/")) {
    if (part === "..") segments.pop();
    else if (part !== "" && part !== ".") segments.push(part);
  }
  if (segments.at(-1) === "**") segments.push("*"); // not the folder before it
  return segments.length === 0 ? [] : [{ isException, segments }];
}
