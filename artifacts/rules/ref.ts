/** Rules about names that mean something else: whether it exists, fits, and is enabled. */

import type { Group, Model, Reference, Unit } from "../artifact.ts";
import { START_KINDS } from "../graph/graph.ts";
import { didYouMean, findWritten, namesOf } from "../graph/names.ts";
import type { RuleCode } from "./catalog.ts";
import type { Say } from "./say.ts";
import { profilesOf } from "./together.ts";

const CODES: Readonly<Record<string, RuleCode>> = {
  depends_on: "ref/unknown-service",
  link: "ref/unknown-link",
  namespace: "ref/unknown-namespace",
  volumes_from: "ref/unknown-volumes-from",
  build_context: "ref/unknown-build-context",
  network: "ref/unknown-network",
  volume: "ref/unknown-volume",
  secret: "ref/unknown-secret",
  config: "ref/unknown-config",
  model: "ref/unknown-model",
};

/** The names in the services of one group. */
export function checkGroupReferences(group: Group, say: Say): void {
  const units = new Map(group.units.map((unit) => [unit.id, unit]));
  const resources = new Set(group.resources.map((resource) => resource.id));
  for (const unit of group.units) {
    if (unit.service === null) continue;
    for (const reference of unit.references) {
      if (reference.target === null || reference.byDefault === true) continue;
      const target = units.get(reference.target);
      if (target !== undefined) checkTarget(unit, reference, target, say);
      else if (!resources.has(reference.target)) unknown(group, unit, reference, say);
    }
  }
}

function unknown(group: Group, unit: Unit, reference: Reference, say: Say): void {
  const kind = reference.target!.slice(0, reference.target!.indexOf(":"));
  const code = CODES[reference.kind === "uses" ? kind : reference.kind];
  if (code === undefined) return;
  const name = reference.target!.slice(reference.target!.indexOf(":") + 1).split(".").slice(1).join(".") ||
    reference.written;
  const isUnit = kind === "unit";
  const near = didYouMean(
    name,
    isUnit
      ? group.units.map((other) => other.label)
      : group.resources.filter((other) => other.kind === kind).map((other) => other.key),
  );
  say(
    code,
    reference.at,
    `"${unit.label}" needs the undefined ${isUnit ? "service" : kind} "${name}"${near}`,
    {
      subject: unit.id,
      ...(group.incomplete && { severity: "info" as const }),
    },
  );
}

function checkTarget(unit: Unit, reference: Reference, target: Unit, say: Say): void {
  const subject = unit.id;
  if (reference.kind === "build_context" && target.service?.build === null) {
    say(
      "ref/build-context-not-buildable",
      reference.at,
      `"${target.label}" has no build, so it cannot be a build context`,
      { subject, related: [{ message: `"${target.label}" is defined here`, at: target.source }] },
    );
  }
  if (!START_KINDS.has(reference.kind) || target.service === null || target.service.active) return;
  // Beside a dependency that is written, a link or shared namespace adds none.
  const isWritten = ({ kind, target }: Reference) => kind === "depends_on" && target === reference.target;
  if (reference.implicit && unit.references.some(isWritten)) return;
  const required = reference.required !== false;
  const active = unit.service?.active === true;
  if (active || !sharesProfile(unit, target)) {
    say(
      "ref/disabled-by-profile",
      reference.at,
      `"${target.label}" is enabled only by ${list(target.service.writtenProfiles)}`,
      {
        subject,
        related: [{ message: `"${target.label}" is defined here`, at: target.source }],
        ...(!(active && required) && { severity: "info" as const }),
      },
    );
  }
}

const sharesProfile = (unit: Unit, target: Unit): boolean =>
  unit.service !== null && unit.service.profiles.every((name) => profilesOf(target.service!).has(name));

/** Profiles that are named in one message. */
const NAMED = 5;

const list = (profiles: readonly string[]): string =>
  `${profiles.length === 1 ? "the profile" : "the profiles"} ${
    profiles.slice(0, NAMED).map((name) => `"${name}"`).join(", ")
  }${profiles.length > NAMED ? ` and ${profiles.length - NAMED} more` : ""}`;

/** The names in native documents, which may mean anything in the workspace. */
export function checkNativeReferences(model: Model, say: Say): void {
  const groups = namesOf(model).group.ids;
  const units = namesOf(model).unit.ids;
  const check = (reference: Reference, own: string | null, subject: string) => {
    if (reference.kind !== "requires") return;
    const { written, at } = reference;
    if (reference.target !== null) {
      const known = groups.has(reference.target) || units.has(reference.target);
      if (!known) missing(written, at, subject);
      return;
    }
    const found = findWritten(model, written, own);
    if ("none" in found) missing(written, at, subject);
    if ("candidates" in found) ambiguous(written, at, subject, found.candidates, say);
  };
  const missing = (written: string, at: Reference["at"], subject: string) => {
    const isGroup = written.startsWith("group:");
    const name = written.replace(/^(group|unit):/, "");
    const names = isGroup
      ? model.groups.map((group) => group.name)
      : model.units.flatMap((unit) => [unit.name, unit.label]);
    say(
      isGroup ? "ref/unknown-group" : "ref/unknown-unit",
      at,
      `No ${isGroup ? "group" : "unit"} is called "${name}"${didYouMean(name, names)}`,
      { subject },
    );
  };
  for (const group of model.groups) {
    for (const reference of group.references) check(reference, group.id, group.id);
  }
  for (const unit of model.units) {
    if (unit.service === null && unit.group !== null && !groups.has(unit.group)) {
      missing(unit.group, unit.source, unit.id);
    }
    for (const reference of unit.references) check(reference, unit.group, unit.id);
  }
}

/** A name that fits several artifacts. */
export function ambiguous(
  written: string,
  at: Reference["at"],
  subject: string,
  candidates: readonly string[],
  say: Say,
): void {
  say("ref/ambiguous", at, `"${written}" could mean ${candidates.map((id) => `"${id}"`).join(", ")}`, {
    subject,
    data: { candidates: [...candidates] },
  });
}
