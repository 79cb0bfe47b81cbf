/** Rules about groups that are meant for a swarm: where its tasks run otherwise than Compose's containers would. */

import type { Finding, Group, Node, Unit } from "../artifact.ts";
import { bytesOf, nanosecondsOf } from "../compose/amounts.ts";
import { amountText } from "../compose/number_text.ts";
import { targetOf } from "../compose/swarm_target.ts";
import { ignoredBySwarm, pinsOf } from "../compose/swarm_keys.ts";
import {
  entryOf,
  isUnknown,
  numberOf,
  shownOf,
  textOf,
  truthOf,
  valueAt,
  writtenOr,
} from "../yaml/values.ts";
import { type Say, sayInto } from "./say.ts";
import { checkForClient } from "./swarm_client.ts";

const known = new WeakMap<Group, readonly Finding[]>();

/** Returns what would go wrong with a group in a swarm. Worked out once for it. */
export function findingsInSwarm(group: Group): readonly Finding[] {
  let findings = known.get(group);
  if (findings === undefined) {
    const found: Finding[] = [];
    const say = sayInto(found);
    for (const unit of group.units) {
      if (unit.service !== null && unit.value.kind === "mapping") checkUnit(group, unit, say);
    }
    checkForClient(group, say);
    known.set(group, findings = found);
  }
  return findings;
}

/** Finds a target that berth does not know, which would silence all rules of this file. */
export function checkTarget(group: Group, say: Say): void {
  const target = targetOf(group);
  if (target === null || isUnknown(target) || ["swarm", "containers"].includes(textOf(target) ?? "")) return;
  say(
    "schema/invalid",
    target,
    `"x-berth.target" is "${shownOf(target) ?? ""}", expected "swarm" or "containers"`,
    {
      severity: "warning",
      subject: group.id,
    },
  );
}

function checkUnit(group: Group, unit: Unit, say: Say): void {
  checkPorts(unit, say);
  checkImage(unit, say);
  checkReservations(unit, say);
  checkRestart(unit, say);
  checkKeys(unit, say);
  checkMounts(group, unit, say);
  checkUpdates(unit, say);
}

function checkPorts({ service, value, id: subject }: Unit, say: Say): void {
  const startsFirst = valueAt(value, "deploy", "update_config", "order");
  for (const { hostIp, written, at, unknown, invalid } of service!.ports) { // the caller has looked
    if (unknown || invalid !== null) continue;
    if (hostIp !== null && !EVERYWHERE.has(hostIp.replace(/^\[|\]$/g, ""))) {
      const message =
        `"${written}" would be open on all addresses of every node: a port of a swarm has no address`;
      say("swarm/host-ip-ignored", at, message, { subject });
    }
    const mode = "kind" in at ? valueAt(at as Node, "mode") : null; // the node it was read from
    if (textOf(mode) !== "host" || textOf(startsFirst) !== "start-first") continue;
    const message =
      `With \`order: start-first\` the new task waits for "${written}", which the old one holds, ` +
      "as long as no other node has it free";
    say("swarm/start-first-host-port", startsFirst, message, {
      subject,
      related: [{ message: "The port of the node", at }],
    });
  }
}

const EVERYWHERE: ReadonlySet<string> = new Set(["", "0.0.0.0", "::"]);

function checkImage({ service, value, label, id: subject }: Unit, say: Say): void {
  const build = entryOf(value, "build");
  if (build === null || service!.imageAt !== null) return; // the caller has looked
  const message = `"${label}" has a build and no \`image\`: nodes can only pull an image by its name`;
  say("swarm/build-without-image", build.key, message, { subject });
}

function checkReservations({ value, label, id: subject }: Unit, say: Say): void {
  const resources = valueAt(value, "deploy", "resources");
  const bytes = (node: Node | null) => bytesOf(amountText(node) ?? "");
  for (const [key, read] of [["memory", bytes], ["cpus", numberOf]] as const) {
    const reserved = valueAt(resources, "reservations", key);
    const limit = valueAt(resources, "limits", key);
    const [most, least] = [read(limit), read(reserved)];
    if (most === null || least === null || most === 0 || least <= most) continue;
    const message = `"${label}" reserves more ${key === "memory" ? "memory" : "processors"} ` +
      `(${shownOf(reserved)}) than its limit allows (${shownOf(limit)})`;
    say("swarm/reservation-over-limit", reserved, message, {
      subject,
      related: [{ message: "The limit", at: limit! }], // it was read
    });
  }
}

function checkRestart({ value, label, id: subject }: Unit, say: Say): void {
  const restart = valueAt(value, "restart");
  if (textOf(restart) !== "no" || valueAt(value, "deploy", "restart_policy") !== null) return;
  const message = `"docker stack deploy" restarts "${label}" for ever, since it drops \`restart: "no"\`: ` +
    "write `deploy.restart_policy.condition: none`";
  say("swarm/restart-no", restart, message, { subject });
}

function checkKeys(unit: Unit, say: Say): void {
  const { value, label, id: subject } = unit;
  const name = entryOf(value, "container_name");
  if (name !== null) {
    const message = `The tasks of "${label}" have names of their own: a swarm ignores \`container_name\``;
    say("swarm/container-name", name.key, message, { subject });
  }
  for (const { key, at, instead } of ignoredBySwarm(unit)) {
    const way = instead === "" ? "" : `; write ${/^[\w.]+$/.test(instead) ? `\`${instead}\`` : instead}`;
    say("swarm/field-ignored", at, `"${label}" runs without \`${key}\`, which a swarm ignores${way}`, {
      subject,
    });
  }
  const order = entryOf(value, "depends_on");
  if (order !== null) {
    const message = `"docker stack deploy" starts all services at once, whatever "${label}" depends on`;
    say("swarm/depends-on-ignored", order.key, message, { subject });
  }
}

/** Sources that each machine with an engine has. */
const OF_EVERY_NODE =
  /^(?:\/|\/(?:proc|sys|dev|etc\/(?:localtime|timezone|hostname|hosts|os-release|machine-id)|(?:var\/)?run\/docker\.sock|var\/lib\/docker|var\/log|lib\/modules)(?:\/.*)?)$/;

function checkMounts(group: Group, unit: Unit, say: Say): void {
  if (pinsOf(unit).length > 0) return;
  const subject = unit.id;
  for (const { type, source, shown, sourceAt, unknown, invalid } of unit.service!.mounts) { // the caller has looked
    if (unknown || invalid !== null || source === null) continue;
    if (type === "bind" && !OF_EVERY_NODE.test(source)) {
      const message = `"${shown.source ?? source}" must be on every node that "${unit.label}" may run on: ` +
        "copy it there, or choose a node with `deploy.placement.constraints`";
      say("swarm/bind-needs-node", sourceAt, message, { subject });
    }
    if (type === "volume" && isLocal(group, source)) {
      const message =
        `Each node has a volume "${shown.source ?? source}" of its own: choose one for "${unit.label}" ` +
        "with `deploy.placement.constraints`, or use a driver that shares it";
      say("swarm/local-volume-many-nodes", sourceAt, message, { subject });
    }
  }
}

/** A volume of the driver `local` that mounts no share of a network. */
function isLocal({ resources }: Group, key: string): boolean {
  const volume = resources.find((one) => one.kind === "volume" && one.key === key);
  if (volume === undefined || volume.external) return false;
  const driver = valueAt(volume.value, "driver");
  if (isUnknown(driver) || ![null, "", "local"].includes(textOf(driver))) return false;
  const type = valueAt(volume.value, "driver_opts", "type");
  return !isUnknown(type) && !/^(?:nfs4?|cifs|smb3|ceph|glusterfs|9p|tmpfs)$/.test(textOf(type) ?? "");
}

/** The time for which a swarm watches a new task where the file says nothing, in nanoseconds. */
const MONITOR = 5e9;

function checkUpdates({ value, label, id: subject }: Unit, say: Say): void {
  const update = valueAt(value, "deploy", "update_config");
  const action = valueAt(update, "failure_action");
  if (textOf(action) !== "rollback") return;
  const health = valueAt(value, "healthcheck");
  const isOff = truthOf(valueAt(health, "disable")) === true || textOf(valueAt(health, "test", 0)) === "NONE";
  if (health === null || isOff) {
    const message =
      `An update of "${label}" is only rolled back if its tasks end: without a health check a swarm ` +
      "cannot tell that they do not work";
    say("swarm/rollback-without-monitor", action, message, { subject });
    return;
  }
  const monitor = valueAt(update, "monitor");
  const period = valueAt(health, "start_period");
  const watched = monitor === null ? MONITOR : nanosecondsOf(textOf(monitor) ?? "");
  const start = nanosecondsOf(textOf(period) ?? "");
  if (watched === null || start === null || watched >= start) return;
  const message =
    `A task of "${label}" is watched for ${writtenOr(monitor, textOf(monitor) ?? "5s")} and may be ` +
    `unhealthy for ${shownOf(period)}: a failed update is not rolled back`;
  say("swarm/rollback-without-monitor", monitor ?? action, message, {
    subject,
    related: [{ message: "The time in which it may be unhealthy", at: period! }], // it was read
  });
}
