/** Keys that count on every screen; single letters only while nothing is written, and as long as they are wanted. */
import { signal } from "@preact/signals";
import { go } from "../router.ts";
import { NAMED } from "../screen_table.ts";

const OFF = "berth.no-letters";

export const areLettersOn = signal(localStorage.getItem(OFF) === null);

export function switchLetters(areOn: boolean): void {
  areLettersOn.value = areOn;
  if (areOn) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, "1");
}

/** The overlay that is open over the screen. */
export const opened = signal<"palette" | "keys" | null>(null);

/** The letter behind `g`, and the screen that it goes to. */
const WAYS = new Map(NAMED.flatMap(({ key, path }) => key === undefined ? [] : [[key, path] as const]));

/** The time within which a letter may follow `g`. */
const PATIENCE_MS = 1_500;

export function listenToKeys(): () => void {
  let begunAt = -Infinity;
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === "k") {
      if (isIn(event, ".terminal-box")) return; // a shell has a use for it
      event.preventDefault();
      opened.value = "palette";
      return;
    }
    const isLetter = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isLetter || !areLettersOn.value || isWriting(event) || document.querySelector("dialog[open]")) {
      return;
    }
    const isSecond = performance.now() - begunAt < PATIENCE_MS;
    begunAt = -Infinity;
    const way = isSecond ? WAYS.get(event.key) : undefined;
    if (way !== undefined) {
      event.preventDefault();
      go(way);
    } else if (event.key === "g") begunAt = performance.now();
    else if (event.key === "/") {
      event.preventDefault();
      const field = document.querySelector<HTMLInputElement>("main input[type=search]");
      if (field === null) opened.value = "palette";
      else field.focus();
    } else if (event.key === ".") {
      event.preventDefault();
      // The chosen screen is drawn first.
      requestAnimationFrame(() => requestAnimationFrame(goToActions));
    } else if (event.key === "?") {
      event.preventDefault();
      opened.value = "keys";
    }
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

/** To the first thing that can be done with what is chosen, or with what the screen is about. */
function goToActions(): void {
  const inOrder = [".actions", "main .screen-end", "main .screen-head"];
  const found = inOrder.map((one) => document.querySelector<HTMLElement>(`${one} button:not(:disabled)`));
  found.find((one) => one !== null)?.focus();
}

/** True if the key goes into a text; an editor's own input is below its box. */
function isWriting(event: KeyboardEvent): boolean {
  return isIn(event, "input, textarea, select, [contenteditable=true]");
}

function isIn(event: KeyboardEvent, selector: string): boolean {
  return event.composedPath().some((one) => one instanceof Element && one.matches(selector));
}
