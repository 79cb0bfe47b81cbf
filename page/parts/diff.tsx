/** The lines in which two texts differ, with sign, word and ground. */
import { diffOf } from "../live/line_diff.ts";
import { words } from "../words/en_later.ts";
import { shown } from "./shown.ts";

export function Diff({ before, after, label }: {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}) {
  const lines = diffOf(before, after);
  if (lines.length === 0) return <p class="hint">{words.files.noDifference}</p>;
  return (
    <div class="diff" role="region" aria-label={label} tabIndex={0}>
      {lines.map((line, index) =>
        line.sign === "…"
          ? <p class="diff-skipped quiet" key={index}>{words.files.same(line.amount)}</p>
          : (
            <div class={`diff-line ${CLASSES[line.sign]}`} key={index}>
              <span class="line-number">{line.number}</span>
              <span class="diff-sign" aria-hidden="true">{line.sign}</span>
              {line.sign !== " " && (
                <span class="unseen">{line.sign === "+" ? words.files.added : words.files.removed}</span>
              )}
              <code>{shown(line.text) || " "}</code>
            </div>
          )
      )}
    </div>
  );
}

const CLASSES = { " ": "", "+": "is-added", "-": "is-removed" };
