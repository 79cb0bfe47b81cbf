/** The data folder and the store in it. */
import { statfs } from "node:fs/promises";
import { sameBytes, sealsFrom } from "../../auth/audit/seals.ts";
import { AUDIT_CHAINS } from "../../core/store.ts";
import { NEWEST_SCHEMA, type StoreFile } from "../../store/sqlite/inspection.ts";
import { type Finding, risky, wrong } from "../../core/finding.ts";
import { fingerprintOf, readSealingKey, type SealingKey, sealingKeyPath } from "../../auth/sealing/key.ts";
import type { Config } from "../../config/config.ts";
import { ServiceError } from "../../core/error.ts";
import type { InspectedDatabase } from "../../store/postgres/inspection.ts";
import { type Check, isOpenToOthers, type Setup, statOf } from "./check.ts";
import { mountOf } from "./mounts.ts";

const LITTLE_SPACE = 200 * 1024 * 1024;

export const DATA_CHECKS: readonly Check[] = [
  { name: "data folder", look: lookAtFolder },
  { name: "data on a local disk", look: lookAtFileSystem },
  { name: "free space", look: lookAtSpace },
  { name: "data outlives the container", look: lookAtVolume },
  { name: "store", look: lookAtStore },
  { name: "sealing key", look: lookAtSealingKey },
  { name: "first admin", look: lookAtSetup },
];

async function lookAtFolder({ config: { data } }: Setup): Promise<Finding[]> {
  const folder = await statOf(data);
  if (folder === null) {
    return [
      wrong(
        `The data folder "${data}" is not there, or may not be looked at`,
        "Start berth once, or set BERTH_DATA",
      ),
    ];
  }
  if (!folder.isDirectory) return [wrong(`"${data}" is a file`, "Set BERTH_DATA to a folder")];
  const found: Finding[] = [];
  const probe = `${data}/.doctor-${crypto.randomUUID()}`;
  try {
    (await Deno.open(probe, { createNew: true, write: true, mode: 0o600 })).close();
    await Deno.remove(probe);
  } catch (error) {
    const isReadOnly = error instanceof Error && /read-only/i.test(error.message);
    found.push(wrong(
      `The data folder "${data}" cannot be written${isReadOnly ? ": it is read-only" : ""}`,
      isReadOnly
        ? "Mount a writable volume there"
        : `Give it to the user that berth runs as (chown), or run this as that user; it belongs to uid ${folder.uid}`,
    ));
  }
  if (isOpenToOthers(folder)) {
    found.push(risky(`Others may look into the data folder "${data}"`, `chmod 700 "${data}"`));
  }
  return found;
}

/** SQLite's locks and shared memory do not hold on network file systems. */
async function lookAtFileSystem({ config: { data, database } }: Setup): Promise<Finding[]> {
  if (database !== null) return [];
  const { type } = await mountOf(data) ?? { type: "" };
  return /^(?:nfs\d?|cifs|smb\d?|9p|ceph|glusterfs|fuse\.(?!fuse-overlayfs).*)$/.test(type)
    ? [
      wrong(
        `The data folder is on a network file system (${type}), where SQLite's locks do not hold`,
        "Move it to a local disk",
      ),
    ]
    : [];
}

async function lookAtSpace({ config: { data } }: Setup): Promise<Finding[]> {
  const disk = await statfs(data).catch(() => null);
  if (disk === null) return [];
  const free = disk.bavail * disk.bsize;
  return free < LITTLE_SPACE
    ? [
      wrong(
        `Only ${Math.round(free / 1024 / 1024)} MB are free where the data folder is`,
        "Free some space: without any, nothing can be stored and nobody can sign in",
      ),
    ]
    : [];
}

/** Told by the mounts: a driver of storage may keep a container's root and the volumes on one file system of the host. */
async function lookAtVolume({ config: { data }, isContained }: Setup): Promise<Finding[]> {
  if (!isContained) return [];
  return await statOf(data) !== null && (await mountOf(data))?.at === "/"
    ? [
      wrong(
        `The data folder "${data}" is inside the container and goes with it`,
        `Mount a volume there: -v berth:${data}`,
      ),
    ]
    : [];
}

async function lookAtStore({ config, store: { state, schema }, database }: Setup): Promise<Finding[]> {
  if (database !== null) return await lookAtDatabase(config, database);
  const path = `${config.data}/berth.db`;
  switch (state) {
    case "whole":
      return [];
    case "absent":
      return [risky("There is no store yet", "Start berth once")];
    case "foreign":
      return [wrong(`"${path}" is no store of berth`, "Set BERTH_DATA to a folder of its own")];
    case "newer":
      return [wrong(
        `The store has schema ${schema}, and this berth knows up to ${NEWEST_SCHEMA}`,
        "Start the newer berth that wrote it, or restore a backup from before the upgrade",
      )];
    case "damaged":
      return [
        wrong(
          `The store "${path}" is damaged or cannot be read`,
          'Stop berth, then "berth restore <backup>"',
        ),
      ];
  }
}

async function lookAtDatabase(
  { database: settings }: Config,
  { failure, state, schema }: InspectedDatabase,
): Promise<Finding[]> {
  const found: Finding[] = [];
  const file = settings?.passwordFile ?? null;
  const password = file === null ? null : await statOf(file);
  if (password !== null && isOpenToOthers(password)) {
    found.push(risky(`Others may read "${file}", the password of the database`, `chmod 600 "${file}"`));
  }
  if (failure !== null) {
    return [...found, wrong(failure, "Mend that first: without its store berth serves nobody")];
  }
  switch (state) {
    case "whole":
      return found;
    case "absent":
      return [...found, risky("There are no tables in the database yet", "Start berth once")];
    case "foreign":
      return [
        ...found,
        wrong("The database holds the tables of another program", "Make one for berth alone"),
      ];
    case "newer":
      return [
        ...found,
        wrong(`The database has schema ${schema}, which this berth does not know`, "Start the newer berth"),
      ];
  }
}

async function lookAtSealingKey(
  { config: { data, sealingKeyFile }, store, database }: Setup,
): Promise<Finding[]> {
  const path = sealingKeyPath(data, sealingKeyFile);
  const file = await statOf(path);
  if (file === null && database !== null) {
    return [
      wrong(
        `"${path}" is missing, and berth does not start without it`,
        "Copy it from another replica, or from a backup",
      ),
    ];
  }
  if (file === null) {
    return store.isSetUp
      ? [risky(`"${path}" is missing`, "Put it back from a backup; else everybody has to sign in again")]
      : [];
  }
  if (isOpenToOthers(file)) {
    return [wrong(`Others may read "${path}", and berth refuses it`, `chmod 600 "${path}"`)];
  }
  let key: SealingKey;
  try {
    key = await readSealingKey(path, "refuse");
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [
      wrong(error.message, `Copy it from ${database === null ? "" : "another replica, or from "}a backup`),
    ];
  }
  const expected = database?.fingerprint ?? null;
  if (expected !== null && await fingerprintOf(key.secret) !== expected) {
    return [
      wrong(
        `"${path}" is another sealing key than the one of this database`,
        "Copy it from another replica, or from a backup",
      ),
    ];
  }
  return await hasSealed(key, store.chains ?? null) ? [] : [
    risky(
      `"${path}" is another sealing key than the one that sealed this store`,
      'Put it back from a backup; else everybody has to sign in again. "berth audit verify" says more',
    ),
  ];
}

/** Returns true if this key, or one that it replaced, has written the ends of the audit log, or nothing was sealed yet. */
async function hasSealed({ secret, earlier }: SealingKey, chains: StoreFile["chains"]): Promise<boolean> {
  if (chains === null) return true;
  const seals = await sealsFrom(secret, earlier);
  // A backup from before a key was replaced ends earlier than the key says, which `berth audit verify` judges.
  const all = [seals, ...seals.earlier.map((one) => one.seals)];
  return AUDIT_CHAINS.every((chain) => {
    const state = chains[chain];
    const isNew = state.seq === 0 && state.floorSeq === 0;
    return isNew || all.some((one) => sameBytes(one.proof(chain, state), state.proof));
  });
}

async function lookAtSetup({ config: { data }, store }: Setup): Promise<Finding[]> {
  if (store.state !== "whole" || store.isSetUp) return [];
  const token = await statOf(`${data}/setup-token`);
  const isOld = Date.now() - (token?.mtime?.getTime() ?? Date.now()) > 30 * 60_000;
  return [
    isOld
      ? wrong(
        "There is no admin yet, and the one-time token has expired (30 minutes)",
        "Start berth again and use the token that it prints",
      )
      : risky(
        "There is no admin yet",
        `Use the one-time token in "${data}/setup-token" within 30 minutes of the start`,
      ),
  ];
}
