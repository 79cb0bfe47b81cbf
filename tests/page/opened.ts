/** The page in a browser, watched: what the console says, what the policy refuses, what is asked of others. */
import assert from "node:assert/strict";
import axe from "npm:axe-core@4.14.1";
import type { Browser, BrowserContextOptions, Page } from "npm:playwright-core@1.65.1";
import { buildPage } from "../../page/build.ts";
import type { TestService } from "../support/service.ts";

await buildPage();

export interface Opened extends AsyncDisposable {
  readonly page: Page;
  /** Console errors, uncaught exceptions, refusals of the policy, and what was asked of another host, since it was opened. */
  readonly complaints: string[];
  /** Goes to an address of the same berth, as a person who types it. */
  visit(path: string): Promise<void>;
}

/** A browser window of its own at this address, which is signed in with the key if there is one. */
export async function openPage(
  browser: Browser,
  berth: Pick<TestService, "url">,
  { key = null, path = "/", ...context }: BrowserContextOptions & {
    readonly key?: string | null;
    readonly path?: string;
  } = {},
): Promise<Opened> {
  const opened = await browser.newContext({ viewport: DESK, ...context });
  const page = await opened.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(`uncaught: ${error.message}`));
  page.on("console", (message) => {
    // A browser complains of every answer that is no success; what the page makes of those is tested by itself.
    const isAnswer = /^Failed to load resource: |^WebSocket connection to/.test(message.text());
    if (message.type() === "error" && !isAnswer) complaints.push(message.text());
  });
  page.on("request", (request) => {
    const [url, isOurs] = [request.url(), page.url().startsWith(berth.url)];
    if (
      isOurs && !request.isNavigationRequest() && !url.startsWith(berth.url) && !/^(?:data|blob):/.test(url)
    ) {
      complaints.push(`asked of another host: ${url}`);
    }
  });
  await page.addInitScript(`addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
    console.error("refused by the policy: " + violatedDirective + " " + blockedURI))`);
  const visit = async (to: string) => void await page.goto(berth.url + to);
  await visit(path);
  if (key !== null) {
    await signInWithKey(page, key);
    await page.getByRole("navigation", { name: "Screens", exact: true }).waitFor();
  }
  return { page, complaints, visit, [Symbol.asyncDispose]: () => opened.close() };
}

export async function signInWithKey(page: Page, key: string): Promise<void> {
  await page.getByRole("button", { name: "Sign in with an API key" }).click();
  await page.getByRole("textbox", { name: "API key" }).fill(key);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

const isProof = Deno.env.get("BERTH_PROOF") === "1";
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/**
 * Returns in words what axe finds in the document as it is now; by these rules, or all that there are. Where a question
 * is open it looks at that alone: nothing behind it can be reached, and that was looked at before.
 */
export async function inaccessible(page: Page, rules: readonly string[] = RULES): Promise<string[]> {
  if (!await page.evaluate<boolean>("'axe' in window")) await page.evaluate(axe.source);
  // Colours are judged as they are once they have stopped changing. What axe found well is far more than what it
  // found wrong, so it stays in the browser.
  return await page.evaluate<string[]>(`(() => {
    for (const one of document.getAnimations()) {
      if (one.effect?.getComputedTiming().endTime < Infinity) one.finish();
    }
    return axe.run([...document.querySelectorAll("dialog:modal")].at(-1) ?? document, { runOnly: ${
    JSON.stringify(rules)
  }, resultTypes: ["violations"] });
  })().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any }) => id + ": " + target.join(" ") + " " + (any[0]?.message ?? ""))))`);
}

/** Rules that depend on both theme and width; all others depend on one of them, or on neither. */
const OF_BOTH = ["color-contrast"];

const LOOKS = [
  { colorScheme: "light", width: 1440, rules: RULES },
  { colorScheme: "light", width: 360, rules: OF_BOTH },
  { colorScheme: "dark", width: 360, rules: RULES },
  { colorScheme: "dark", width: 1440, rules: OF_BOTH },
] as const;
/** Half of a desk, as with text of twice its size. */
const HALF = 720;
export const DESK = { width: 1440, height: 900 };

/** Each theme and each width once, by all rules. */
const HALF_OF_LOOKS = LOOKS.filter(({ rules }) => rules === RULES);
type Looks = readonly (typeof LOOKS)[number][];

/** Returns one of two looks: axe takes most of a screen's time, so every other screen is checked in the other look. */
function oneOf(looks: Looks, screen: string): Looks {
  const sum = [...screen].reduce((all, letter) => all + letter.charCodeAt(0), 0);
  return [looks[sum % looks.length]!]; // there are two
}

/**
 * Looks at the document as it is, in both themes and as wide as a desk and as a phone; then the window is a desk's again.
 * It is measured at each width, and axe looks in every pair in `deno task proof`, on every commit in one of them.
 */
export async function assertFitsAll(
  { page, complaints }: Opened,
  screen: string,
  looks: Looks = isProof ? LOOKS : oneOf(HALF_OF_LOOKS, screen),
): Promise<void> {
  const fits = async (width: number) => {
    await page.setViewportSize({ width, height: 800 });
    const wide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    assert.ok(wide <= 0, `${screen} is ${wide} px wider than a window of ${width} px`);
  };
  for (const width of [...new Set(LOOKS.map(({ width }) => width)), HALF]) await fits(width);
  for (const { colorScheme, width, rules } of looks) {
    await page.emulateMedia({ colorScheme });
    await fits(width);
    assert.deepEqual(await inaccessible(page, rules), [], `${screen}, ${colorScheme}, ${width} px`);
  }
  await page.setViewportSize(DESK);
  assert.deepEqual(complaints, [], screen);
}

/** The same by all rules in each theme and at each width once: for what is put together of parts that were looked at. */
export async function assertFits(opened: Opened, screen: string): Promise<void> {
  await assertFitsAll(opened, screen, isProof ? HALF_OF_LOOKS : oneOf(HALF_OF_LOOKS, screen));
}
