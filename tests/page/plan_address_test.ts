/** The options of a plan in the page: in its address, and as a command that means the same. */
import assert from "node:assert/strict";
import { parseLine } from "../../commands/parse.ts";
import { planRequestOf } from "../../commands/plan_options.ts";
import { commandOf as commandNamed } from "../../commands/table.ts";
import type { PlanRequest } from "../../client/berth/models.ts";
import { commandOf } from "../../page/parts/plan/command_line.ts";
import { actionIn, optionsIn, withOptions } from "../../page/parts/plan/plan_address.ts";

const ALL: PlanRequest = {
  action: "down",
  backend: "nas",
  units: ["web", "db"],
  orphans: "remove",
  rerun: ["job"],
  recreate: "always",
  pull: "never",
  inPlace: false,
  volumes: ["shop_data", "it's"],
};

Deno.test("the command that a plan shows is read by the command line as the same plan", () => {
  for (const asked of [ALL, {}, { action: "up", pull: "always" }] satisfies PlanRequest[]) {
    const words = commandOf("shop@home", asked).match(/'(?:[^']|'\\'')*'|\S+/g)!.map(unquoted);
    assert.deepEqual(words.slice(0, 3), ["berth", "apply", "shop@home"]);
    const line = parseLine(commandNamed("apply")!, words.slice(2));
    assert.ok(typeof line === "object", String(line));
    const { action, ...others }: PlanRequest = asked;
    assert.deepEqual(planRequestOf(line), {
      ...others,
      ...(action !== undefined && action !== "up" && { action }),
    });
  }
});

const unquoted = (word: string): string =>
  word.startsWith("'") ? word.slice(1, -1).replaceAll(`'\\''`, "'") : word;

Deno.test("an address keeps every option of a plan but the volumes, and ignores what is none", () => {
  const { action: _, volumes: _lost, ...kept } = ALL;
  const address = new URL("http://berth.test/p/shop@home/plan?action=down&pull=policy&units=old");
  const { volumes: _never, ...options } = ALL;
  const target = new URL(withOptions(address, { ...kept, volumes: ["shop_data"] }), address);
  assert.ok(!target.search.includes("shop_data"));
  assert.deepEqual([actionIn(target.searchParams), optionsIn(target.searchParams)], ["down", kept]);
  assert.deepEqual(options.units, kept.units);
  const wrong = new URLSearchParams(
    "action=burn&pull=often&orphans=&inPlace=true&volumes=shop_data&backend=",
  );
  assert.deepEqual([actionIn(wrong), optionsIn(wrong)], ["up", {}]);
});
