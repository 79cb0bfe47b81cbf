/** The certificate that berth shows an engine, and the authority that it trusts: read again when their files change. */
import type { Log } from "../../core/log.ts";
import type { TlsFiles } from "../calls/address.ts";
import type { Engine } from "../calls/engine.ts";
import { type Way, WayFailure } from "./way.ts";

const LOOK_MS = 2_000;
const MAX_BYTES = 256 * 1024;

export class Certificates implements Way {
  /** Size, inode and time of each file, as it was shown last. */
  #seen = "";
  #timer: ReturnType<typeof setInterval> | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(private readonly files: TlsFiles, private readonly log: Log) {}

  async open(engine: Engine): Promise<void> {
    await this.#looking;
    await this.#read(engine);
    this.#timer ??= setInterval(() => this.#looking = this.#look(engine), LOOK_MS);
  }

  explain(): Promise<null> {
    return Promise.resolve(null);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  /** While they are exchanged one by one, those that fit each other stay in use. */
  async #look(engine: Engine): Promise<void> {
    try {
      if (await this.#read(engine)) this.log.info("The certificates for the engine were read again");
    } catch (error) {
      if (!(error instanceof WayFailure)) throw error;
      this.log.warn("The certificates for the engine have changed and cannot be used", {
        reason: error.message,
      });
    }
  }

  /** Answers whether they had changed. */
  async #read(engine: Engine): Promise<boolean> {
    const seen = (await Promise.all(Object.values(this.files).map(stampOf))).join();
    if (seen === this.#seen) return false;
    const [ca, cert, key] = await Promise.all([
      textOf(this.files.ca),
      textOf(this.files.cert),
      textOf(this.files.key),
    ]);
    try {
      engine.present({ ca, cert, key });
    } catch (error) {
      const why = /KeyMismatch/.test(String(error))
        ? `the key in "${this.files.key}" is not that of the certificate in "${this.files.cert}"`
        : "one of them is not PEM";
      throw new WayFailure(
        "refused",
        `its certificates cannot be used, ${why}: write all three again, as "dockerd --tlsverify" wants them`,
      );
    }
    this.#seen = seen;
    return true;
  }
}

async function stampOf(path: string): Promise<string> {
  const { size, ino, mtime } = await Deno.stat(path).catch((error) => {
    throw unreadable(path, error);
  });
  return `${size} ${ino} ${mtime?.getTime()}`;
}

async function textOf(path: string): Promise<string> {
  try {
    if ((await Deno.stat(path)).size > MAX_BYTES) throw new RangeError();
    return await Deno.readTextFile(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): WayFailure {
  const why = error instanceof Deno.errors.NotFound
    ? "is not there: correct the path"
    : error instanceof RangeError
    ? "is no certificate: it is too long"
    : "cannot be read: let the user of berth read it";
  return new WayFailure("refused", `"${path}" ${why}`);
}
