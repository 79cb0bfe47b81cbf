/**
 * A whole store as one file: a line that says what it is, a line for each row, and a line with the number of rows and the
 * digest of all lines before it, so that nothing that was cut off or changed is taken for whole.
 */
import { createHash } from "node:crypto";
import { ServiceError } from "../core/error.ts";
import type { StoreCopy } from "../core/store.ts";
import { COPIED, type CopiedRow, type CopiedValue } from "./copy.ts";

const FORMAT = "berth store";
const VERSION = 1;
/** Far longer than any row. */
const MAX_LINE = 64 * 1024 * 1024;
const CHUNK = 256 * 1024;

type Columns = Readonly<Record<string, readonly string[]>>;
type Counts = Readonly<Record<string, number>>;

interface Head {
  readonly format: string;
  readonly version: number;
  readonly columns: Columns;
}

/** Writes all rows; the file has its name only once it is whole. How many rows of each table. */
export async function writeCopy(copy: StoreCopy, file: string): Promise<Counts> {
  const partial = `${file}.${crypto.randomUUID()}.partial`;
  try {
    const counts: Record<string, number> = Object.fromEntries(COPIED.map(({ name }) => [name, 0]));
    {
      using out = Deno.openSync(partial, { createNew: true, write: true, mode: 0o600 });
      const writer = new LineWriter(out);
      writer.write(JSON.stringify({ format: FORMAT, version: VERSION, columns: await copy.columns() }));
      await copy.read((table, row) => {
        counts[table]!++;
        writer.write(JSON.stringify([table, encoded(row)]));
      });
      writer.write(JSON.stringify({ rows: counts, sha256: writer.digest() }));
      writer.flush();
      out.syncSync();
    }
    await Deno.rename(partial, file);
    return counts;
  } catch (thrown) {
    await Deno.remove(partial).catch(() => {});
    if (thrown instanceof ServiceError) throw thrown;
    throw refusal("write", file, "the folder is missing, full or not ours", thrown);
  }
}

/** A file that was read to its end once and found whole. */
export interface CheckedCopy {
  readonly counts: Counts;
  /** Reads it again, row by row. */
  rows(): Iterable<{ readonly table: string; readonly row: CopiedRow }>;
}

/** Throws `store_unavailable` for a file that is no copy, is damaged, or has other columns than the store. */
export async function readCopy(file: string, copy: StoreCopy): Promise<CheckedCopy> {
  const refuse = (why: string, cause?: unknown) => refusal("import", file, why, cause);
  const columns = await copy.columns();
  try {
    const counts: Record<string, number> = Object.fromEntries(COPIED.map(({ name }) => [name, 0]));
    for (const { table } of checkedRows(file, columns, refuse)) counts[table] = (counts[table] ?? 0) + 1;
    return { counts, rows: () => checkedRows(file, columns, refuse) };
  } catch (thrown) {
    if (thrown instanceof ServiceError) throw thrown;
    if (thrown instanceof Deno.errors.NotFound) throw refuse("there is no such file");
    if (thrown instanceof SyntaxError || thrown instanceof TypeError) {
      throw refuse("it is damaged; export again", thrown);
    }
    throw refuse("it cannot be read", thrown);
  }
}

function* checkedRows(
  file: string,
  columns: Columns,
  refuse: (why: string) => ServiceError,
): Generator<{ readonly table: string; readonly row: CopiedRow }> {
  const hash = createHash("sha256");
  const counts: Record<string, number> = {};
  let end: { rows: Counts; sha256: string } | null = null;
  let isFirst = true;
  for (const line of linesOf(file)) {
    if (end !== null) throw refuse("there is more behind its end; export again");
    if (isFirst) {
      mustBeHead(line, columns, refuse);
      isFirst = false;
    } else if (line.startsWith("[")) {
      const [table, row] = JSON.parse(line) as [string, Record<string, unknown>];
      if (!Object.hasOwn(columns, table)) throw refuse("it is damaged; export again");
      counts[table] = (counts[table] ?? 0) + 1;
      yield { table, row: decoded(row) };
    } else {
      end = JSON.parse(line);
      if (end!.sha256 !== hash.copy().digest("hex")) {
        throw refuse("it was changed or is damaged; export again");
      }
    }
    hash.update(line).update("\n");
  }
  if (isFirst) throw refuse("it is empty");
  if (end === null) throw refuse("its end is missing; export again");
  for (const [table, count] of Object.entries(end.rows)) {
    if ((counts[table] ?? 0) !== count) throw refuse("rows are missing; export again");
  }
}

function mustBeHead(line: string, columns: Columns, refuse: (why: string) => ServiceError): void {
  let head: Head;
  try {
    head = JSON.parse(line);
  } catch {
    throw refuse("it is no export of berth");
  }
  if (head?.format !== FORMAT) throw refuse("it is no export of berth");
  const same = head.version === VERSION && JSON.stringify(head.columns) === JSON.stringify(columns);
  if (!same) throw refuse("another version of berth wrote it; export and import with the same one");
}

function* linesOf(file: string): Generator<string> {
  using source = Deno.openSync(file);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const buffer = new Uint8Array(CHUNK);
  let rest = "";
  for (let size = source.readSync(buffer); size !== null; size = source.readSync(buffer)) {
    const lines = (rest + decoder.decode(buffer.subarray(0, size), { stream: true })).split("\n");
    rest = lines.pop()!;
    if (rest.length > MAX_LINE) throw new SyntaxError("a line without an end");
    yield* lines;
  }
  if (rest !== "") yield rest;
}

class LineWriter {
  readonly #out: Deno.FsFile;
  readonly #hash = createHash("sha256");
  #waiting: string[] = [];
  #length = 0;

  constructor(out: Deno.FsFile) {
    this.#out = out;
  }

  write(line: string): void {
    this.#hash.update(line).update("\n");
    this.#waiting.push(line);
    this.#length += line.length;
    if (this.#length > CHUNK) this.flush();
  }

  digest(): string {
    return this.#hash.copy().digest("hex");
  }

  flush(): void {
    if (this.#waiting.length === 0) return;
    const bytes = new TextEncoder().encode(`${this.#waiting.join("\n")}\n`);
    for (let at = 0; at < bytes.length;) at += this.#out.writeSync(bytes.subarray(at));
    this.#waiting = [];
    this.#length = 0;
  }
}

/** Bytes as a list of one text; all else is as JSON has it. */
function encoded(row: CopiedRow): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries<CopiedValue>(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? [value.toBase64()] : value,
    ]),
  );
}

function decoded(row: Record<string, unknown>): CopiedRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (Array.isArray(value)) return [name, Uint8Array.fromBase64(value[0])];
      if (value === null || typeof value === "number" || typeof value === "string") return [name, value];
      throw new SyntaxError("a value of another kind");
    }),
  );
}

function refusal(what: string, file: string, why: string, cause?: unknown): ServiceError {
  return new ServiceError("store_unavailable", `Cannot ${what} "${file}": ${why}`, { cause });
}
