/** A real browser for the tests that need one: Debian's Chromium without its window, driven over its own protocol. */
import { type Browser, chromium } from "npm:playwright-core@1.65.1";

const EXECUTABLE = "/usr/bin/chromium-headless-shell";
const ARGS = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
  // No network but this machine: whatever needs another host fails its test.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
];

/** Returns the reason that there is no browser on this machine, or null. */
export function browserMissing(): string | null {
  try {
    Deno.statSync(EXECUTABLE);
    return null;
  } catch {
    return `there is no ${EXECUTABLE}`;
  }
}

/** Starts a browser; a busy machine may make the first start fail, so there is one more. */
export async function startBrowser(): Promise<Browser & AsyncDisposable> {
  const options = { executablePath: EXECUTABLE, args: ARGS, chromiumSandbox: false, timeout: 60_000 };
  try {
    return disposable(await chromium.launch(options));
  } catch (error) {
    console.error(`Chromium did not start, trying once more: ${error}`);
    return disposable(await chromium.launch(options));
  }
}

/** One browser for all tests of a file: started for the first of them, ended after the last. */
export function sharedBrowser(): () => Promise<Browser> {
  let started: Promise<Browser> | null = null;
  Deno.test.afterAll(async () => await (await started)?.close());
  return () => started ??= startBrowser();
}

function disposable(browser: Browser): Browser & AsyncDisposable {
  return Object.assign(browser, { [Symbol.asyncDispose]: () => browser.close() });
}

/** A browser's own connections and timers outlive single steps: the sanitizers cannot follow them. */
export const BROWSER_TEST = {
  ignore: browserMissing() !== null,
  sanitizeOps: false,
  sanitizeResources: false,
} as const;

if (browserMissing() !== null) console.warn(`SKIPPED: all tests in a browser, because ${browserMissing()}`);
