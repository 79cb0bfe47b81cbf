/** Cards that are named after what they describe are found by the short name, too. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { startService } from "../support/service.ts";

Deno.test("GET cards/shop finds the card of group:shop, cards/db that of unit:shop.db, and a card's own name goes first", async () => {
  await using berth = await startService();
  const path = `${berth.folder}/workspaces/yard`;
  await Deno.mkdir(`${path}/shop`, { recursive: true });
  await Deno.writeTextFile(
    `${path}/shop/compose.yaml`,
    "x-card: { title: Shop }\nservices:\n  db:\n    image: postgres:17\n    x-card: { title: Data }\n  shop:\n    image: web:1\n    x-card: { title: Front }\n",
  );
  const { id } = (await berth.call("POST /api/workspaces", { path })).body;
  const idOf = async (name: string) =>
    (await berth.call(`GET /api/workspaces/${id}/artifacts/cards/${name}`)).body.id;

  assert.equal(await idOf("group:shop"), "card:group:shop");
  assert.equal(await idOf("shop"), "card:group:shop");
  assert.equal(await idOf("db"), "card:unit:shop.db");
  assert.equal(await idOf("shop.shop"), "card:unit:shop.shop");
  await Deno.writeTextFile(
    `${path}/own.yaml`,
    "apiVersion: berth/v1\nkind: Card\nmetadata: { name: db }\nspec: { subject: unit:shop.db }\n",
  );
  await eventually("the new card is found by its own name", async () => await idOf("db") === "card:db");
});
