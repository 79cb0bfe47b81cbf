/** The sealing key where several replicas share a database: all have the same one, or do not start. */
import { ServiceError } from "../../core/error.ts";
import type { ReplicaStore } from "../../core/store.ts";
import { fingerprintOf, type SealingKey } from "./key.ts";

/** @throws ServiceError `store_unavailable`: the database is sealed with another key. */
export async function mustBeShared(replicas: ReplicaStore, key: SealingKey, path: string): Promise<void> {
  const used = await usedKey(replicas, key, path);
  if (used === key) return;
  throw refusal(
    `"${path}" was rotated only half; stop all replicas, run "berth sealing-key rotate" with it once more, and give ` +
      "all of them the file that it writes",
  );
}

/** The key that the database is sealed with: this one, or one before it where its rotation was interrupted. */
export async function usedKey(
  replicas: ReplicaStore,
  key: SealingKey,
  path: string,
): Promise<SealingKey> {
  const counted = await replicas.sealedWith(await fingerprintOf(key.secret));
  const secrets = [key.secret, ...key.earlier.map(({ secret }) => secret)];
  const fingerprints = await Promise.all(secrets.map(fingerprintOf));
  const at = fingerprints.indexOf(counted);
  if (at === 0) return key;
  if (at > 0) return { secret: secrets[at]!, earlier: key.earlier.slice(at) };
  throw refusal(
    `"${path}" is another key than the one that this database is sealed with; name a copy of that in BERTH_SEALING_KEY_FILE`,
  );
}

/** From now on the database is sealed with `key`, which is in the file already. */
export async function shareKey(
  replicas: ReplicaStore,
  before: SealingKey,
  key: SealingKey,
): Promise<void> {
  const [old, fresh] = await Promise.all([before, key].map(({ secret }) => fingerprintOf(secret)));
  if (await replicas.sealAnew(old!, fresh!)) return;
  throw refusal("a replica was started meanwhile; stop all of them and run this once more");
}

/** Rotating under a replica that runs would leave it sealing with the key of before. */
export async function mustBeStopped(replicas: ReplicaStore): Promise<void> {
  const names = (await replicas.list()).map(({ name }) => name);
  if (names.length === 0) return;
  throw new ServiceError(
    "store_unavailable",
    `Cannot rotate the sealing key: ${names.join(", ")} still ${
      names.length === 1 ? "runs" : "run"
    }; stop all ` +
      "replicas first, and wait 20 seconds for those that were killed",
  );
}

function refusal(why: string): ServiceError {
  return new ServiceError("store_unavailable", `Cannot use the sealing key: ${why}`);
}
