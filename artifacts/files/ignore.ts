/** Which folders and files are not looked at: built-in names, and `.berthignore` in gitignore syntax. */

const NEVER = new Set([
  "node_modules",
  "bower_components",
  "vendor",
  "dist",
  "build",
  "out",
  "target",
  "coverage",
  "venv",
  "__pycache__",
  "lost+found",
  "@eaDir",
]);

/** Returns true if a folder is never read: dependencies, build results, hidden folders. */
export function isNeverEntered(folder: string): boolean {
  return NEVER.has(folder) || folder.startsWith(".");
}

interface Pattern {
  readonly negated: boolean;
  readonly folderOnly: boolean;
  readonly segments: readonly string[];
}

const PATTERNS = 200;

/** Patterns in gitignore syntax, for paths below their folder. The last one that matches decides. */
export class IgnoreRules {
  readonly #patterns: Pattern[] = [];

  constructor(lines: readonly string[]) {
    for (const line of lines.slice(0, PATTERNS)) {
      const pattern = parse(line);
      if (pattern) this.#patterns.push(pattern);
    }
  }

  get isEmpty(): boolean {
    return this.#patterns.length === 0;
  }

  ignores(path: string, isFolder: boolean): boolean {
    if (this.#patterns.length === 0) return false;
    const segments = path.split("/");
    let ignored = false;
    for (const pattern of this.#patterns) {
      if (pattern.folderOnly && !isFolder) continue;
      if (fits(pattern.segments, segments)) ignored = !pattern.negated;
    }
    return ignored;
  }
}

function parse(line: string): Pattern | null {
  const bare = line.trimEnd();
  let text = bare.endsWith("\\") ? line.slice(0, bare.length + 1) : bare; // a blank behind a backslash is meant
  if (text === "" || text.startsWith("#") || text.length > 512) return null;
  const negated = text.startsWith("!");
  if (negated) text = text.slice(1);
  const folderOnly = text.endsWith("/");
  if (folderOnly) text = text.slice(0, -1);
  // With a slash inside, the pattern starts at the folder; without one it matches at any depth.
  const tied = text.includes("/");
  if (text.startsWith("/")) text = text.slice(1);
  const segments = text.split("/").filter((segment) => segment !== "");
  if (segments.length === 0) return null;
  return { negated, folderOnly, segments: tied ? segments : ["**", ...segments] };
}

/** True if the names fit the pattern. Two cursors and one point to return to for each `**`: linear in practice, quadratic at worst, no recursion. */
export function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  let p = 0;
  let s = 0;
  let starAt = -1;
  let starFrom = 0;
  while (s < segments.length) {
    if (p < pattern.length && pattern[p] === "**") {
      starAt = p++;
      starFrom = s;
    } else if (p < pattern.length && segmentFits(pattern[p]!, segments[s]!)) {
      p++;
      s++;
    } else if (starAt !== -1) {
      p = starAt + 1;
      s = ++starFrom;
    } else return false;
  }
  while (pattern[p] === "**") p++;
  return p === pattern.length;
}

/** `*` and `?` inside one name, and `[...]` classes; the same two cursors. */
function segmentFits(pattern: string, name: string): boolean {
  let p = 0;
  let n = 0;
  let starAt = -1;
  let starFrom = 0;
  while (n < name.length) {
    const width = p < pattern.length && pattern[p] !== "*" ? oneFits(pattern, p, name[n]!) : 0;
    if (width > 0) {
      p += width;
      n++;
    } else if (pattern[p] === "*") {
      starAt = p++;
      starFrom = n;
    } else if (starAt !== -1) {
      p = starAt + 1;
      n = ++starFrom;
    } else return false;
  }
  while (pattern[p] === "*") p++;
  return p === pattern.length;
}

/** Returns the number of the pattern's characters that match this one; 0 if none. */
function oneFits(pattern: string, at: number, character: string): number {
  const sign = pattern[at]!;
  if (sign === "?") return 1;
  if (sign === "\\" && at + 1 < pattern.length) return pattern[at + 1] === character ? 2 : 0;
  if (sign === "[") {
    const close = pattern.indexOf("]", at + 2);
    if (close !== -1) {
      const negated = pattern[at + 1] === "!" || pattern[at + 1] === "^";
      let inside = false;
      for (let i = at + (negated ? 2 : 1); i < close; i++) {
        if (pattern[i + 1] === "-" && i + 2 < close) {
          if (character >= pattern[i]! && character <= pattern[i + 2]!) inside = true;
          i += 2;
        } else if (pattern[i] === character) inside = true;
      }
      return inside !== negated ? close - at + 1 : 0;
    }
  }
  return sign === character ? 1 : 0;
}
