/** Compares a container with its unit, field by field. What the image or the engine adds is not a difference. */

import type { InspectedContainer } from "../../core/runtime.ts";
import { looksSecret, MASK, maskText } from "../../core/secrets.ts";
import type { Group, KeyValue, Model, Unit } from "../artifact.ts";
import { bytesOf, imageReference, nanosecondsOf } from "../compose/amounts.ts";
import { cleanPath } from "../compose/clean_path.ts";
import { wordsOf } from "../compose/command.ts";
import { numberOf, textOf, truthOf, valueAt, writtenIn, writtenOr } from "../yaml/values.ts";
import { driftInCapabilities } from "./drift_capabilities.ts";
import { driftInMounts } from "./drift_mounts.ts";
import { driftInNetworks } from "./drift_networks.ts";
import { driftInPorts } from "./drift_ports.ts";
import type { EngineView, Note } from "./engine_view.ts";
import type { Drift } from "./live.ts";

/** All differences of one container. */
export function driftOf(
  model: Model,
  group: Group,
  unit: Unit,
  container: InspectedContainer,
  view: EngineView,
): Drift[] {
  const drift: Drift[] = [];
  if (unit.service === null) return drift;
  const note: Note = (field, declared, actual, from) =>
    void drift.push({
      field,
      container: container.name,
      declared: maskText(writtenIn(from, declared)),
      actual: maskText(actual),
    });
  imageDrift(group, unit, container, view.imageNow, note);
  commandDrift(unit, container, note);
  driftInHealthcheck(unit, container, note);
  environmentDrift(unit, container, note);
  driftInPorts(unit, container, note);
  driftInMounts(model, group, unit, container, view, note);
  driftInNetworks(group, unit, container, view.neighbour, note);
  policyDrift(unit, container, note);
  limitDrift(unit, container, note);
  identityDrift(unit, container, note);
  dependencyDrift(group, unit, container, note);
  return drift;
}

function imageDrift(
  group: Group,
  unit: Unit,
  container: InspectedContainer,
  imageNow: EngineView["imageNow"],
  note: Note,
): void {
  const { image, build, imageAt } = unit.service!;
  if ((imageAt !== null && textOf(imageAt) === null) || (image === null && !build)) return;
  // Compose 2 joins the name of what it builds with a dash, Compose 1 with an underscore.
  const names = image === null ? ["-", "_"].map((sign) => `${group.project}${sign}${unit.label}`) : [image];
  const running = fullImage(container.image);
  if (!names.some((name) => fullImage(name) === running || name === container.imageId)) {
    return note("image", names[0]!, shortImage(container.image), imageAt);
  }
  // The name is the same, but was given to another image since: pulled or built anew.
  const now = imageNow(running);
  if (now !== undefined && now !== container.imageId) {
    note(
      "image",
      `${writtenIn(imageAt, names[0]!)} (${shortId(now)})`,
      `${shortImage(container.image)} (${shortId(container.imageId)})`,
    );
  }
}

const shortId = (id: string): string => id.replace(/^sha256:/, "").slice(0, 12);

/** Without the registry that engines put before a short name. */
const shortImage = (text: string): string =>
  text.replace(/^(?:localhost|docker\.io)\//, "").replace(/^library\//, "");

/** An image name in full, so that short and long forms are equal. */
export function fullImage(text: string): string {
  const bare = shortImage(text);
  const image = imageReference(bare);
  if (image === null) return bare;
  if (image.digest !== null) return `${image.name}@${image.digest}`;
  return `${image.name}:${image.tag ?? "latest"}`;
}

function commandDrift(unit: Unit, container: InspectedContainer, note: Note): void {
  for (const field of ["command", "entrypoint"] as const) {
    const declared = wordsOf(valueAt(unit.value, field));
    const actual = container[field];
    if (declared === null || same(declared, actual)) continue;
    // An empty command means that of the image.
    if (declared.length === 0 && same(container.imageDefaults?.[field] ?? actual, actual)) continue;
    note(field, line(declared), line(actual), valueAt(unit.value, field));
  }
}

const TIMES = [
  ["interval", "interval"],
  ["timeout", "timeout"],
  ["start_period", "startPeriod"],
] as const;

function driftInHealthcheck(unit: Unit, container: InspectedContainer, note: Note): void {
  const check = valueAt(unit.value, "healthcheck");
  const test = valueAt(check, "test");
  const disabled = unit.service!.healthcheck?.disabled === true;
  const text = textOf(test);
  const declared = disabled ? ["NONE"] : text !== null ? ["CMD-SHELL", text] : wordsOf(test);
  const actual = container.healthcheck ?? ["NONE"];
  if (declared !== null && !same(declared, actual)) {
    note("healthcheck", line(declared), line(actual), disabled ? null : test);
  }
  const times = container.healthTimes;
  if (disabled || times === null || actual[0] === "NONE") return;
  for (const [key, name] of TIMES) {
    const written = textOf(valueAt(check, key));
    const wanted = written === null ? null : nanosecondsOf(written);
    if (wanted === null || wanted === times[name]) continue;
    const ran = times[name] === 0 ? "(not set)" : `${times[name] / 1e9}s`;
    note(`healthcheck.${key}`, written!, ran, valueAt(check, key));
  }
  const retries = numberOf(valueAt(check, "retries"));
  if (retries !== null && retries !== times.retries) {
    const ran = times.retries === 0 ? "(not set)" : String(times.retries);
    note("healthcheck.retries", String(retries), ran, valueAt(check, "retries"));
  }
}

const line = (words: readonly string[]): string =>
  words.map((word) => /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)).join(" ") || "(none)";

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i]);

/** Only names are shown, never values. */
function environmentDrift(unit: Unit, container: InspectedContainer, note: Note): void {
  for (const [key, variable] of unit.service!.environment) {
    // Named without a value: its value came from the environment of the start, which is not known here.
    if (variable.value === null || variable.unknown || isReadDifferently(variable)) continue;
    const actual = container.env[key];
    if (actual === variable.value) continue;
    note(`environment.${variable.name}`, MASK, actual === undefined ? "(not set)" : "(another value)");
  }
}

/** Lines of an `env_file` that older versions of Compose, and other tools, take for something else. */
function isReadDifferently({ at: { file, start, end } }: KeyValue): boolean {
  if (file.kind !== "env") return false;
  const written = file.text.slice(start, end + 1);
  return /[\\$]/.test(written) || !/^[^:=]*=/.test(written);
}

const RESTARTS: Readonly<Record<string, string>> = { "": "no", none: "no", any: "always" };

function policyDrift(unit: Unit, container: InspectedContainer, note: Note): void {
  const deployed = valueAt(unit.value, "deploy", "restart_policy");
  const written = textOf(valueAt(unit.value, "restart")) ?? textOf(valueAt(deployed, "condition"));
  if (written !== null) {
    const [name, retries] = written.split(":");
    const wanted = RESTARTS[name!] ?? name!;
    const attempts = retries === undefined ? numberOf(valueAt(deployed, "max_attempts")) : Number(retries);
    const actual = RESTARTS[container.restart.name] ?? container.restart.name;
    const wrongCount = wanted === "on-failure" && attempts !== null &&
      attempts !== container.restart.maximumRetries;
    if (wanted !== actual || wrongCount) {
      const count = container.restart.maximumRetries > 0 ? `:${container.restart.maximumRetries}` : "";
      const from = textOf(valueAt(unit.value, "restart")) === null
        ? deployed
        : valueAt(unit.value, "restart");
      note("restart", attempts === null ? wanted : `${wanted}:${attempts}`, `${actual}${count}`, from);
    }
  }
  const flag = (field: string, key: string, actual: boolean) => {
    // Also as a text, which is what a variable leaves.
    const declared = truthOf(valueAt(unit.value, key));
    if (declared !== null && declared !== actual) note(field, String(declared), String(actual));
  };
  flag("privileged", "privileged", container.privileged);
  flag("readOnly", "read_only", container.readOnlyRoot);
  driftInCapabilities(unit, container, note);
}

function limitDrift(unit: Unit, container: InspectedContainer, note: Note): void {
  const limits = valueAt(unit.value, "deploy", "resources", "limits");
  const of = (key: string, other: string) =>
    textOf(valueAt(unit.value, key)) === null ? valueAt(limits, other) : valueAt(unit.value, key);
  const memoryAt = of("mem_limit", "memory");
  const memory = textOf(memoryAt);
  const bytes = memory === null ? null : bytesOf(memory);
  if (bytes !== null && bytes > 0 && bytes !== container.memoryLimitBytes) {
    note("limits.memory", `${bytes} bytes`, amount(container.memoryLimitBytes, " bytes"), memoryAt);
  }
  const cpus = numberOf(valueAt(unit.value, "cpus")) ?? numberOf(valueAt(limits, "cpus"));
  if (cpus !== null && cpus > 0 && Math.abs(cpus - (container.cpus ?? 0)) > 1e-6) {
    note("limits.cpus", String(cpus), amount(container.cpus, ""), of("cpus", "cpus"));
  }
  const pids = numberOf(valueAt(unit.value, "pids_limit")) ?? numberOf(valueAt(limits, "pids"));
  if (pids !== null && pids > 0 && pids !== container.pidsLimit) {
    note("limits.pids", String(pids), amount(container.pidsLimit, ""), of("pids_limit", "pids"));
  }
}

const amount = (value: number | null, unit: string): string =>
  value === null || value === 0 ? "(no limit)" : `${value}${unit}`;

function identityDrift(unit: Unit, container: InspectedContainer, note: Note): void {
  const compare = (field: string, key: string, actual: string) => {
    const declared = textOf(valueAt(unit.value, key));
    if (declared !== null && declared !== actual) {
      note(field, declared, actual || "(none)", valueAt(unit.value, key));
    }
  };
  compare("user", "user", container.user);
  const folder = textOf(valueAt(unit.value, "working_dir"));
  if (folder !== null && cleanPath(folder) !== cleanPath(container.workingDir)) {
    note("workingDir", folder, container.workingDir || "(none)", valueAt(unit.value, "working_dir"));
  }
  compare("hostname", "hostname", container.hostname);
  compare("name", "container_name", container.name);
  for (const [key, { name, value, unknown, at }] of unit.service!.labels) {
    if (unknown) continue;
    const declared = value ?? "";
    const actual = container.labels[key];
    if (actual === declared) continue;
    const isSecret = looksSecret(key) || at.file.kind === "env";
    const shown = (text: string) => isSecret ? MASK : text;
    note(
      `labels.${name}`,
      shown(writtenOr(at, declared)),
      actual === undefined ? "(not set)" : shown(actual),
    );
  }
}

/** `db:service_healthy:true,redis:service_started:false`; older ones hold names alone, the oldest have no such label. */
function dependencyDrift(group: Group, unit: Unit, container: InspectedContainer, note: Note): void {
  const label = container.labels["com.docker.compose.depends_on"];
  if (label === undefined) return;
  const running = new Map(
    label.split(",").filter((part) => part !== "").map((part) => {
      const [name, condition] = part.split(":");
      return [name!, condition ?? null];
    }),
  );
  const declared = new Map<string, { condition: string | null; required: boolean; implicit: boolean }>();
  const active = new Map(group.units.map((other) => [other.id, other.service?.active === true]));
  for (const { kind, target, condition, required, implicit } of unit.references) {
    if (target === null || !active.has(target)) continue;
    if (!["depends_on", "link", "namespace", "volumes_from"].includes(kind)) continue;
    const name = target.slice(`unit:${group.name}.`.length);
    if (declared.get(name)?.implicit === false) continue;
    declared.set(name, {
      condition: condition ?? null,
      required: required !== false && active.get(target) === true,
      implicit,
    });
  }
  for (const [name, condition] of running) {
    const other = declared.get(name);
    if (other === undefined) note(`dependsOn.${name}`, "(none)", condition ?? "(some)");
    else if (condition !== null && other.condition !== null && condition !== other.condition) {
      note(`dependsOn.${name}`, other.condition, condition);
    }
  }
  for (const [name, { condition, required, implicit }] of declared) {
    if (!running.has(name) && required && !implicit) {
      note(`dependsOn.${name}`, condition ?? "(some)", "(none)");
    }
  }
}
