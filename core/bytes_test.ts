import { equal } from "node:assert/strict";
import { concat } from "./bytes.ts";

Deno.test("Parts of bytes become one array that shares no memory with them", () => {
  const part = Uint8Array.of(1, 2);
  const whole = concat([part, new Uint8Array(), Uint8Array.of(3)]);
  part[0] = 9;
  equal(whole.join(), "1,2,3");
  equal(concat([]).length, 0);
});
