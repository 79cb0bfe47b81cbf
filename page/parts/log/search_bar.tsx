/** The field in which one writes what is looked for, with its switches, and the way from one to the next. */
import type { Search } from "../../live/lines.ts";
import type { Asked, Wanted } from "../../live/wanted.ts";
import { words } from "../../words/en_later.ts";
import { ask, isAmongOthers, type Switch } from "./asked.ts";

export function SearchField(
  { asked, wanted, step }: {
    readonly asked: Asked;
    readonly wanted: Wanted | null;
    readonly step: (by: 1 | -1) => void;
  },
) {
  const refusal = wanted?.refusal ?? null;
  return (
    <span class="log-search" role="search">
      <input
        type="search"
        aria-label={words.log.search}
        placeholder={words.log.search}
        value={asked.text}
        aria-invalid={refusal !== null}
        {...(refusal === null ? {} : { "aria-describedby": "log-refusal" })}
        onInput={(event) => ask({ q: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.isComposing) return;
          event.preventDefault();
          step(event.shiftKey ? -1 : 1);
        }}
      />
      <Toggle name="case" isOn={asked.matchCase} label={words.log.matchCase}>Aa</Toggle>
      <Toggle name="pattern" isOn={asked.isPattern} label={words.log.pattern}>.*</Toggle>
      <Toggle name="errors" isOn={asked.onlyErrors}>{words.log.onlyErrors}</Toggle>
      {refusal !== null && (
        <span id="log-refusal" class="log-refusal" role="alert">{words.log.refusals[refusal]}</span>
      )}
    </span>
  );
}

export function Toggle(
  { name, isOn, label, children }: {
    readonly name: Switch;
    readonly isOn: boolean;
    readonly label?: string;
    readonly children: string;
  },
) {
  return (
    <button
      type="button"
      class="button"
      aria-pressed={isOn}
      {...(label === undefined ? {} : { "aria-label": label, title: label })}
      onClick={() => ask({ [name]: !isOn })}
    >
      {children}
    </button>
  );
}

/** The number of matches, and the chosen one. */
export function Matches(
  { search, chosen, step }: {
    readonly search: Search;
    readonly chosen: number | null;
    readonly step: (by: 1 | -1) => void;
  },
) {
  const amount = search.found.length;
  const at = chosen === null ? -1 : search.found.indexOf(chosen);
  return (
    <span class="log-matches">
      <span role="status">{at === -1 ? words.log.matches(amount) : words.log.matchOf(at + 1, amount)}</span>
      <button
        type="button"
        class="button"
        aria-label={words.log.previous}
        disabled={amount === 0}
        onClick={() => step(-1)}
      >
        ↑
      </button>
      <button
        type="button"
        class="button"
        aria-label={words.log.next}
        disabled={amount === 0}
        onClick={() => step(1)}
      >
        ↓
      </button>
      <Toggle name="among" isOn={isAmongOthers()}>{words.log.among}</Toggle>
    </span>
  );
}
