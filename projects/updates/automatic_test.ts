import assert from "node:assert/strict";
import type { ProjectUpdates } from "../../core/updates.ts";
import { eventually } from "../../tests/support/eventually.ts";
import { SILENT } from "../../tests/support/silent_log.ts";
import { AutomaticUpdates } from "./automatic.ts";
import { type KnownUpdates, projectKey, type Updates } from "./updates.ts";

Deno.test("an update whose apply failed is not begun again for a while, until somebody sets its project", async () => {
  let of = { workspace: "home", group: "shop", automatic: true, window: null, waits: null, wentBackAt: null };
  let looks = 0;
  const updates = {
    // Another object at each look, as while checks are written.
    current: () => {
      looks++;
      const project = of as unknown as ProjectUpdates;
      const known: Partial<KnownUpdates> = {
        enabled: true,
        projects: new Map([[projectKey(project), project]]),
      };
      return Promise.resolve(known as KnownUpdates);
    },
    noteProject: (_: unknown, noted: object) => {
      of = { ...of, ...noted };
      return Promise.resolve();
    },
  } as unknown as Updates;
  let begun = 0;
  await using _automatic = new AutomaticUpdates({
    updates,
    isOurTurn: () => Promise.resolve(true),
    update: () => {
      begun++;
      return Promise.resolve({ kind: "failed", reason: "the registry is away" });
    },
    log: SILENT,
    now: () => 0,
    lookMs: 5,
  });
  await eventually("it is begun, and looked at on", () => begun === 1 && looks > 20);
  assert.deepEqual([begun, of.waits], [1, "the registry is away"]);
  of = { ...of, waits: null };
  await eventually("it is begun again", () => begun === 2);
});
