/** An hour of changes and log lines, as fast as they can be taken: what the page holds at its end and after five minutes. */
import type { Browser, Page } from "npm:playwright-core@1.65.1";
import { openPage } from "../tests/page/opened.ts";
import { FastLog } from "../tests/support/scripted_log.ts";
import { inspected, scriptedId, ScriptedWorld } from "../tests/support/scripted_world.ts";
import { serveEngines } from "../tests/support/service.ts";
import { rounds } from "./rounds.ts";
import { heapOf } from "./slowed_page.ts";

const ROWS = 500;
const CHANGES_A_SECOND = 2;
/** At this rate the page holds as much after five minutes as it ever does. */
const LINES_A_SECOND = 450;
const LINE = "x".repeat(980);
const FIVE_MINUTES = 300;
const HOUR = 3_600;
/** Changes that are told before the page has to have shown them. */
const AT_ONCE = 200;

export async function hour(browser: Browser): Promise<void> {
  const text = (number: number) => `${number} ${LINE}`;
  const containers = new Map(
    Array.from({ length: ROWS }, (_, n) => [scriptedId(n + 1), inspected(scriptedId(n + 1), `web-${n + 1}`)]),
  );
  const log = new StagedLog(text);
  await using world = new ScriptedWorld({
    containers,
    override: ({ url }, path) => {
      if (!path.endsWith("/logs")) return undefined;
      return /[?&]follow=(?:1|true)/.test(url) ? log.answer() : new Response();
    },
  });
  await using berth = await serveEngines({ docker: world });
  await using list = await openPage(browser, berth, { key: berth.admin, path: "/c" });
  await using lines = await openPage(browser, berth, { key: berth.admin, path: "/c/docker/web-1?from=all" });
  const row = (page: Page, name: string) => page.getByRole("row", { name }).first();
  await row(list.page, "web-1").waitFor();
  let changes = 0;
  const upTo = async (second: number) => {
    log.upTo(second * LINES_A_SECOND);
    while (changes < second * CHANGES_A_SECOND) {
      for (let at = 0; at < AT_ONCE; at++) change(world, containers, changes++);
      // The first row is the last to change, so that once it shows, all of them were told.
      const state = changes / AT_ONCE % 2 === 0 ? "running" : "exited";
      set(world, containers, 1, state);
      await row(list.page, "web-1").getByText(state).waitFor({ timeout: 120_000 });
    }
    await lines.page.getByRole("log").getByText(text(second * LINES_A_SECOND), { exact: true })
      .waitFor({ timeout: 600_000 });
    let all = 0;
    for (const { page } of [list, lines]) all += await heapOf(await page.context().newCDPSession(page));
    return all;
  };
  await rounds("page-hour", [
    { name: "after five minutes", run: () => upTo(FIVE_MINUTES) },
    { name: "after an hour", run: () => upTo(HOUR) },
  ], {
    unit: "bytes",
    exact: true,
    about:
      `heap and buffers of a list of ${ROWS} rows and of a log after the ${CHANGES_A_SECOND} changes and ${LINES_A_SECOND} lines of 1 KB a second of that time, told as fast as they are taken and not in an hour; the aim is 1.2`,
  });
}

function change(world: ScriptedWorld, containers: Map<string, unknown>, number: number): void {
  set(world, containers, number * 7 % (ROWS - 1) + 2, number % 3 === 0 ? "exited" : "running");
}

function set(world: ScriptedWorld, containers: Map<string, unknown>, row: number, state: string): void {
  const id = scriptedId(row);
  containers.set(id, inspected(id, `web-${row}`, state));
  world.tell({
    Type: "container",
    Action: state === "running" ? "start" : "die",
    Actor: { ID: id, Attributes: {} },
    timeNano: Date.now() * 1e6,
  });
}

/** A log that goes on only up to where it was let. */
class StagedLog {
  readonly #log: FastLog;
  #most = 0;
  #more = Promise.withResolvers<void>();

  constructor(text: (number: number) => string) {
    this.#log = new FastLog(Infinity, { text, until: () => this.#until() });
  }

  answer(): Response {
    return this.#log.answer();
  }

  upTo(line: number): void {
    this.#most = line;
    this.#more.resolve();
    this.#more = Promise.withResolvers();
  }

  async #until(): Promise<number> {
    while (this.#log.written >= this.#most) await this.#more.promise;
    return this.#most;
  }
}
