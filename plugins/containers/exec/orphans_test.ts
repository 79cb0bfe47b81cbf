import assert from "node:assert/strict";
import { pause } from "../../../core/pause.ts";
import type { CommandRecord } from "../../../core/store.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { Orphans, type OrphansOptions } from "./orphans.ts";

const command = (mark: string, backend: string): CommandRecord => ({
  mark,
  execId: `exec-${mark}`,
  container: `container-${mark}`,
  backend,
  user: "",
  heldUntil: 0,
  hungUp: false,
});

Deno.test("an engine that hangs delays neither the hold of live commands nor the look after those of others", async () => {
  const hanging = Promise.withResolvers<never>();
  const engines: Readonly<Record<string, () => Promise<never>>> = {
    hangs: () => hanging.promise,
    answers: () => Promise.reject(engineError("container_not_found", "It is gone")),
  };
  const left = [
    ...Array.from({ length: 9 }, (_, at) => command(`old-${at}`, "hangs")),
    command("gone", "answers"),
  ];
  const holds: (readonly string[])[] = [];
  const forgotten: string[] = [];
  const orphans = new Orphans({
    store: {
      left: () => Promise.resolve(left),
      add: () => Promise.resolve(),
      hold: (marks) => Promise.resolve(void holds.push(marks)),
      leave: () => Promise.resolve(),
      forget: (mark) => Promise.resolve(void forgotten.push(mark)),
    },
    // Its parts that are not faked are never called
    engineOf: (name) => ({ name, get: engines[name], greet: engines[name] }) as never,
    log: { error: assert.fail } as unknown as OrphansOptions["log"],
    holdEveryMs: 5,
  });
  await orphans.begin(command("live", "hangs"));

  for (let round = 0; round < 400 && (holds.length < 5 || forgotten.length === 0); round++) await pause(5);

  assert.ok(holds.length >= 5 && holds.every(([mark]) => mark === "live"), `${holds.length} holds`);
  assert.ok(forgotten.includes("gone"), "the command of the other engine was not looked after");
  hanging.reject(engineError("engine_timeout", "It hung"));
  await orphans[Symbol.asyncDispose]();
});
