/** Values that are made when somebody asks for them. */
import assert from "node:assert/strict";
import { later } from "./later.ts";

Deno.test("later makes a value once, and not before it is asked for, also where it is undefined", () => {
  let made = 0;
  const value = later(() => void (made += 1));

  assert.equal(made, 0);
  assert.deepEqual([value(), value(), made], [undefined, undefined, 1]);
});
