/** Comments of the project, room by room, and those that begin with a clause. */

/** A comment that begins with a clause instead of a verb or a noun. */
const CLAUSE = /^(?:What|Who|Whose|Whether|Where|How|Why|That|Those|Whoever)\b/;
/** Finds a person without a noun, as in "for who may read". */
const BARE_WHO = /\b(?:for|by|to|of|than|from|as|with) who\b/i;
/** A run of comment lines, or a block, without its signs. */
const COMMENT = /\/\*\*?\s*([\s\S]*?)\*\/|((?:^[ \t]*|[ \t])\/\/ [^\n]*(?:\n[ \t]*\/\/ [^\n]*)*)/gm;
/** Folders whose rooms are counted one by one. */
const LARGE = /^(?:artifacts|auth|engines|page|plugins|projects|store|tests)\//;
/** Their examples are clauses. */
const EXAMPLES = ["tests/house/words_test.ts", "tests/house/comments.ts"];

/** The share of clauses that a room may have, and their number in a room with few comments. */
export const MOST_SHARE = 0.05;
const FEW_COMMENTS = 40;
const MOST_OF_FEW = 2;

export interface Room {
  comments: number;
  readonly clauses: string[];
}

function roomOf(path: string): string {
  const folders = path.split("/").slice(0, -1);
  return folders.slice(0, LARGE.test(path) ? 2 : 1).join("/") || "the root";
}

function commentsIn(source: string): string[] {
  return [...source.matchAll(COMMENT)]
    .map(([, block, line = ""]) => (block ?? line).replaceAll(/^[ \t]*(?:\*|\/\/)[ \t]?/gm, "").trim())
    .filter((text) => !/^(?:@|deno-|#)/.test(text));
}

export function clausesIn(source: string): string[] {
  return commentsIn(source).filter((text) => CLAUSE.test(text));
}

/** Returns the rooms of these files with the number of their comments, and each clause with its file. */
export function roomsOf(texts: ReadonlyMap<string, string>): Map<string, Room> {
  const found = new Map<string, Room>();
  for (const [path, text] of texts) {
    if (EXAMPLES.includes(path)) continue;
    const room = found.getOrInsertComputed(roomOf(path), () => ({ comments: 0, clauses: [] }));
    room.comments += commentsIn(text).length;
    room.clauses.push(...clausesIn(text).map((comment) => `${path}: ${comment.split("\n")[0]}`));
  }
  return found;
}

/** Returns how many clauses a room may have. */
export function mostIn({ comments }: Room): number {
  return comments < FEW_COMMENTS ? MOST_OF_FEW : Math.floor(comments * MOST_SHARE);
}

/** Returns the lines with a bare "who"; in code those are comments and quoted texts alone. */
export function bareIn(path: string, source: string): string[] {
  return source.split("\n").flatMap((line, index) =>
    BARE_WHO.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : []
  );
}
