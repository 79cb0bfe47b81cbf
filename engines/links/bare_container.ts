/** Learns the settings that an engine gives every container by itself: from one that is made of an image alone. */
import { ServiceError } from "../../core/error.ts";
import type { Engine } from "../calls/engine.ts";
import { at } from "../calls/path.ts";
import { objectOf, type Wire } from "../calls/wire.ts";
import { PROBE } from "../mirror/probe.ts";

const ASK_MS = 10_000;
/** Milliseconds until a refusal is asked for again. */
const REFUSED_MS = 60_000;

/** Remembers the bare container of one engine until the engine is lost: a restart may bring other settings. */
export class BareContainer {
  #known: { readonly wire: Promise<Wire | null>; readonly at: number } | null = null;

  /** Null where berth may not make one, as behind a proxy that lets nothing be written. It is never started. */
  async of(engine: Engine, image: string): Promise<Wire | null> {
    const known = this.#known;
    if (known !== null && (await known.wire !== null || performance.now() - known.at < REFUSED_MS)) {
      return await known.wire;
    }
    const wire = inspected(engine, image).catch((error): null => {
      if (error instanceof ServiceError) return null;
      throw error;
    });
    this.#known = { wire, at: performance.now() };
    return await wire;
  }

  clear(): void {
    this.#known = null;
  }
}

async function inspected(engine: Engine, image: string): Promise<Wire> {
  const doing = `learn the settings of engine "${engine.name}"`;
  const name = `${PROBE}${crypto.randomUUID()}`;
  const call = { doing, missing: "image_not_found", firstByteMs: ASK_MS } as const;
  try {
    // An image need not have a command, and Podman makes no container without one.
    await engine.post(at`/containers/create`, {
      ...call,
      query: { name },
      body: { Image: image, Cmd: ["none"] },
    });
    return objectOf(await engine.get(at`/containers/${name}/json`, call));
  } finally {
    // With the volumes that the image asked for.
    await engine.delete(at`/containers/${name}`, { ...call, query: { v: true } }).catch(() => {});
  }
}
