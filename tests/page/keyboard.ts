/** A screen walked by the keyboard alone: all that can be used is reached, nothing holds one, and one sees where one is. */
import assert from "node:assert/strict";
import type { Opened } from "./opened.ts";

/** More than any screen of a test has. */
const MOST_STEPS = 400;
const AT_ONCE = 20;
/** A screen of which something is drawn anew meanwhile, and that is wrong then, is walked again. */
const MOST_WALKS = 3;

/**
 * Goes from the beginning of the document with Tab until it is there again. What Tab leaves out is in a grid, a list of
 * tabs or a drawing, within which arrows go on.
 */
export async function assertWalked(opened: Opened, screen: string): Promise<void> {
  let walked = await walk(opened);
  for (let again = 1; walked.wrong.length > 0 && walked.isNew && again < MOST_WALKS; again++) {
    walked = await walk(opened);
  }
  assert.deepEqual(walked.wrong, [], `${screen}, by keyboard`);
}

interface Walked {
  readonly wrong: readonly string[];
  /** Something came or went while one walked. */
  readonly isNew: boolean;
}

async function walk({ page }: Opened): Promise<Walked> {
  await page.evaluate(BEGIN);
  let isOver = false;
  for (let steps = 0; !isOver && steps < MOST_STEPS; steps += AT_ONCE) {
    for (let at = 0; at < AT_ONCE; at++) await page.keyboard.press("Tab");
    isOver = await page.evaluate<boolean>("walk.isOver");
  }
  const { wrong, isNew } = await page.evaluate<Walked>(END);
  return { wrong: isOver ? wrong : [...wrong, "Tab does not come back to the beginning"], isNew };
}

const ALL = "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, " +
  "[contenteditable=true], [tabindex='0']";

/** Notes each element that gets the focus, and whether one would see it. */
const BEGIN = `(() => {
  globalThis.walk?.end();
  const reached = new Set(), unseen = new Set(), plain = new Set(), ending = new AbortController();
  const nameOf = (one) => one.localName + " " + (one.getAttribute("aria-label") ?? one.textContent).trim().slice(0, 40);
  const isSeen = (one) => {
    const { left, right, top, bottom, width, height } = one.getBoundingClientRect();
    if (width * height === 0) return true; // what is drawn stands beside it
    const within = (low, high, most) => [0.1, 0.5, 0.9].map((part) =>
      Math.max(low, 0) + (Math.min(high, most) - Math.max(low, 0)) * part);
    return within(left, right, innerWidth).some((x) => within(top, bottom, innerHeight).some((y) => {
      const above = one.getRootNode().elementFromPoint(x, y);
      return above !== null && (one.contains(above) || above.contains(one) && above.closest("dialog, main, header") !== above);
    }));
  };
  // As it looks with the focus, and without it once the next one has it.
  const lookOf = (one) => [one.parentElement?.parentElement, one.parentElement, one, ...one.querySelectorAll("*")]
    .filter(Boolean).slice(0, 50).map((part) => {
      const look = getComputedStyle(part);
      return [look.outline, look.boxShadow, look.border, look.stroke, look.strokeWidth, look.backgroundColor].join();
    }).join();
  document.activeElement?.blur();
  getSelection()?.removeAllRanges();
  const drawing = new MutationObserver(() => walk.isNew = true);
  drawing.observe(document.body, { childList: true, subtree: true });
  const end = () => {
    ending.abort();
    drawing.disconnect();
  };
  globalThis.walk = { reached, unseen, plain, nameOf, lookOf, isOver: false, isNew: false, end };
  let first = null, before = null;
  addEventListener("focusin", (event) => {
    if (walk.isOver) return;
    const [target] = event.composedPath();
    if (before !== null && before.look === lookOf(before.one)) plain.add(before.one);
    before = { one: target, look: lookOf(target) };
    if (target === first) return void (walk.isOver = true);
    first ??= target;
    reached.add(target);
    if (!isSeen(target)) unseen.add("covered, or out of view: " + nameOf(target));
  }, { signal: ending.signal });
})()`;

/** An element that shows its focus with a moment's delay gets it once more. */
const END = `(async () => {
  const { reached, unseen, plain, nameOf, lookOf, isNew } = walk;
  walk.end();
  for (const one of plain) {
    document.activeElement.blur();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const look = lookOf(one);
    one.focus();
    for (let at = 0; at < 100 && look === lookOf(one); at++) await new Promise((resolve) => setTimeout(resolve, 20));
    if (look === lookOf(one)) unseen.add("looks the same with the focus: " + nameOf(one));
  }
  const groups = "[role=grid], [role=tablist], [role=listbox], [role=tree], [role=toolbar], svg";
  const all = document.querySelectorAll("${ALL}");
  const missed = [...all].filter((one) => one.checkVisibility({ visibilityProperty: true })
    && !one.closest("[inert]") && !reached.has(one)
    && !(one.type === "radio" && [...reached].some(({ type, name }) => type === "radio" && name === one.name))
    && !(one.tabIndex < 0 && [...reached].some((other) => one.closest(groups)?.contains(other))));
  const wrong = [...unseen, ...missed.map((one) => "not reached: " + nameOf(one))];
  return { wrong, isNew };
})()`;
