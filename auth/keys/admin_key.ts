/** Makes an admin key for the owner of the data folder; needs no running service. */
import type { Store } from "../../core/store.ts";
import { type MadeKey, makeKey, MAX_KEYS } from "./api_keys.ts";
import { auditEntry, COMMAND_LINE } from "../audit/audit.ts";
import { type Clock, systemClock } from "../clock.ts";

export async function makeAdminKey(store: Store, name: string, clock: Clock = systemClock): Promise<MadeKey> {
  const made = await makeKey({ name, grants: [{ role: "admin" }] }, "command line", clock);
  const entry = auditEntry({
    at: clock.now(),
    actor: COMMAND_LINE,
    action: "keys.add",
    target: made.record.id,
  });
  const first = !await store.keys.isSetUp();
  // One more than the limit: this is the last way to get access.
  await (first
    ? store.keys.setUp({ key: made.record }, entry)
    : store.keys.add(made.record, MAX_KEYS + 1, entry));
  return made;
}
