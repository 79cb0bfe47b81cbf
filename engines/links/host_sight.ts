/** Learns whether an engine sees a folder of this machine: from what it refuses to mount, so that nothing is run. */
import { ServiceError } from "../../core/error.ts";
import type { HostFolder, HostSight } from "../../core/runtime.ts";
import { Lru } from "../../core/lru.ts";
import { ownFileName } from "../../core/own_files.ts";
import type { Engine } from "../calls/engine.ts";
import { EngineAnswer } from "../calls/failure.ts";
import { PROBE } from "../mirror/probe.ts";
import { at } from "../calls/path.ts";
import { objectOf, parseJson, textOf } from "../calls/wire.ts";

const ASK_MS = 10_000;
const MOST = 1_000;
/** Milliseconds until an unknown answer is asked for again. */
const UNKNOWN_MS = 10_000;

/** An image need not have one, and no engine makes a container without. */
const COMMAND: readonly string[] = ["none"];

/** The facts of the engine that an answer depends on. */
interface Asked {
  readonly engine: Engine;
  readonly kind: "docker" | "podman";
  /** The id of an image that the engine has; null if there is none. */
  readonly image: string | null;
}

/** Remembers the sights of one engine until it is lost. */
export class HostSights {
  readonly #known = new Lru<{ readonly sight: Promise<HostSight>; readonly at: number }>(MOST);

  async of(asked: Asked, folder: HostFolder, maxAgeMs: number): Promise<HostSight> {
    const key = `${folder.here}\0${folder.there}`;
    const known = this.#known.get(key);
    if (known !== undefined) {
      const sight = await known.sight;
      const limit = sight === "unknown" ? Math.min(UNKNOWN_MS, maxAgeMs) : maxAgeMs;
      if (performance.now() - known.at < limit) return sight;
    }
    const sight = sightOf(asked, folder).catch((error): HostSight => {
      if (error instanceof ServiceError) return "unknown";
      throw error;
    });
    this.#known.set(key, { sight, at: performance.now() });
    return await sight;
  }

  clear(): void {
    this.#known.clear();
  }
}

async function sightOf(asked: Asked, { here, there }: HostFolder): Promise<HostSight> {
  const name = ownFileName(crypto.randomUUID());
  // An engine that mounts what cannot exist tells nothing.
  const isThere = await refusing(asked, `${there}/${name}`);
  if (isThere === null) return "unknown";
  const hasRoot = () => isThere(there);
  try {
    await Deno.writeTextFile(`${here}/${name}`, "", { createNew: true });
  } catch {
    return await hasRoot() === false ? "absent" : "unknown";
  }
  try {
    const isSame = await isThere(`${there}/${name}`);
    if (isSame === null) return "unknown";
    if (isSame) return "same";
  } finally {
    await Deno.remove(`${here}/${name}`).catch(() => {});
  }
  const root = await hasRoot();
  return root === null ? "unknown" : root ? "different" : "absent";
}

/** Answers null where the engine says something else. */
type Ask = (path: string) => Promise<boolean | null>;

/** Returns the first way of asking that refuses a path that cannot exist; null if none does. */
async function refusing({ engine, kind, image }: Asked, impossible: string): Promise<Ask | null> {
  const ways: Ask[] = [
    ...(kind === "docker"
      ? [(path: string) => askDocker(engine, `${PROBE}${crypto.randomUUID()}:none`, path)]
      : []),
    ...(image === null ? [] : [
      (path: string) => kind === "docker" ? askDocker(engine, image, path) : askPodman(engine, image, path),
    ]),
  ];
  for (const way of ways) if (await way(impossible) === false) return way;
  return null;
}

/** Docker checks the source before the image: with an image that cannot exist no container is made. */
async function askDocker(engine: Engine, image: string, path: string): Promise<boolean | null> {
  const mount = { Type: "bind", Source: path, Target: "/probe", ReadOnly: true };
  return await ask(engine, at`/containers/create`, {
    Image: image,
    Cmd: COMMAND,
    HostConfig: { Mounts: [mount] },
  });
}

/** Podman's own call refuses an absent source; the one that is compatible with Docker would make a folder. */
async function askPodman(engine: Engine, image: string, path: string): Promise<boolean | null> {
  const mount = { type: "bind", source: path, destination: "/probe", options: ["ro"] };
  return await ask(engine, at`/libpod/containers/create`, { image, command: COMMAND, mounts: [mount] });
}

async function ask(
  engine: Engine,
  path: ReturnType<typeof at>,
  body: Record<string, unknown>,
): Promise<boolean | null> {
  const name = `${PROBE}${crypto.randomUUID()}`;
  const isPodman = "mounts" in body;
  try {
    const { text } = await engine.post(path, {
      doing: `ask engine "${engine.name}" for a folder`,
      missing: "image_not_found",
      ...(isPodman ? { body: { ...body, name } } : { body, query: { name } }),
      firstByteMs: ASK_MS,
    });
    const id = textOf(objectOf(parseJson(text)).Id);
    await engine.delete(at`/containers/${id === "" ? name : id}`, {
      doing: `remove the probe of engine "${engine.name}"`,
      query: { v: true }, // with the volumes that the image asked for
      firstByteMs: ASK_MS,
    });
    return true;
  } catch (error) {
    if (!(error instanceof ServiceError) || !(error.cause instanceof EngineAnswer)) throw error;
    const { status, words } = error.cause;
    if (/source path does not exist|no such file or directory|statfs|not a directory/i.test(words)) {
      return false;
    }
    return status === 404 && !isPodman ? true : null;
  }
}
