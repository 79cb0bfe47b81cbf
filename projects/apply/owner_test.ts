/** An owner is known to be gone when its process has ended, and never while it lives or runs elsewhere. */
import assert from "node:assert/strict";
import { isGone, ownerHere } from "./owner.ts";

const isLinux = Deno.build.os === "linux";

Deno.test("A process that lives is not gone, and one of another machine is never known to be", () => {
  assert.equal(isGone(ownerHere()), false);
  assert.equal(isGone(crypto.randomUUID()), false);
  const [id, , pid] = ownerHere().split(" ");
  assert.equal(isGone(`${id} elsewhere/pid:[1] ${pid} 1`), false);
});

Deno.test({
  name: "A process that has ended is gone, also while its parent has not asked for its end",
  ignore: !isLinux,
  fn: async () => {
    const child = new Deno.Command("sleep", { args: ["60"] }).spawn();
    const [id, machine] = ownerHere().split(" ");
    const stat = await Deno.readTextFile(`/proc/${child.pid}/stat`);
    const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    const owner = `${id} ${machine} ${child.pid} ${start}`;
    assert.equal(isGone(owner), false);
    child.kill("SIGKILL");
    await child.status;
    assert.equal(isGone(owner), true);
    assert.equal(isGone(`${id} ${machine} ${Deno.pid} 1`), true, "a number that another process has by now");
  },
});
