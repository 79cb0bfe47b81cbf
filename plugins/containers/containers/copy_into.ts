/** Puts small files into a container that was made and does not run yet: secrets and configs that are no files. */
import { concat } from "../../../core/bytes.ts";
import type { ContainerSpec } from "../../../core/runtime.ts";
import type { Engine } from "../../../engines/calls/engine.ts";
import { at } from "../../../engines/calls/path.ts";

const BLOCK = 512;
const encoder = new TextEncoder();

/** All of them, in one call. Each is where it belongs before the container is started. */
export async function copyInto(engine: Engine, id: string, files: ContainerSpec["files"]): Promise<void> {
  if (files.length === 0) return;
  await engine.put(at`/containers/${id}/archive`, {
    doing: `copy files into container "${id}"`,
    missing: "container_not_found",
    query: { path: "/", copyUIDGID: true },
    body: tarOf(files),
  });
}

/** The files as a tar, as POSIX says (ustar), with a header of PAX for a path that is too long for it. */
function tarOf(files: ContainerSpec["files"]): Uint8Array<ArrayBuffer> {
  const parts = files.flatMap(({ path, content, uid, gid, mode }) => {
    const name = path.replace(/^\//, "");
    const bytes = encoder.encode(content);
    const about = { uid, gid, mode, size: bytes.length };
    if (encoder.encode(name).length <= 100) return [header(name, "0", about), padded(bytes)];
    const long = encoder.encode(record("path", name));
    return [
      header("pax", "x", { ...about, size: long.length }),
      padded(long),
      header("long", "0", about),
      padded(bytes),
    ];
  });
  return concat([...parts, new Uint8Array(2 * BLOCK)]);
}

interface About {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
  readonly size: number;
}

function header(name: string, type: "0" | "x", { uid, gid, mode, size }: About): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (offset: number, text: string) => block.set(encoder.encode(text), offset);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, "0")}\0`;
  put(0, name);
  put(100, octal(mode, 8));
  put(108, octal(uid, 8));
  put(116, octal(gid, 8));
  put(124, octal(size, 12));
  put(136, octal(Math.floor(Date.now() / 1_000), 12));
  put(148, " ".repeat(8)); // the sum counts its own place as blanks
  put(156, type);
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

const padded = (bytes: Uint8Array): Uint8Array => {
  const whole = new Uint8Array(Math.ceil(bytes.length / BLOCK) * BLOCK);
  whole.set(bytes);
  return whole;
};
