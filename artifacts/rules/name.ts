/** Rules about names that several artifacts claim. */

import type { Card, Group, Model, Place, Unit } from "../artifact.ts";
import { mainGroups } from "../graph/graph.ts";
import { textOf, writtenOr } from "../yaml/values.ts";
import type { RuleCode } from "./catalog.ts";
import type { Say } from "./say.ts";
import { enabledTogether } from "./together.ts";

/** As engines take them. */
export const CONTAINER_NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]+$/;
/** The suffix of the second group of one name. */
const SECOND = /~[0-9a-f]{8}$/;

/** Claims over the whole workspace. */
export function checkNames(model: Model, say: Say): void {
  const groups = mainGroups(model);
  checkGroupNames(groups, say);
  checkTwice(model.cards.filter(isWritten), (card) => card.name, "name/duplicate-card", "Card", say);
  checkTwice(model.units, (unit) => unit.id, "name/duplicate-unit", "Unit", say);
  checkCase(model.units, (unit) => unit.name, say);
  checkCase(model.cards.filter(isWritten), (card) => card.name, say);
  checkContainerNames(groups, say);
  checkSharedVolumes(groups, say);
}

const isWritten = (card: Card): boolean => card.origin === "native" || card.origin === "backstage";

interface Named {
  readonly id: string;
  readonly name: string;
  readonly source: Place;
}

function checkTwice<T extends Named>(
  all: readonly T[],
  keyOf: (item: T) => string,
  code: RuleCode,
  what: string,
  say: Say,
): void {
  const first = new Map<string, T>();
  for (const item of all) {
    const key = keyOf(item);
    const other = first.get(key);
    if (other === undefined) first.set(key, item);
    else {sayTwice(
        code,
        item,
        other,
        `${what} "${item.name}" is also defined in "${other.source.file.path}"`,
        say,
      );}
  }
}

function sayTwice(code: RuleCode, item: Named, other: Named, message: string, say: Say): void {
  say(code, item.source, message, {
    subject: item.id,
    related: [{ message: `"${other.name}" is first defined here`, at: other.source }],
  });
}

function checkGroupNames(groups: readonly Group[], say: Say): void {
  const byName = new Map<string, Group>();
  const byProject = new Map<string, Group>();
  for (const group of groups) {
    const name = group.name.replace(SECOND, "");
    const same = byName.get(name);
    const project = byProject.get(group.project);
    if (same === undefined) byName.set(name, group);
    if (project === undefined) byProject.set(group.project, group);
    if (same !== undefined) {
      const native = group.projectFrom.by === "native" && same.projectFrom.by === "native";
      const code = native ? "name/duplicate-native" : "name/duplicate-group";
      sayTwice(code, group, same, `Group "${name}" is also defined in "${same.source.file.path}"`, say);
    } else if (project !== undefined) {
      const message =
        `Groups "${group.name}" and "${project.name}" both become the Docker project "${group.project}"`;
      sayTwice("name/project-collision", group, project, message, say);
    }
  }
}

function checkCase<T extends Named>(all: readonly T[], keyOf: (item: T) => string, say: Say): void {
  const first = new Map<string, T>();
  for (const item of all) {
    const key = keyOf(item);
    const lower = key.toLowerCase();
    const other = first.get(lower);
    if (other === undefined) first.set(lower, item);
    else if (keyOf(other) !== key) {
      sayTwice("name/case-collision", item, other, `"${key}" and "${keyOf(other)}" differ only in case`, say);
    }
  }
}

function checkContainerNames(groups: readonly Group[], say: Say): void {
  const first = new Map<string, Unit>();
  for (const group of groups) {
    for (const unit of group.units) {
      const place = unit.service?.containerNameAt ?? null;
      const name = place === null ? null : textOf(place);
      if (place === null || name === null) continue;
      if (!CONTAINER_NAME.test(name)) {
        say(
          "name/container-name-invalid",
          place,
          `Invalid container name "${
            writtenOr(place, name)
          }": use letters, digits, "_", "." and "-", at least two, with a letter or digit first`,
          { subject: unit.id },
        );
      }
      const other = first.get(name);
      if (other === undefined) first.set(name, unit);
      else if (other.group !== unit.group || enabledTogether([other, unit])) {
        say(
          "name/duplicate-container-name",
          place,
          `Container name "${writtenOr(place, name)}" is also used by "${other.name}"`,
          {
            subject: unit.id,
            related: [{ message: `"${other.name}" uses it here`, at: other.service!.containerNameAt! }],
            ...(other.group !== unit.group && { severity: "warning" as const }),
          },
        );
      }
    }
  }
}

function checkSharedVolumes(groups: readonly Group[], say: Say): void {
  const first = new Map<string, { group: Group; at: Place }>();
  for (const group of groups) {
    for (const { kind, name, written, implicit, at, id } of group.resources) {
      if (kind !== "volume" || name === null || implicit) continue;
      const other = first.get(name);
      if (other === undefined) first.set(name, { group, at });
      else if (other.group !== group) {
        say("name/shared-volume", at, `Volume "${written}" is also used by the group "${other.group.name}"`, {
          subject: id,
          related: [{ message: `"${other.group.name}" uses it here`, at: other.at }],
        });
      }
    }
  }
}
