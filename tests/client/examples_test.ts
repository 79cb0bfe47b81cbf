/** The examples work from Deno, Node and Bun, on the packed tarball. */
import { equal, ok } from "node:assert/strict";
import { startService } from "../support/service.ts";
import { command, installPacked } from "./package.ts";
import { playground } from "./playground.ts";
import { otherRuntimes } from "./runtimes.ts";

const deno = { name: "Deno", runtime: "deno" as const, path: Deno.execPath(), absent: undefined };

for (const { name, runtime, path, absent } of [deno, ...await otherRuntimes()]) {
  if (path === undefined) console.warn(`SKIPPED: the client's examples on ${name}: ${absent}`);
  Deno.test({
    name: `the examples against berth and against an OData-style service work on ${name}`,
    ignore: path === undefined,
    async fn() {
      await using installed = await installPacked();
      await using berth = await startService({});
      await using servers = await playground();
      ok(berth.admin && path);
      const run = async (example: string, ...args: string[]) => {
        const script = `${installed.folder}/${example}`;
        await Deno.copyFile(new URL(`./examples/${example}`, import.meta.url), script);
        const how = runtime === "deno" ? ["run", "--allow-net", "--quiet", "--no-lock"] : [];
        return (await command(path, [...how, script, ...args], installed.folder)).trim().split("\n");
      };
      const said = await run("berth.mjs", berth.url, berth.admin);
      equal(said.slice(1).join("|"), "0|true workspace_not_found");
      equal(said[0]?.split(" ")[1], "admin");
      const target = "/v4/Nodes(7,a%20b%27)?%24select=id&%24select=name";
      equal(
        (await run("odata.mjs", `${servers.ground.http}/v4`)).join("|"),
        `200 ${target.slice(3)}|"${target}"`,
      );
    },
  });
}
