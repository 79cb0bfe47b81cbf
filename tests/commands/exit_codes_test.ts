/** The exit codes of every command, by the one table that help prints. */
import assert from "node:assert/strict";
import { COMMANDS } from "../../commands/table.ts";
import { type Ended, runBerth } from "../support/berth_process.ts";

/** Commands that speak to a running berth, each as it is given on a command line. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  plan: ["shop"],
  apply: ["shop@home", "--yes"],
  status: [],
  ls: [],
  logs: ["web"],
  folders: [],
};

const NOWHERE = "http://127.0.0.1:9";

Deno.test("an option that a command does not have ends every command with 64", async () => {
  const all = COMMANDS.map(({ name }) => name);
  const ended = await inTurn(all, (name) => runBerth([name, "--no-such-option"]));
  for (const [at, { code, stdout, stderr }] of ended.entries()) {
    assert.deepEqual([all[at], code, stdout], [all[at], 64, ""], stderr);
  }
});

Deno.test("a command that finds no berth ends with 4, and one without a key with 64", async () => {
  const calls = Object.entries(CALLS);
  const home = await Deno.makeTempDir({ prefix: "berth-home-" });
  try {
    const env = { XDG_CONFIG_HOME: home, BERTH_URL: NOWHERE };
    const away = await inTurn(
      calls,
      ([name, args]) => runBerth([name, ...args], { ...env, BERTH_KEY: "berth_a_b" }),
    );
    const keyless = await inTurn(
      calls,
      ([name, args]) => runBerth([name, ...args], { ...env, BERTH_KEY: "" }),
    );
    for (const [at, [name]] of calls.entries()) {
      assert.deepEqual([name, away[at]!.code, away[at]!.stdout], [name, 4, ""], away[at]!.stderr);
      assert.match(away[at]!.stderr, /^berth: Cannot reach http:\/\/127\.0\.0\.1:9: /);
      assert.deepEqual([name, keyless[at]!.code], [name, 64], keyless[at]!.stderr);
    }
    // A health check of a container knows 0 and 1 alone, and exec keeps what is not the command's own code apart.
    assert.equal((await runBerth(["health"], env)).code, 1);
    assert.equal((await runBerth(["exec", "web", "true"], { ...env, BERTH_KEY: "berth_a_b" })).code, 125);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});

Deno.test("the help prints the table of exit codes", async () => {
  const { stdout } = await runBerth(["help"]);
  const codes = [...stdout.split("Exit codes:\n")[1]!.matchAll(/^ {2}(\d+) +\S/gm)].map(([, code]) => code);
  assert.deepEqual(codes, ["0", "1", "2", "3", "4", "64", "125"]);
});

/** Two at a time: each is a process. */
async function inTurn<Item>(items: readonly Item[], run: (item: Item) => Promise<Ended>): Promise<Ended[]> {
  const ended: Ended[] = [];
  for (let at = 0; at < items.length; at += 2) {
    ended.push(...await Promise.all(items.slice(at, at + 2).map(run)));
  }
  return ended;
}
