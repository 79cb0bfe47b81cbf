/** Refuses to make a store as root in a data folder of the service's user, who could not open it then. */
import type { Config } from "../config/config.ts";
import { StartFailure } from "../app/start_failure.ts";

/** Throws StartFailure, with the command that would do it, where root is about to make the store of another user. */
export async function mustOwnNewStore(
  what: string,
  { data, database }: Pick<Config, "data" | "database">,
): Promise<void> {
  if (database !== null || currentUser() !== 0) return;
  const uid = await Deno.stat(data).then(({ uid }) => uid, () => null);
  if (uid === null || uid === 0) return; // a folder that is not there yet becomes root's, with all that is in it
  // A service that runs as root has made the store that is there; a link says nothing of it.
  if (await Deno.lstat(`${data}/berth.db`).then(({ uid }) => uid === 0, () => false)) return;
  const quoted = `'${data.replaceAll("'", `'\\''`)}'`;
  throw new StartFailure(
    `Cannot ${what}: the data folder "${data}" belongs to the user ${uid}, who could not open what root writes; run ` +
      `this as the user of the service: sudo -u '#${uid}' env BERTH_DATA=${quoted} berth ...`,
  );
}

/** Returns null where there are no such users, or where this process may not know its own. */
function currentUser(): number | null {
  try {
    return Deno.uid();
  } catch {
    return null;
  }
}
