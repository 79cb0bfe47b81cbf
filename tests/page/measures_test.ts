/** The use of CPU and memory on the page over a real engine: as lines over the last minutes, and in the list. */
import assert from "node:assert/strict";
import { browserMissing, startBrowser } from "../support/browser.ts";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { APART_MS, Series } from "../../page/live/series.ts";
import { niceAbove } from "../../page/parts/nice_above.ts";
import { timeTicks } from "../../page/parts/time_ticks.ts";
import { assertFitsAll, openPage } from "./opened.ts";

const { test } = await sharedEngine("docker");

const DAY_S = 86_400;
const secondsOf = (clock: string) => clock.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);

test(
  "a container's measures are lines with their last value, which the arrows walk, and columns of the list",
  async (engine) => {
    await engine.cli(
      ...["run", "-d", "--name", "m-busy", "--memory", "64m", FIXTURE, "sh", "-c"],
      "while :; do i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 0.1; done",
    );
    await engine.cli("run", "-d", "--name", "m-idle", FIXTURE, "idle");
    await using berth = await serveEngines({ docker: engine });
    await using browser = await startBrowser();
    await using opened = await openPage(browser, berth, {
      key: berth.admin,
      path: "/c/docker/m-busy?view=measures",
    });
    const { page } = opened;
    const cpu = page.getByRole("img", { name: /^CPU: [1-9]/ });
    await cpu.waitFor();
    await page.getByText(/^of 67 MB$/).waitFor();
    assert.equal(await page.locator(".chart").count(), 6);
    await page.getByRole("img", { name: /^Network, received: [\d.]+ K?B\/s/ }).waitFor();
    const times = await page.locator(".chart").first().locator(".chart-times text").allTextContents();
    const [first = "", last = ""] = [times[0], times.at(-1)];
    assert.match(`${first} ${last}`, /^\d\d:\d\d:\d\d \d\d:\d\d:\d\d$/);
    assert.equal((secondsOf(last) - secondsOf(first) + DAY_S) % DAY_S, 600, "ten minutes");
    assert.ok(
      times.length >= 4 && times.slice(1, -1).every((one) => /^\d\d:\d\d$/.test(one)),
      `${times}`,
    );
    await cpu.focus();
    await page.keyboard.press("ArrowLeft");
    await page.locator(".chart-pointed").waitFor({ state: "attached" });
    await page.keyboard.press("Escape");
    await page.locator(".chart-pointed").waitFor({ state: "detached" });
    await assertFitsAll(opened, "measures");

    await opened.visit("/c?q=m-");
    await page.getByRole("button", { name: "Measure" }).click();
    const used = (name: string) => page.getByRole("row", { name }).locator(".cell-measures");
    await used("m-busy").getByText(/^[1-9][\d.]* %$/).waitFor();
    await used("m-busy").getByText(/^[\d.]+ [KM]B$/).waitFor();
    await used("m-idle").getByText(/^0(?:\.\d)? %$/).waitFor();
    const line = async () => await used("m-busy").locator("path").first().getAttribute("d") ?? "";
    await eventually("the line has become longer", async () => (await line()).includes("L"));
    await page.reload();
    await used("m-busy").getByText(/%$/).waitFor();
    assert.match(await line(), /L/, "what was measured before is there at once");
    const height = async () => (await page.getByRole("row", { name: "m-busy" }).boundingBox())!.height;
    assert.equal(await height(), 32);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: /^A screen/ }).fill("dense");
    await page.keyboard.press("Enter");
    await eventually("its rows are dense", async () => await height() === 26);
    await page.reload();
    await used("m-idle").getByText(/%$/).waitFor();
    assert.equal(await height(), 26, "it is remembered");
    await assertFitsAll(opened, "containers with measures");
    await engine.cli("rm", "-f", "m-idle");
    await opened.visit("/c/docker/m-busy?view=measures");
    await cpu.waitFor(); // what was measured before is there at once
    await engine.cli("stop", "-t", "0", "m-busy");
    await opened.visit("/c/docker/m-busy");
    await page.getByRole("tab", { name: "Measures" }).click();
    await page.getByText("It does not run").or(cpu).first().waitFor();
    assert.deepEqual(opened.complaints, []);
  },
  browserMissing(),
);

Deno.test("rates come of totals: none for the first, after a gap or for another life, and the old are let go", () => {
  const series = new Series();
  const add = (second: number, rx: number) =>
    series.add({
      ...{ source: "docker/a", time: new Date(second * 1_000).toISOString(), cpuPercent: second, pids: 1 },
      ...{ memoryBytes: 5, memoryLimitBytes: 9, rxBytes: rx, txBytes: 0, readBytes: 0, writeBytes: 0 },
    });
  add(10, 1_000);
  add(12, 1_500);
  add(12, 1_500); // told again
  add(13, 100);
  add(13 + APART_MS / 1_000 + 1, 200);
  assert.deepEqual(series.points.map(({ received }) => received), [null, 250, null, null]);
  add(700, 0);
  assert.deepEqual([series.points.length, series.latest?.cpu], [1, 700]);
  assert.deepEqual([0, 0.3, 1, 1.1, 7, 340].map(niceAbove), [1, 0.5, 1, 2, 10, 500]);
});

Deno.test("an axis has round times between its ends, six at most", () => {
  const minutes = (from: number, to: number) =>
    timeTicks(from * 60_000, to * 60_000).map((time) => time / 60_000);
  assert.deepEqual(minutes(3.5, 13.5), [4, 6, 8, 10, 12]);
  assert.deepEqual(minutes(4, 14), [4, 6, 8, 10, 12, 14]);
  assert.deepEqual(minutes(0.1, 4.2), [1, 2, 3, 4]);
  assert.deepEqual(minutes(61, 121), [75, 90, 105, 120]);
  assert.deepEqual(minutes(1, 1_440 * 3), [720, 1_440, 2_160, 2_880, 3_600, 4_320]);
});
