/**
 * A folder that is exchanged for a link while berth reads never shows what lies outside the workspace.
 * `BERTH_RACE_SECONDS` sets how long they race.
 */
import assert from "node:assert/strict";
import { LinkFlipper, startFlipper } from "./link_flipper.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";

const SECONDS = Number(Deno.env.get("BERTH_RACE_SECONDS") ?? "3");
const READER = new URL("link_race_reader.ts", import.meta.url).pathname;
const COMPOSE = (image: string) => `services:\n  web:\n    image: ${image}\n`;

for (
  const { name, exchanged, permissions } of [
    { name: "with every permission", exchanged: "shop/a", permissions: () => ["-A"] },
    { name: "with every permission, above it", exchanged: "", permissions: () => ["-A"] },
    {
      name: "with permission to read the workspace alone",
      exchanged: "shop/a",
      permissions: (root: string) => [`--allow-read=${root}`],
    },
  ]
) {
  Deno.test(`no text, name or kind leaves through a folder that is exchanged for a link: ${name} (F52, F78)`, async (t) => {
    await using outside = await workspaceFolder({
      "b/compose.yaml": COMPOSE("outside"),
      "b/outside.yaml": COMPOSE("outside"),
      "shop/a/b/compose.yaml": COMPOSE("outside"),
      "shop/a/b/outside.yaml": COMPOSE("outside"),
    });
    await using around = await workspaceFolder({
      "around/shop/a/b/compose.yaml": COMPOSE("inside"),
      "link": `-> ${outside.path}`,
    });
    const root = `${around.path}/around/shop`;
    const flipper = await startFlipper(
      exchanged === "" ? `${around.path}/around` : `${around.path}/around/${exchanged}`,
      `${around.path}/link`,
    );
    if (!(flipper instanceof LinkFlipper)) {
      return void await t.step({ name: `skipped: ${flipper}`, ignore: true, fn: () => {} });
    }
    await using _ = flipper;

    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-prompt", "--no-check", ...permissions(root), READER, root, String(SECONDS)],
    }).output();

    const text = new TextDecoder();
    assert.notEqual(stdout.length, 0, text.decode(stderr));
    const seen = JSON.parse(text.decode(stdout));
    console.log(`      ${JSON.stringify(seen)}`);
    assert.deepEqual(seen.escapes, []);
    // They did race: there were answers and refusals.
    assert.ok(seen.reads > 100 * SECONDS && seen.models > 0, JSON.stringify(seen));
  });
}
