/** Builds an image and reports progress; succeeds only if the engine names the image afterwards. */
import type { BuildOrder, BuildSpec } from "../../../core/engine_acts.ts";
import { ServiceError } from "../../../core/error.ts";
import { withoutEnd } from "../../../core/without_end.ts";
import { Cutoff } from "../../../engines/calls/cutoff.ts";
import type { Engine } from "../../../engines/calls/engine.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { EngineAnswer, said, withoutOthers } from "../../../engines/calls/failure.ts";
import { at } from "../../../engines/calls/path.ts";
import { TextLines } from "../../../engines/calls/text_lines.ts";
import { BuildOutput, maskBuild } from "./build_output.ts";
import { CutShort } from "../../../core/cut_short.ts";

/** A whole build, from the first byte of its context on. */
const BUILD_MS = 60 * 60_000;
/** An engine begins to answer when it has the context. */
const CONTEXT_MS = 10 * 60_000;
/** A build without a byte for this long has failed, once its connection may be half open. A step may be silent for longer. */
const IN_DOUBT_MS = 120_000;

/** Throws `build_failed` with the engine's own words. */
export async function build(
  engine: Engine,
  kind: "docker" | "podman",
  { spec, context, signal, progress }: BuildOrder,
  inDoubtMs = IN_DOUBT_MS,
): Promise<void> {
  using ending = new Cutoff([signal]);
  ending.expire(BUILD_MS);
  const subject = { doing: `build "${spec.tags[0]}"` };
  const output = new BuildOutput(spec, progress);
  using doubt = new DoubtTimer(engine, ending, inDoubtMs);
  const source = watched(context, () => doubt.heard());
  try {
    await using stream = await engine.stream("POST", at`/build`, {
      ...subject,
      query: queryOf(spec, kind),
      body: source.stream,
      firstByteMs: CONTEXT_MS,
      signal: ending.signal,
    });
    let refused: string | null = null;
    for await (const line of linesOf(stream.body, () => doubt.heard())) {
      refused = output.take(line);
      if (refused !== null) break;
    }
    output.end();
    // An aborted stream looks like a complete one.
    if (ending.signal.aborted) throw ending.signal.reason;
    if (refused !== null) throw failed(spec, refused);
    if (!output.isNamed) throw failed(spec, "the engine named no image, although it reported no error");
  } catch (error) {
    if (source.failure() !== null) throw source.failure();
    if (ending.signal.aborted) throw ending.failure(engine.name, ending.signal.reason, subject);
    if (!(error instanceof ServiceError)) {
      throw failed(spec, "the engine's answer was cut short", new CutShort(error));
    }
    if (error.cause instanceof EngineAnswer && error.cause.words !== "") {
      throw failed(spec, error.cause.words, error);
    }
    throw error;
  }
}

/** Ends a build whose connection may be half open, unless a byte comes or goes in time. */
class DoubtTimer implements Disposable {
  #signal!: AbortSignal; // the constructor listens to it
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #begin = () => {
    this.#timer ??= setTimeout(() => this.ending.expire(0), this.ms);
  };

  constructor(
    private readonly engine: Engine,
    private readonly ending: Cutoff,
    private readonly ms: number,
  ) {
    this.#listen();
  }

  /** The connection is whole: the next doubt counts. */
  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#signal.removeEventListener("abort", this.#begin);
    this.#listen();
  }

  #listen(): void {
    this.#signal = this.engine.doubt;
    if (this.#signal.aborted) this.#begin();
    else this.#signal.addEventListener("abort", this.#begin);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#begin);
  }
}

async function* linesOf(body: AsyncIterable<Uint8Array>, heard: () => void): AsyncGenerator<string> {
  const lines = new TextLines();
  for await (const chunk of body) {
    heard();
    yield* lines.push(chunk);
  }
  yield* lines.end();
}

/** BuildKit on Docker: its builder gives a build nothing of the host. Podman has one builder. */
function queryOf(spec: BuildSpec, kind: "docker" | "podman") {
  return {
    ...kind === "docker" && { version: 2 },
    t: spec.tags,
    dockerfile: spec.dockerfile,
    rm: 1,
    forcerm: 1,
    buildargs: JSON.stringify(spec.args),
    labels: JSON.stringify(spec.labels),
    cachefrom: spec.cacheFrom.length === 0 ? undefined : JSON.stringify(spec.cacheFrom),
    extrahosts: spec.extraHosts.length === 0
      ? undefined
      : kind === "docker"
      ? spec.extraHosts
      : JSON.stringify(spec.extraHosts),
    networkmode: spec.network || undefined,
    nocache: spec.noCache ? 1 : undefined,
    platform: spec.platform || undefined,
    pull: spec.pull ? 1 : undefined,
    shmsize: spec.shmBytes ?? undefined,
    target: spec.target || undefined,
  };
}

/** The context, and the reason if it ended before its end. `sent` is told of each part that goes. */
function watched(context: ReadableStream<Uint8Array<ArrayBuffer>>, sent: () => void) {
  let failure: unknown = null;
  const reader = context.getReader();
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        sent();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        failure = error;
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { stream, failure: () => failure };
}

function failed(spec: BuildSpec, words: string, cause?: unknown): ServiceError {
  const [name = ""] = spec.tags;
  const why = withoutEnd(said(maskBuild(words, spec)).replaceAll('"', "'"), ". ");
  return engineError("build_failed", `Cannot build "${name}": ${why}`, {
    cause,
    discreet: `Cannot build "${name}": ${withoutOthers(why, name)}`,
  });
}
