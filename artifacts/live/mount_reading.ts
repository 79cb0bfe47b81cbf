/** The shape of what became of a mounted file or folder. */

import * as z from "../../core/schema.ts";

const MOUNT_STATES = ["replaced", "deleted", "maybeReplaced", "changedSince", "unknown"] as const;
export type MountState = typeof MOUNT_STATES[number];

/** The state of a mounted file or folder since its container started. */
export const MountReading = z.object({
  state: z.enum(MOUNT_STATES).describe(
    "`replaced` and `deleted`: the container reads another file than the one that is there now. `changedSince`: it " +
      "reads the same file, whose text is newer than its start. `maybeReplaced` and `unknown`: the times cannot tell",
  ),
  replacedAt: z.string().nullable().describe("Time of the replacement or change; null while unknown"),
  startedAt: z.string().describe("Time when the container started"),
}).meta({ id: "MountReading" });
export type MountReading = z.infer<typeof MountReading>;
