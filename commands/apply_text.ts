/** An apply in words: a line an event for a pipe, and for a terminal a line a step that changes in its place. */
import type { ApplyEvent } from "../client/berth/applies.ts";
import type { ApplyStep } from "../client/berth/models.ts";
import { visible } from "../log/line.ts";
import { hookText, WORDS } from "./plan_text.ts";

type Steps = readonly ApplyStep[];

const STATES: Readonly<Record<ApplyStep["state"], string>> = {
  waiting: "·",
  running: "…",
  done: "✓",
  failed: "✗",
  skipped: "-",
  unknown: "?",
  undone: "↶",
};

/** Null for what is no news in a pipe. */
export function lineOf(event: ApplyEvent, steps: Steps): string | null {
  switch (event.kind) {
    case "step":
      return visible(`${event.state.padEnd(8)}${titleOf(event.step, steps)}${whyOf(event)}`);
    case "log":
      return event.lines.map((line) => visible(`        ${event.container} | ${line}`)).join("\n");
    case "state":
      // The end follows, and a failed step has said why.
      return event.reason === null || event.state === "done" || event.state === "failed"
        ? null
        : visible(`${event.state}: ${event.reason}`);
    case "progress":
      return null;
    case "end":
      return event.state === "done" && event.reason !== null ? visible(doneBut(event.reason)) : event.state;
  }
}

/** Returns the words for an apply of which all steps are done, and a container does not stay up. */
export const doneBut = (reason: string): string => `done, but ${reason}`;

const whyOf = ({ error, note }: Extract<ApplyEvent, { kind: "step" }>): string =>
  error !== null ? `: ${error.title}` : note !== null ? `: ${note}` : "";

function titleOf(n: number, steps: Steps): string {
  const step = steps.find((one) => one.n === n);
  if (step === undefined) return `step ${n}`;
  const { kind, target, hook } = step;
  return `${WORDS[kind]} ${target}${hook === undefined ? "" : hookText(hook)}`;
}

/** A line for each event that is news. */
export class ApplyLines {
  #last: string | null = null;

  constructor(private readonly steps: Steps) {}

  /** Returns the event's line; null where there is none, and where the step said the same just before. */
  after(event: ApplyEvent): string | null {
    const text = lineOf(event, this.steps);
    if (text === null || (event.kind === "step" && text === this.#last)) return null;
    return this.#last = text;
  }
}

/** All steps at their places; what does not fit on the screen is told line by line. */
export class ApplyPicture {
  readonly #lines: Map<number, string>;
  readonly #fits: boolean;
  readonly #width: number;

  constructor(
    private readonly steps: Steps,
    { columns, rows }: { readonly columns: number; readonly rows: number },
  ) {
    this.#width = columns;
    this.#fits = steps.length < rows - 1;
    this.#lines = new Map(steps.map(({ n, state }) => [n, this.#line(n, state, "")]));
  }

  first(): string {
    return this.#fits ? this.#all() : "";
  }

  /** Returns the text that a terminal receives for the event. */
  after(event: ApplyEvent): string {
    if (!this.#fits || event.kind === "log" || event.kind === "state") {
      const line = lineOf(event, this.steps);
      if (line === null) return "";
      return this.#fits ? `${this.#up()}\x1b[J${line}\n${this.#all()}` : `${line}\n`;
    }
    if (event.kind === "end") return "";
    const more = event.kind === "progress" ? progressOf(event) : whyOf(event);
    const state = event.kind === "progress" ? "running" : event.state;
    this.#lines.set(event.step, this.#line(event.step, state, more));
    return this.#up() + this.#all();
  }

  #line(n: number, state: ApplyStep["state"], more: string): string {
    return visible(`${STATES[state]} ${titleOf(n, this.steps)}${more}`).slice(0, this.#width - 1);
  }

  #up(): string {
    return `\x1b[${this.#lines.size}A`;
  }

  #all(): string {
    return [...this.#lines.values()].map((line) => `\x1b[2K${line}\n`).join("");
  }
}

function progressOf({ layer, status, current, total }: Extract<ApplyEvent, { kind: "progress" }>): string {
  const share = current !== null && total !== null && total > 0
    ? ` ${Math.floor(100 * current / total)} %`
    : "";
  return `: ${layer === null ? "" : `${layer} `}${status}${share}`;
}
