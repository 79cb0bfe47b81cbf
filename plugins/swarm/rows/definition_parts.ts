/** Parts of a service's definition: its mounts, its files of secrets and configs, and how its tasks are replaced. */
import type { ServiceDefinition, ServiceFile, UpdatePolicy } from "../../../core/running_services.ts";
import { flagOf, listOf, numberOf, objectOf, textOf, type Wire } from "../../../engines/calls/wire.ts";

/** The swarm's own time between two starts. */
const RESTART_DELAY = 5e9;

/** A policy that says nothing restarts always. */
export function restartOf(policy: Wire): ServiceDefinition["restart"] {
  const condition = textOf(policy.Condition);
  return {
    condition: condition === "none" || condition === "on-failure" ? condition : "any",
    delay: numberOf(policy.Delay, RESTART_DELAY),
    maxAttempts: numberOf(policy.MaxAttempts),
    window: numberOf(policy.Window),
  };
}

export function updateOf(value: unknown): UpdatePolicy | null {
  if (value === undefined || value === null) return null;
  const config = objectOf(value);
  return {
    parallelism: numberOf(config.Parallelism),
    delay: numberOf(config.Delay),
    failureAction: textOf(config.FailureAction) || "pause",
    monitor: numberOf(config.Monitor),
    maxFailureRatio: numberOf(config.MaxFailureRatio),
    order: textOf(config.Order) || "stop-first",
  };
}

export function mountOf(mount: Wire): ServiceDefinition["mounts"][number] {
  const bind = objectOf(mount.BindOptions);
  const volume = objectOf(mount.VolumeOptions);
  const memory = objectOf(mount.TmpfsOptions);
  const subpath = textOf(volume.Subpath) || textOf(objectOf(mount.ImageOptions).Subpath);
  const options = [
    textOf(bind.Propagation),
    flagOf(bind.NonRecursive) ? "recursive=disabled" : "",
    flagOf(volume.NoCopy) ? "nocopy" : "",
    subpath === "" ? "" : `subpath=${subpath}`,
    numberOf(memory.SizeBytes) === 0 ? "" : `size=${numberOf(memory.SizeBytes)}`,
    numberOf(memory.Mode) === 0 ? "" : `mode=${numberOf(memory.Mode).toString(8)}`,
  ];
  return {
    type: textOf(mount.Type) || "volume",
    source: textOf(mount.Source),
    target: textOf(mount.Target),
    readOnly: flagOf(mount.ReadOnly),
    // The engine's own, whether it is said or not.
    options: options.filter((one) => one !== "" && one !== "rprivate"),
  };
}

/** Secrets and configs that are files in containers; others are for a platform that berth does not know. */
export function filesOf(list: unknown, kind: "Secret" | "Config"): ServiceFile[] {
  return listOf(list).map(objectOf).flatMap((one) => {
    if (one.File === undefined || one.File === null) return [];
    const file = objectOf(one.File);
    return [{
      name: textOf(one[`${kind}Name`]),
      target: textOf(file.Name),
      uid: textOf(file.UID) || "0",
      gid: textOf(file.GID) || "0",
      mode: numberOf(file.Mode),
    }];
  });
}
