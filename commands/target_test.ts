/** A word of the command line as the project that it means. */
import assert from "node:assert/strict";
import { answering } from "../tests/support/answering.ts";
import { clientFor } from "./connection.ts";
import { folderNamed, projectOf } from "./target.ts";

Deno.test("a project is read by its id or its name, with a service behind a slash", () => {
  assert.deepEqual(projectOf("shop"), { id: "shop", isShort: true });
  assert.deepEqual(projectOf("shop/web"), { id: "shop", isShort: true, service: "web" });
  assert.deepEqual(projectOf("shop@home"), { id: "shop@home", isShort: false });
  assert.deepEqual(projectOf("shop@home/web"), { id: "shop@home", isShort: false, service: "web" });
  // A group's name may hold both signs; an id ends behind its last @.
  assert.deepEqual(projectOf("a/b@c@home"), { id: "a/b@c@home", isShort: false });
  assert.deepEqual(projectOf("old@engine:nas/db"), { id: "old@engine:nas", isShort: false, service: "db" });
});

Deno.test("a folder that berth does not know is answered with those that it has", async () => {
  const unknown = async (...ids: string[]) => {
    const items = ids.map((id) => ({ id, name: id, path: `/srv/${id}` }));
    await using berth = answering({ "/api/workspaces": [{ items }] });
    using client = clientFor({ url: berth.url, key: "berth_a_b" });
    return await folderNamed(client, "nowhere").catch(({ message }) => message);
  };

  assert.equal(await unknown(), 'berth knows no folder "nowhere": none is registered that you may see');
  assert.equal(await unknown("home"), 'berth knows no folder "nowhere": there is home');
  const many = Array.from({ length: 12 }, (_, at) => `f${at}`);
  assert.match(await unknown(...many), /: there are f0, f1, f2, [f0-9, ]+, f9 and 2 more$/);
  assert.equal(await unknown("nowhere"), "nowhere");
});
