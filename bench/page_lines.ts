/** The memory of a million log lines in the browser beyond their own text. */
import type { Browser } from "npm:playwright-core@1.65.1";
import { openPage } from "../tests/page/opened.ts";
import { FastLog } from "../tests/support/scripted_log.ts";
import { inspected, scriptedId, ScriptedWorld } from "../tests/support/scripted_world.ts";
import { serveEngines } from "../tests/support/service.ts";
import { rounds } from "./rounds.ts";
import { heapOf } from "./slowed_page.ts";

const LINES = 1_000_000;

export async function million(browser: Browser): Promise<void> {
  const text = (number: number) => `GET /basket ${number} 200 in 12 ms`;
  await using world = new ScriptedWorld({
    containers: new Map([[scriptedId(1), inspected(scriptedId(1), "web")]]),
    override: ({ url }, path) => {
      if (!path.endsWith("/logs")) return undefined;
      const isAll = /[?&]tail=all/.test(url) || !/[?&]tail=/.test(url);
      return new FastLog(isAll ? LINES : 1, { text }).answer();
    },
  });
  await using berth = await serveEngines({ docker: world });
  await using opened = await openPage(browser, berth, { key: berth.admin, path: "/c/docker/web" });
  const { page } = opened;
  const last = (number: number) => page.getByRole("log").getByText(text(number), { exact: true });
  await last(1).waitFor();
  const session = await page.context().newCDPSession(page);
  const before = await heapOf(session);
  await page.getByRole("combobox", { name: "From" }).selectOption("all");
  await last(LINES).waitFor({ timeout: 300_000 });
  const after = await heapOf(session);
  const elements = await page.locator(".log-line").count();
  let bytes = 0;
  for (let number = 1; number <= LINES; number++) bytes += text(number).length + 1;
  await rounds("page-lines", [{ name: "1,000,000 lines", run: () => (after - before - bytes) / LINES }], {
    unit: "bytes a line",
    exact: true,
    about:
      `heap and buffers beyond the lines' own text, of which ${elements} were drawn; the aims are 40 and 200`,
  });
}
