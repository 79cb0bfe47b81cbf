/** Tar as POSIX says (ustar), with a header of PAX for what is too long for it. */
import { concat } from "./bytes.ts";

const BLOCK = 512;
/** Bytes that a size of ustar can say. */
const MOST = 8 ** 11;
const encoder = new TextEncoder();

export interface TarEntry {
  /** Without a slash at its beginning. */
  readonly path: string;
  readonly kind: "file" | "folder" | "link";
  readonly mode: number;
  readonly size: number;
  /** Seconds since 1970. */
  readonly changed: number;
  readonly uid?: number;
  readonly gid?: number;
  /** The place that a link leads to. */
  readonly target?: string;
}

/** Two blocks of nothing end an archive. */
export const TAR_END: Uint8Array<ArrayBuffer> = new Uint8Array(2 * BLOCK);

/** Returns the headers of an entry; the bytes of a file and their `tarPadding` come behind them. */
export function tarHeader(entry: TarEntry): Uint8Array<ArrayBuffer> {
  const { path, target = "", size } = entry;
  const records = [
    ...isLong(path) ? [record("path", path)] : [],
    ...isLong(target) ? [record("linkpath", target)] : [],
    ...size >= MOST ? [record("size", String(size))] : [],
  ].join("");
  if (records === "") return header(path, TYPES[entry.kind], entry, target);
  const bytes = encoder.encode(records);
  return concat([
    header("pax", "x", { ...entry, size: bytes.length }, ""),
    bytes,
    tarPadding(bytes.length),
    header(
      isLong(path) ? "long" : path,
      TYPES[entry.kind],
      { ...entry, size: size % MOST },
      isLong(target) ? "long" : target,
    ),
  ]);
}

/** Returns the bytes that fill the last block of so many. */
export const tarPadding = (size: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array((BLOCK - size % BLOCK) % BLOCK);

const TYPES = { file: "0", link: "2", folder: "5" } as const;
const LONGEST = 100;

const isLong = (text: string): boolean => encoder.encode(text).length > LONGEST;

function header(
  name: string,
  type: "0" | "2" | "5" | "x",
  { uid = 0, gid = 0, mode, size, changed }: TarEntry,
  target: string,
): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK);
  const put = (offset: number, text: string) => block.set(encoder.encode(text), offset);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, "0")}\0`;
  put(0, name);
  put(100, octal(mode, 8));
  put(108, octal(uid, 8));
  put(116, octal(gid, 8));
  put(124, octal(size, 12));
  put(136, octal(Math.max(0, Math.floor(changed)), 12));
  put(148, " ".repeat(8)); // the sum counts its own place as blanks
  put(156, type);
  put(157, target);
  put(257, "ustar\x0000");
  put(148, `${block.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, "0")}\0 `);
  return block;
}

/** `<length> key=value`, where the length counts itself. */
function record(key: string, value: string): string {
  const rest = encoder.encode(` ${key}=${value}\n`).length;
  let length = rest;
  while (length !== rest + String(length).length) length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}
