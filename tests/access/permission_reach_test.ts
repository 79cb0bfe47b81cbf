/** docs/hardening.md says of every permission what it can reach on the host. */
import assert from "node:assert/strict";
import { PermissionCatalogue } from "../../core/access.ts";
import { PLUGINS } from "../../plugins/plugins.ts";

Deno.test("The table of docs/hardening.md names every permission", async () => {
  const text = await Deno.readTextFile(new URL("../../docs/hardening.md", import.meta.url));
  const cells = [...text.matchAll(/^\| (`[a-z]+:[a-z-]+`[^|]*)\|/gm)].map(([, cell]) => cell!); // It matched.
  const named = new Set(cells.flatMap((cell) => cell.match(/[a-z]+:[a-z-]+/g) ?? []));
  const { names } = new PermissionCatalogue(PLUGINS);
  assert.deepEqual([...named].sort(), [...names].sort());
});
