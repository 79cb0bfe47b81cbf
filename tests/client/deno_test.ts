/** The client's promises on Deno, from source, with leaks of resources and operations counted. */
import { playground } from "./playground.ts";
import { promises } from "./suite/all.ts";

for (const { name, run, not } of promises) {
  Deno.test({
    name: `client: ${name}`,
    ignore: not.includes("deno"),
    async fn() {
      await using servers = await playground();
      await run({ ...servers.ground, runtime: "deno" });
    },
  });
}
