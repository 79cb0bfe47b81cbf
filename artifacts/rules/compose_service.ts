/** Rules about one Compose service: parts that contradict each other, and parts that need another. */

import type { Group, Node, Place, Service, Unit } from "../artifact.ts";
import { bytesOf } from "../compose/amounts.ts";
import type { RuleCode } from "./catalog.ts";
import type { Say } from "./say.ts";
import { entryOf, listOf, numberOf, oneOrMany, textOf, truthOf, valueAt } from "../yaml/values.ts";

/** What can be said of one service by itself. `whole` is false for files that are only a base for others. */
export function checkService(group: Group, unit: Unit, whole: boolean, say: Say): void {
  const service = unit.service;
  if (service === null) return;
  if (unit.value.kind !== "mapping") {
    if (whole && unit.value.kind === "scalar" && unit.value.value === null) {
      say("compose/service-null", unit.source, `Service "${unit.label}" is empty`, { subject: unit.id });
    }
    return;
  }
  const has = (key: string) => entryOf(unit.value, key) !== null;
  if (whole && !has("image") && !has("build") && !has("provider") && !(group.incomplete && has("extends"))) {
    say(
      "compose/no-image-or-build",
      unit.source,
      `Service "${unit.label}" has no image, build or provider`,
      { subject: unit.id },
    );
  }
  checkStyle(unit, service, say);
  checkContradictions(unit, service, say);
  checkLimits(unit, say);
  checkMountTargets(unit, service, say);
  checkHealthcheck(unit, say);
  checkPlatform(unit, say);
  checkWatch(unit, say);
}

function checkStyle(unit: Unit, service: Service, say: Say): void {
  const subject = unit.id;
  const build = entryOf(unit.value, "build");
  if (build !== null && entryOf(unit.value, "image") !== null) {
    say("compose/image-and-build", build.key, `Service "${unit.label}" names an image and builds it`, {
      subject,
    });
  }
  const links = entryOf(unit.value, "links");
  if (links !== null) {
    say(
      "compose/links-legacy",
      links.key,
      "`links` are legacy: services of a network reach each other by name",
      {
        subject,
      },
    );
  }
  const ports = entryOf(unit.value, "ports");
  if (service.networkMode === "host" && ports !== null && service.ports.length > 0) {
    say("compose/host-network-with-ports", ports.key, "Ports are ignored on the host network", {
      subject,
      related: related("The host network is chosen here", valueAt(unit.value, "network_mode")),
    });
  }
}

/** Says that a value contradicts another one. */
type Contradict = (code: RuleCode, place: Place, what: string, other: Place | null) => void;

function checkContradictions(unit: Unit, service: Service, say: Say): void {
  const contradict: Contradict = (code, place, what, other) =>
    say(code, place, what, { subject: unit.id, related: related("It contradicts this", other) });
  checkExclusive(unit.value, contradict);
  checkScale(unit.value, service, contradict);
  checkPortRanges(service, contradict);
}

function checkExclusive(value: Node, contradict: Contradict): void {
  const mode = valueAt(value, "network_mode");
  const networks = valueAt(value, "networks");
  if (textOf(mode) !== null && networks !== null && sizeOf(networks) > 0) {
    contradict("compose/network-mode-and-networks", mode!, "`network_mode` contradicts `networks`", networks);
  }
  const dockerfile = valueAt(value, "build", "dockerfile");
  const inline = valueAt(value, "build", "dockerfile_inline");
  if (dockerfile !== null && inline !== null) {
    const message = "`dockerfile_inline` contradicts `dockerfile`";
    contradict("compose/dockerfile-and-inline", inline, message, dockerfile);
  }
  const devices = [
    ...listOf(valueAt(value, "deploy", "resources", "reservations", "devices")),
    ...listOf(valueAt(value, "gpus")),
  ];
  for (const device of devices) {
    const count = valueAt(device, "count");
    const ids = valueAt(device, "device_ids");
    if (count === null || ids === null) continue;
    contradict("compose/device-count-and-ids", ids, "`device_ids` contradicts `count`", count);
  }
}

function checkScale(value: Node, service: Service, contradict: Contradict): void {
  const scaleAt = valueAt(value, "scale");
  const replicasAt = valueAt(value, "deploy", "replicas");
  const scale = numberOf(scaleAt);
  const replicas = numberOf(replicasAt);
  if (scale !== null && replicas !== null && scale !== replicas) {
    const message = `\`scale\` ${scale} contradicts \`deploy.replicas\` ${replicas}`;
    contradict("compose/scale-vs-replicas", scaleAt!, message, replicasAt);
  }
  for (const node of [scaleAt, replicasAt]) {
    const count = numberOf(node) ?? 0;
    if (count < 0) {
      contradict("compose/negative-scale", node!, `A service cannot have ${count} containers`, null);
    }
  }
  const several = scale ?? replicas;
  if (service.containerNameAt !== null && several !== null && several > 1) {
    contradict(
      "compose/container-name-with-scale",
      service.containerNameAt,
      `${several} containers cannot share one \`container_name\``,
      scaleAt ?? valueAt(value, "deploy"),
    );
  }
}

function checkPortRanges(service: Service, contradict: Contradict): void {
  for (const { invalid, unknown, published, target, written, at } of service.ports) {
    if (invalid !== null || unknown || published === null) continue;
    const outside = published.last - published.first;
    const inside = target.last - target.first;
    if (inside === 0 || outside === inside) continue;
    const message = `"${written}": ${outside + 1} published ports contradict ${
      inside + 1
    } ports of the container`;
    contradict("compose/port-range-mismatch", at, message, null);
  }
}

const LIMITS: readonly (readonly [string, readonly string[], "bytes" | "number"])[] = [
  ["mem_limit", ["limits", "memory"], "bytes"],
  ["mem_reservation", ["reservations", "memory"], "bytes"],
  ["cpus", ["limits", "cpus"], "number"],
  ["pids_limit", ["limits", "pids"], "number"],
];

function checkLimits(unit: Unit, say: Say): void {
  for (const [key, path, type] of LIMITS) {
    const own = valueAt(unit.value, key);
    const deployed = valueAt(unit.value, "deploy", "resources", ...path);
    const [a, b] = [textOf(own), textOf(deployed)];
    if (a === null || b === null) continue;
    const amount = type === "bytes" ? bytesOf : Number;
    if (amount(a) === amount(b)) continue;
    const other = `deploy.resources.${path.join(".")}`;
    say("compose/limits-mismatch", own!, `\`${key}\` ${a} contradicts \`${other}\` ${b}`, {
      subject: unit.id,
      related: related("It contradicts this", deployed),
    });
  }
}

function checkMountTargets(unit: Unit, service: Service, say: Say): void {
  const taken = new Map<string, Place>();
  const mount = (target: string, place: Place) => {
    const path = target.length > 1 ? target.replace(/\/+$/, "") : target;
    const other = taken.get(path);
    if (other === undefined) taken.set(path, place);
    else if (other.start !== place.start || other.file !== place.file) {
      say("compose/duplicate-mount-target", place, `"${path}" is mounted twice`, {
        subject: unit.id,
        related: [{ message: "Mounted here already", at: other }],
      });
    }
  };
  for (const node of oneOrMany(valueAt(unit.value, "tmpfs"))) {
    const text = textOf(node);
    if (text !== null) mount(text.split(":")[0]!, node);
  }
  for (const { target, unknown, invalid, at: place } of service.mounts) {
    if (target !== null && !unknown && invalid === null) mount(target, place);
  }
}

function checkHealthcheck(unit: Unit, say: Say): void {
  const healthcheck = valueAt(unit.value, "healthcheck");
  const test = valueAt(healthcheck, "test");
  const first = test?.kind === "list" ? test.items[0] ?? null : null;
  const word = textOf(first);
  if (word !== null && !["NONE", "CMD", "CMD-SHELL"].includes(word)) {
    say(
      "compose/healthcheck-test",
      first,
      `A healthcheck test needs "CMD", "CMD-SHELL" or "NONE" first, not "${word}"`,
      {
        subject: unit.id,
      },
    );
  }
  const interval = entryOf(healthcheck, "start_interval");
  if (interval !== null && entryOf(healthcheck, "start_period") === null) {
    say("compose/start-interval-without-period", interval.key, "`start_interval` needs a `start_period`", {
      subject: unit.id,
    });
  }
}

function checkPlatform(unit: Unit, say: Say): void {
  const platform = valueAt(unit.value, "platform");
  const wanted = textOf(platform);
  const built = valueAt(unit.value, "build", "platforms");
  const texts = listOf(built).map(textOf);
  if (wanted === null || texts.length === 0 || texts.includes(null) || texts.includes(wanted)) return;
  say("compose/platform-not-built", platform, `"${wanted}" needs to be among \`build.platforms\``, {
    subject: unit.id,
    related: related("Built for these", built),
  });
}

function checkWatch(unit: Unit, say: Say): void {
  for (const watch of listOf(valueAt(unit.value, "develop", "watch"))) {
    const action = textOf(valueAt(watch, "action"));
    if (
      action === null || action === "rebuild" || action === "restart" || valueAt(watch, "target") !== null
    ) {
      continue;
    }
    say(
      "compose/watch-target-missing",
      valueAt(watch, "action"),
      `The action "${action}" needs a \`target\``,
      {
        subject: unit.id,
      },
    );
  }
}

/** Whether a service asks for all privileges. */
export const isPrivileged = (value: Node): boolean => truthOf(valueAt(value, "privileged")) === true;

function related(message: string, place: Place | null): { message: string; at: Place }[] {
  return place === null ? [] : [{ message, at: place }];
}

function sizeOf(node: Node): number {
  return node.kind === "mapping" ? node.entries.size : node.kind === "list" ? node.items.length : 0;
}
