/** The units of the page, which have the packages and the types of the page alone: their tests lie beside them. */
import assert from "node:assert/strict";

Deno.test("the units of the page keep their promises", async () => {
  const page = new URL("../../page/", import.meta.url);
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", "--no-check", "--config", "deno.json", "."],
    cwd: page,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assert.ok(success, said);
  assert.match(said, /ok \| [1-9]\d* passed/, "no test was found");
});
