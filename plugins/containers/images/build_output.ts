/** What a build prints, as whole lines without its secrets, in the words of any of the three builders. */
import type { BuildOrder, BuildSpec } from "../../../core/engine_acts.ts";
import { looksSecret, MASK, maskText } from "../../../core/secrets.ts";
import { clean } from "../../../engines/calls/failure.ts";
import { TextLines } from "../../../engines/calls/text_lines.ts";
import { objectOf, parseJson, textOf } from "../../../engines/calls/wire.ts";
import { BuildTrace } from "./build_trace.ts";

const LONGEST_LINE = 500;
/** The one stream of a builder that does not tell which step prints. */
const ONLY = "";

/** Masks lines when they are whole: engines cut what a step prints anywhere, also inside of a secret. */
export class BuildOutput {
  readonly #trace = new BuildTrace();
  /** Lines that have begun, by the stream that they come in. */
  readonly #open = new Map<string, { step: string | null; readonly lines: TextLines }>();
  #isNamed = false;
  #step: string | null = null;

  constructor(private readonly spec: BuildSpec, private readonly progress: BuildOrder["progress"]) {}

  /** True if the engine has named the image. */
  get isNamed(): boolean {
    return this.#isNamed;
  }

  /** Reads one line of the answer. Returns the words by which the engine refused; null for all others. */
  take(line: string): string | null {
    const frame = objectOf(parseJson(line));
    const refused = textOf(objectOf(frame.errorDetail).message) || textOf(frame.error);
    if (refused !== "") return refused;
    if (frame.id === "moby.buildkit.trace") this.#traced(textOf(frame.aux));
    if (textOf(objectOf(frame.aux).ID) !== "") this.#isNamed = true;
    if (textOf(frame.status) !== "") this.#say(this.#step, textOf(frame.status));
    this.#streamed(textOf(frame.stream));
    return null;
  }

  /** Tells the lines that never ended. */
  end(): void {
    for (const stream of [...this.#open.keys()]) this.#close(stream);
  }

  #streamed(text: string): void {
    const step = /^step \d+\/\d+ ?:.*/i.exec(text.trim());
    if (step !== null) {
      this.#close(ONLY);
      this.#step = this.#shown(step[0]);
    }
    if (text !== "") this.#print(ONLY, this.#step, encoder.encode(text));
  }

  #traced(message: string): void {
    const { began, printed, ended } = this.#trace.read(message);
    for (const { step, isCached } of began) {
      if (!step.startsWith("[internal]")) this.#say(this.#shown(step), isCached ? "cached" : "begins");
    }
    for (const { stream, step, bytes } of printed) this.#print(stream, this.#shown(step), bytes);
    for (const stream of ended) this.#close(stream);
  }

  #print(stream: string, step: string | null, bytes: Uint8Array): void {
    const open = this.#open.get(stream) ?? { step, lines: new TextLines() };
    this.#open.set(stream, open);
    open.step = step;
    for (const line of open.lines.push(bytes)) this.#say(step, line);
  }

  #close(stream: string): void {
    const open = this.#open.get(stream);
    this.#open.delete(stream);
    for (const line of open?.lines.end() ?? []) this.#say(open!.step, line);
  }

  #shown(text: string): string {
    return clean(maskBuild(text, this.spec)).slice(0, LONGEST_LINE);
  }

  #say(layer: string | null, text: string): void {
    for (const line of maskBuild(text, this.spec).split("\r")) {
      const status = this.#shown(line);
      if (status !== "" && status !== layer) this.progress({ layer, status, current: null, total: null });
    }
  }
}

const encoder = new TextEncoder();

/** A shorter value may be any word. */
const LEAST_SECRET = 6;

/**
 * Masks the values of all arguments, of labels that are secrets by their names, and all else as `maskText`. The name of
 * an argument says too little: a Dockerfile may do anything with it, and steps print commands with its value.
 */
export function maskBuild(text: string, { args, labels }: BuildSpec): string {
  const secrets = Object.entries(labels).filter(([name]) => looksSecret(name));
  const words = [...Object.values(args), ...secrets.map(([, value]) => value)]
    .flatMap((value) => [value, ...value.split(/[\r\n]+/)].map((one) => one.trim()))
    .filter((one) => one.length >= LEAST_SECRET)
    .sort((one, other) => other.length - one.length);
  return maskText(words.reduce((shown, word) => shown.replaceAll(word, MASK), text));
}
