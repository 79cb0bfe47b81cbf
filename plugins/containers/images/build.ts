/** Builds an image and reports progress; succeeds only if the engine names the image afterwards. */
import type { BuildOrder, BuildSpec } from "../../../core/engine_acts.ts";
import { ServiceError } from "../../../core/error.ts";
import { looksSecret, MASK, maskText } from "../../../core/secrets.ts";
import { withoutEnd } from "../../../core/without_end.ts";
import { Cutoff } from "../../../engines/calls/cutoff.ts";
import type { Engine } from "../../../engines/calls/engine.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { clean, EngineAnswer, said, withoutOthers } from "../../../engines/calls/failure.ts";
import { at } from "../../../engines/calls/path.ts";
import { TextLines } from "../../../engines/calls/text_lines.ts";
import { objectOf, parseJson, textOf } from "../../../engines/calls/wire.ts";
import { BuildTrace } from "./build_trace.ts";

/** A whole build, from the first byte of its context on. */
const BUILD_MS = 60 * 60_000;
/** An engine begins to answer when it has the context. */
const CONTEXT_MS = 10 * 60_000;
const LONGEST_LINE = 500;

/** Throws `build_failed` with the engine's own words. */
export async function build(
  engine: Engine,
  kind: "docker" | "podman",
  { spec, context, signal, progress }: BuildOrder,
): Promise<void> {
  using ending = new Cutoff([signal]);
  ending.expire(BUILD_MS);
  const subject = { doing: `build "${spec.tags[0]}"` };
  const output = new Output(spec, progress);
  const source = watched(context);
  try {
    await using stream = await engine.stream("POST", at`/build`, {
      ...subject,
      query: queryOf(spec, kind),
      body: source.stream,
      firstByteMs: CONTEXT_MS,
      signal: ending.signal,
    });
    const lines = new TextLines();
    for await (const chunk of stream.body) {
      for (const line of lines.push(chunk)) output.take(line);
    }
    // An aborted stream looks like a complete one.
    if (ending.signal.aborted) throw ending.signal.reason;
    for (const line of lines.push(NEWLINE)) output.take(line);
    if (!output.isNamed) throw failed(spec, "the engine named no image, although it reported no error");
  } catch (error) {
    if (source.failure() !== null) throw source.failure();
    if (ending.signal.aborted) throw ending.failure(engine.name, ending.signal.reason, subject);
    if (!(error instanceof ServiceError)) throw failed(spec, "the engine's answer was cut short", error);
    if (error.cause instanceof EngineAnswer && error.cause.words !== "") {
      throw failed(spec, error.cause.words, error);
    }
    throw error;
  }
}

const NEWLINE = new TextEncoder().encode("\n");

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

/** The context, and the reason if it ended before its end. */
function watched(context: ReadableStream<Uint8Array<ArrayBuffer>>) {
  let failure: unknown = null;
  const reader = context.getReader();
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
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

/** Reads what the engine says of the build, in the words of any of the three builders. */
class Output {
  readonly #trace = new BuildTrace();
  #isNamed = false;
  #step: string | null = null;

  constructor(private readonly spec: BuildSpec, private readonly progress: BuildOrder["progress"]) {}

  get isNamed(): boolean {
    return this.#isNamed;
  }

  take(line: string): void {
    const frame = objectOf(parseJson(line));
    const refused = textOf(objectOf(frame.errorDetail).message) || textOf(frame.error);
    if (refused !== "") throw failed(this.spec, refused);
    if (frame.id === "moby.buildkit.trace") return this.#told(textOf(frame.aux));
    if (textOf(objectOf(frame.aux).ID) !== "") this.#isNamed = true;
    const text = textOf(frame.stream) || textOf(frame.status);
    const step = /^step \d+\/\d+ ?:.*/i.exec(text.trim());
    if (step !== null) this.#step = this.#shown(step[0]);
    this.#say(this.#step, text);
  }

  #told(message: string): void {
    const { began, printed } = this.#trace.read(message);
    for (const { step, isCached } of began) {
      if (!step.startsWith("[internal]")) this.#say(this.#shown(step), isCached ? "cached" : "begins");
    }
    for (const { step, text } of printed) this.#say(this.#shown(step), text);
  }

  #shown(text: string): string {
    return hidden(text, this.spec).trim().slice(0, LONGEST_LINE);
  }

  #say(layer: string | null, text: string): void {
    for (const line of text.split(/[\r\n]+/)) {
      const status = this.#shown(line);
      if (status !== "" && status !== layer) this.progress({ layer, status, current: null, total: null });
    }
  }
}

/** A shorter value may be any word. */
const LEAST_SECRET = 6;

/** The text without secrets: builders repeat commands with the values of their arguments. */
function hidden(text: string, { args }: BuildSpec): string {
  const secrets = Object.entries(args).flatMap(([name, value]) =>
    looksSecret(name) && value.length >= LEAST_SECRET ? [value] : []
  );
  return maskText(secrets.reduce((shown, secret) => shown.replaceAll(secret, MASK), clean(text)));
}

function failed(spec: BuildSpec, words: string, cause?: unknown): ServiceError {
  const [name = ""] = spec.tags;
  const why = withoutEnd(hidden(said(words), spec).replaceAll('"', "'"), ". ");
  return engineError("build_failed", `Cannot build "${name}": ${why}`, {
    cause,
    discreet: `Cannot build "${name}": ${withoutOthers(why, name)}`,
  });
}
