/** Rules about one Compose service: values that exclude each other, and values that need another. */

import type { Group, Mount, Node, Place, Service, Unit } from "../artifact.ts";
import { bytesOf } from "../compose/amounts.ts";
import { amountText } from "../compose/number_text.ts";
import { cleanTarget } from "../compose/clean_path.ts";
import { readMount } from "../compose/mounts.ts";
import { portKey, readPort } from "../compose/ports.ts";
import {
  entryOf,
  isFilled,
  listOf,
  numberOf,
  oneOrMany,
  shownOf,
  textOf,
  valueAt,
  writtenOr,
} from "../yaml/values.ts";
import type { RuleCode } from "./catalog.ts";
import type { Say } from "./say.ts";

/** Checks one service by itself. `whole` is false for files that are only a base for others. */
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
  const image = valueAt(unit.value, "image");
  const hasImage = image !== null && (textOf(image) ?? "?") !== "";
  if (whole && !hasImage && !has("build") && !has("provider") && !(group.incomplete && has("extends"))) {
    say(
      "compose/no-image-or-build",
      unit.source,
      `Service "${unit.label}" has no image, build or provider`,
      { subject: unit.id },
    );
  }
  checkStyle(unit, service, say);
  checkConflicts(unit, service, say);
  checkLimits(unit, say);
  checkMountTargets(unit, service, say);
  checkRepeatedPorts(unit, service, say);
  checkHealthcheck(unit, say);
  checkPlatform(unit, say);
  checkWatch(unit, say);
}

function checkStyle(unit: Unit, service: Service, say: Say): void {
  const subject = unit.id;
  const build = entryOf(unit.value, "build");
  if (build !== null && entryOf(unit.value, "image") !== null) {
    say("compose/image-and-build", build.key, `Service "${unit.label}" has both an image and a build`, {
      subject,
    });
  }
  const links = entryOf(unit.value, "links");
  if (links !== null) {
    say(
      "compose/links-legacy",
      links.key,
      "`links` are legacy: services on the same network reach each other by name",
      {
        subject,
      },
    );
  }
  const ports = entryOf(unit.value, "ports");
  if (service.networkMode === "host" && ports !== null && service.ports.length > 0) {
    say("compose/host-network-with-ports", ports.key, "Ports are ignored on the host network", {
      subject,
      related: related("The host network is set here", valueAt(unit.value, "network_mode")),
    });
  }
}

/** Reports two values that cannot both stand. */
type Conflict = (code: RuleCode, place: Place, what: string, other: Place | null) => void;

function checkConflicts(unit: Unit, service: Service, say: Say): void {
  const conflict: Conflict = (code, place, what, other) =>
    say(code, place, what, { subject: unit.id, related: related("The other value is here", other) });
  checkExclusive(unit.value, conflict);
  checkScale(unit.value, service, conflict);
  checkPortRanges(service, conflict);
}

function checkExclusive(value: Node, conflict: Conflict): void {
  const mode = valueAt(value, "network_mode");
  const networks = valueAt(value, "networks");
  if (textOf(mode) !== null && networks !== null && sizeOf(networks) > 0) {
    conflict(
      "compose/network-mode-and-networks",
      mode!,
      "`network_mode` and `networks` cannot both be set",
      networks,
    );
  }
  const dockerfile = valueAt(value, "build", "dockerfile");
  const inline = valueAt(value, "build", "dockerfile_inline");
  if (dockerfile !== null && inline !== null) {
    const message = "`dockerfile` and `dockerfile_inline` cannot both be set";
    conflict("compose/dockerfile-and-inline", inline, message, dockerfile);
  }
  const devices = [
    ...listOf(valueAt(value, "deploy", "resources", "reservations", "devices")),
    ...listOf(valueAt(value, "gpus")),
  ];
  for (const device of devices) {
    const count = valueAt(device, "count");
    const ids = valueAt(device, "device_ids");
    if (count === null || ids === null) continue;
    conflict("compose/device-count-and-ids", ids, "`count` and `device_ids` cannot both be set", count);
  }
}

function checkScale(value: Node, service: Service, conflict: Conflict): void {
  const scaleAt = valueAt(value, "scale");
  const replicasAt = valueAt(value, "deploy", "replicas");
  const scale = numberOf(scaleAt);
  const replicas = numberOf(replicasAt);
  if (scale !== null && replicas !== null && scale !== replicas) {
    const message = `\`scale\` ${shownOf(scaleAt)} differs from \`deploy.replicas\` ${shownOf(replicasAt)}`;
    conflict("compose/scale-vs-replicas", scaleAt!, message, replicasAt);
  }
  for (const node of [scaleAt, replicasAt]) {
    const count = numberOf(node) ?? 0;
    if (count < 0) {
      conflict("compose/negative-scale", node!, `A service cannot have ${shownOf(node)} containers`, null);
    }
  }
  const several = scale ?? replicas;
  if (service.containerNameAt !== null && several !== null && several > 1) {
    conflict(
      "compose/container-name-with-scale",
      service.containerNameAt,
      `${shownOf(scale === null ? replicasAt : scaleAt)} containers cannot share one \`container_name\``,
      scaleAt ?? valueAt(value, "deploy"),
    );
  }
}

function checkPortRanges(service: Service, conflict: Conflict): void {
  for (const { invalid, unknown, filled, published, target, written, at } of service.ports) {
    if (invalid !== null || unknown || published === null) continue;
    const outside = published.last - published.first;
    const inside = target.last - target.first;
    if (inside === 0 || outside === inside) continue;
    const [these, those] = filled ? ["the", "the"] : [outside + 1, inside + 1];
    const message = `"${written}": ${these} published ports do not fit ${those} container ports`;
    conflict("compose/port-range-mismatch", at, message, null);
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
    const around = valueAt(unit.value, "deploy", "resources", path[0]!);
    const [a, b] = [amountText(own), amountText(deployed)];
    // Beside other limits, one that is not said is none.
    if (a === null || around === null || (deployed !== null && b === null)) continue;
    const amount = type === "bytes" ? bytesOf : Number;
    if (amount(a) === 0 || amount(a) === amount(b ?? "0")) continue;
    const other = `deploy.resources.${path.join(".")}`;
    const contradiction = b === null
      ? `\`${other}\`, which is not set beside others`
      : `\`${other}\` ${shownOf(deployed)}`;
    say("compose/limits-mismatch", own!, `\`${key}\` ${shownOf(own)} differs from ${contradiction}`, {
      subject: unit.id,
      related: related("The other value is here", deployed ?? around),
    });
  }
}

function checkMountTargets(unit: Unit, service: Service, say: Say): void {
  const subject = unit.id;
  const taken = new Map<string, Place>();
  const mount = (path: string, place: Place, shown: string) => {
    const other = taken.get(path);
    if (other === undefined) taken.set(path, place);
    else {
      say("compose/duplicate-mount-target", place, `"${shown}" is mounted twice, and Compose refuses that`, {
        subject,
        severity: "error",
        related: [{ message: "First mounted here", at: other }],
      });
    }
  };
  for (const node of oneOrMany(valueAt(unit.value, "tmpfs"))) {
    const text = textOf(node);
    if (text === null) continue;
    const target = cleanTarget(text.split(":")[0]!);
    mount(target, node, writtenOr(node, target));
  }
  const kept = new Map<Place, Mount>(service.mounts.map((one) => [one.at, one]));
  for (const { target, shown, unknown, invalid, at: place } of service.mounts) {
    // A long form may have an unknown source and a target all the same.
    if (target === null || (unknown && place.kind !== "mapping") || invalid !== null) continue;
    mount(target, place, isFilledMount(place) ? shown.target ?? "A mount" : target);
  }
  for (const node of oneOrMany(valueAt(unit.value, "volumes"))) {
    if (kept.has(node)) continue;
    const { target, shown } = readMount(node);
    const last = service.mounts.findLast((one) => one.target === target);
    say(
      "compose/duplicate-mount-target",
      node,
      `"${isFilledMount(node) ? shown.target : target}" is mounted again: Compose keeps the last`,
      {
        subject,
        related: related("This one is kept", last?.at ?? null),
      },
    );
  }
}

function checkRepeatedPorts(unit: Unit, service: Service, say: Say): void {
  const kept = new Map(service.ports.map((port) => [port.at as Place, port]));
  for (const node of oneOrMany(valueAt(unit.value, "ports"))) {
    if (kept.has(node)) continue;
    const port = readPort(node);
    const last = service.ports.find((other) => portKey(other) === portKey(port));
    say("compose/duplicate-port", node, `"${port.written}" is published again: Compose takes it once`, {
      subject: unit.id,
      related: related("It is the same as this", last?.at ?? null),
    });
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
      `The healthcheck test must begin with "CMD", "CMD-SHELL" or "NONE", not "${writtenOr(first, word)}"`,
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
  say(
    "compose/platform-not-built",
    platform,
    `Platform "${writtenOr(platform, wanted)}" is not in \`build.platforms\``,
    {
      subject: unit.id,
      related: related("The platforms it is built for", built),
    },
  );
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
      `Action "${shownOf(valueAt(watch, "action"))}" needs a \`target\``,
      {
        subject: unit.id,
      },
    );
  }
}

function related(message: string, place: Place | null): { message: string; at: Place }[] {
  return place === null ? [] : [{ message, at: place }];
}

/** Returns true if the value of a variable is in what is mounted or where. */
const isFilledMount = (node: Node): boolean => isFilled(node) || isFilled(valueAt(node, "target"));

function sizeOf(node: Node): number {
  return node.kind === "mapping" ? node.entries.size : node.kind === "list" ? node.items.length : 0;
}
