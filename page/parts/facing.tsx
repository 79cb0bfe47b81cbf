/** The one way in which a declared value and the one that runs are shown: facing each other, the line between them. */
import type { ComponentChildren } from "preact";
import { words } from "../words/en_later.ts";
import type { MountReading } from "../../client/berth/models.ts";
import { readable } from "./readable.ts";
import { StaleMount } from "./stale_mount.tsx";
import { shown } from "./shown.ts";

/** The beginning and the end that two texts share are quiet; what is between them is what differs. */
export function between(one: string, other: string): readonly [start: number, end: number] {
  let start = 0;
  while (start < Math.min(one.length, other.length) && one[start] === other[start]) start++;
  let end = 0;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  // Whole words: of `postgres:16` it is `16` that differs, not `6`.
  while (start > 0 && WORD.test(one[start - 1]!)) start--;
  while (end > 0 && WORD.test(one.at(-end)!)) end--;
  return [start, end];
}

const WORD = /[\p{L}\p{N}]/u;

function Differing(given: { readonly text: string; readonly other: string }) {
  const [text, other] = [readable(given.text), readable(given.other)];
  const [start, end] = between(text, other);
  const middle = text.slice(start, text.length - end);
  // Values with nothing in common, or one that contains the other, are shown whole.
  if (middle === "" || start + end === 0) return <code>{shown(text)}</code>;
  return (
    <code>
      {shown(text.slice(0, start))}
      <b>{shown(middle)}</b>
      {shown(text.slice(text.length - end))}
    </code>
  );
}

export interface FacingProps {
  readonly field: string;
  readonly declared: string;
  readonly actual: string;
  /** The declared value with those of its variables, where they may be shown. */
  readonly resolved?: string;
  /** The places that set them. */
  readonly from?: readonly { readonly name: string; readonly file: string; readonly line: number }[];
  readonly mount?: MountReading;
  /** True if the actual value ran until now. */
  readonly isPast?: boolean;
  /** Content at the end of the row, such as the place of the value. */
  readonly children?: ComponentChildren;
}

export function Facing(
  { field, declared, resolved, from = [], actual, mount, isPast = false, children }: FacingProps,
) {
  if (mount !== undefined) return <StaleMount field={field} mount={mount}>{children}</StaleMount>;
  return (
    <div class="facing">
      <span class="facing-field">{shown(field)}</span>
      <span class="facing-side is-declared">
        <span class="facing-word">{words.unit.declared}</span>{" "}
        <Differing text={resolved ?? declared} other={actual} />
      </span>
      <span class="facing-line" aria-hidden="true" />
      <span class="facing-side is-actual">
        <span class="facing-word">{isPast ? words.unit.ran : words.unit.runs}</span>{" "}
        <Differing text={actual} other={resolved ?? declared} />
      </span>
      <span class="facing-end">
        {resolved !== undefined && resolved !== declared && (
          <span class="quiet">
            {shown([declared, ...from.map(({ name, file, line }) => `${name} ${file}:${line}`)].join(" · "))}
          </span>
        )} {children}
      </span>
    </div>
  );
}
