/** Rows that people have put aside, and the way back. */
import { useState } from "preact/hooks";
import { forgetBefore, ignoredBefore } from "../live/ignored.ts";
import { type Aside, setIgnored } from "../live/projects.ts";
import { may } from "../live/session.ts";
import { type Problem, problemOf } from "../live/problem.ts";
import { shown } from "./shown.ts";
import { Trouble } from "./states.tsx";
import { words } from "../words/en_later.ts";

const TEXT = words.undeclared;

export function Ignored({ aside }: { readonly aside: readonly Aside[] }) {
  const [isOpen, setOpen] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  if (aside.length === 0) return null;
  const again = (one: Aside) => {
    setProblem(null);
    setIgnored(one, false).catch((error: unknown) => setProblem(problemOf(error)));
  };
  return (
    <>
      <p class="hint">
        {TEXT.ignored(aside.length)}{" "}
        <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? TEXT.hide : TEXT.show}
        </button>
      </p>
      {problem !== null && <Trouble problem={problem} />}
      {isOpen && (
        <ul class="project-units" aria-label={TEXT.ignored(aside.length)}>
          {aside.map((one) => (
            <li class="project-loose" key={`${one.kind} ${one.id}`}>
              <span class="quiet">{shown(one.id)}</span>
              {may("workspaces:write") && (
                <button
                  type="button"
                  class="link"
                  aria-label={words.actOn(TEXT.unignore, shown(one.name))}
                  onClick={() => again(one)}
                >
                  {TEXT.unignore}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Offers once to take over what this browser alone ignored before. */
export function IgnoredBefore() {
  const [rows, setRows] = useState(ignoredBefore);
  const [problem, setProblem] = useState<Problem | null>(null);
  if (rows.length === 0 || !may("workspaces:write")) return null;
  const forget = () => {
    forgetBefore();
    setRows([]);
  };
  const takeOver = async () => {
    for (const one of rows) {
      await setIgnored(one, true).catch((error: unknown) => {
        // A row that is gone, or declared by now, needs no ignoring.
        const found = problemOf(error);
        if (found?.status !== 404 && found?.status !== 409) throw error;
      });
    }
    forget();
  };
  return (
    <>
      <p class="hint">
        {TEXT.before(rows.length)}{" "}
        <button
          type="button"
          class="link"
          onClick={() => void takeOver().catch((error: unknown) => setProblem(problemOf(error)))}
        >
          {TEXT.takeOver}
        </button>{" "}
        <button type="button" class="link" onClick={forget}>{TEXT.forget}</button>
      </p>
      {problem !== null && <Trouble problem={problem} />}
    </>
  );
}
