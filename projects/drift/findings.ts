/** The rules of the stage `live`: findings that need both the files and the engine. */

import { withoutEnd } from "../../core/without_end.ts";
import type { RunningServices } from "../../core/running_services.ts";
import type { Holdings, RunningContainer } from "../../core/runtime.ts";
import type { Finding, Group, Model, Unit } from "../../artifacts/artifact.ts";
import { below, type Joining, type RealPath } from "../../artifacts/live/join.ts";
import { mapped } from "../../artifacts/live/mapped_paths.ts";
import type { UnitLive } from "../../artifacts/live/live.ts";
import { mainGroups } from "../../artifacts/graph/graph.ts";
import { ruleOf } from "../../artifacts/rules/catalog.ts";
import { addressesMeet } from "../../artifacts/rules/port.ts";
import { type Say, sayInto } from "../../artifacts/rules/say.ts";
import { isSilenced, type JudgedFinding } from "../../artifacts/rules/settings.ts";
import { uncovered } from "../fields/coverage.ts";
import type { Difference } from "../fields/field.ts";
import { findingsBesideSwarm } from "./swarm_findings.ts";

/** A difference of a unit, or of the container that is named. Its texts are masked. */
export interface UnitDifference extends Difference {
  readonly container: string | null;
  /** The engine shows the value anyway. */
  readonly isOpen: boolean;
}

/** The known facts about the engine and its host. */
interface EngineState {
  readonly holdings: Holdings | null;
  readonly services: RunningServices;
  readonly real: RealPath;
  /** Returns true if something answers at a TCP port of this host. */
  readonly answers: (port: number) => Promise<boolean>;
}

/** Every live finding of a workspace, with settings applied. */
export async function liveFindings(
  model: Model,
  joining: Joining,
  live: ReadonlyMap<string, UnitLive>,
  differences: ReadonlyMap<string, readonly UnitDifference[]>,
  { holdings, services, real, answers }: EngineState,
): Promise<JudgedFinding[]> {
  const findings: Finding[] = [];
  const say = sayInto(findings);
  for (const { running, group, match } of joining.joined) {
    const place = group.projectFrom.at;
    const subject = group.id;
    if (match.by === "project") {
      say(
        "map/by-name-only",
        place,
        `Running project "${running.project}" matches this group only by name`,
        {
          subject,
        },
      );
    } else if (running.project !== group.project) {
      say(
        "live/renamed",
        place,
        `It runs as the project "${running.project}", but its files name it "${group.project}"`,
        {
          subject,
        },
      );
    }
    sayOrphans(group, running.containers, say);
    await sayGone(model, group, running.configFiles, running.workingDir, real, say);
    for (const unit of group.units) {
      sayUnit(unit, live.get(unit.id), say);
      sayDrift(unit, differences.get(unit.id), say);
      await sayPorts(unit, live.get(unit.id), holdings, answers, say);
    }
    if (holdings !== null) sayExternal(group, holdings, say);
  }
  const isJoined = new Set(joining.joined.map(({ group }) => group));
  for (const group of mainGroups(model)) {
    findings.push(...findingsBesideSwarm(model, group, live, services));
    if (isJoined.has(group)) continue;
    for (const unit of group.units) {
      if (live.get(unit.id)?.service !== undefined) sayServiceDrift(unit, differences.get(unit.id), say);
    }
  }
  for (const { running, groups } of joining.ambiguous) {
    const names = groups.map(({ name }) => `"${name}"`).join(", ");
    say(
      "map/ambiguous",
      groups[0]!.projectFrom.at,
      `Running project "${running.project}" could belong to ${names}`,
      {
        subject: groups[0]!.id,
        data: { candidates: groups.map(({ id }) => id) },
      },
    );
  }
  return findings.flatMap((finding) => settled(model, finding));
}

function sayOrphans(group: Group, containers: readonly RunningContainer[], say: Say): void {
  const labels = new Set(group.units.map((unit) => unit.label));
  for (const { compose, name } of containers) {
    if (compose === null || labels.has(compose.service) || group.incomplete) continue;
    say(
      "live/orphan-container",
      group.source,
      `Container "${name}" belongs to the service "${compose.service}", which is not in the files`,
      { subject: group.id, data: { container: name, service: compose.service } },
    );
  }
}

async function sayGone(
  model: Model,
  group: Group,
  configFiles: readonly string[],
  workingDir: string | null,
  real: RealPath,
  say: Say,
): Promise<void> {
  for (const file of configFiles.slice(0, 50)) {
    const whole = mapped(model, file.startsWith("/") || workingDir === null ? file : `${workingDir}/${file}`);
    // Files outside the workspace are never looked at.
    const root = `${withoutEnd(below(model.root, ""), "/")}/`;
    if (!whole.startsWith(root) || await real(whole) !== null) continue;
    const path = whole.slice(root.length);
    say("live/config-file-gone", group.source, `It was started from "${path}", which no longer exists`, {
      subject: group.id,
    });
  }
}

function sayUnit(unit: Unit, live: UnitLive | undefined, say: Say): void {
  if (live === undefined || unit.service === null) return;
  if ((live.desired ?? 1) > 0 && (live.state === "absent" || live.state === "exited")) {
    const message = live.state === "absent"
      ? `"${unit.label}" has no container, but its group is running`
      : live.containers.every(({ state }) => state === "created")
      ? `"${unit.label}" was created but never started`
      : `"${unit.label}" should be running but has exited`;
    say("live/not-running", unit.source, message, { subject: unit.id });
  }
}

/** Reports drift where the unit was compared. */
function sayDrift(unit: Unit, differences: readonly UnitDifference[] | undefined, say: Say): void {
  if (differences === undefined) return;
  sayServiceDrift(unit, differences, say);
  for (const { key, at } of uncovered(unit)) {
    say("compose/field-not-supported", at, `"${key}" is not compared with what runs`, {
      subject: unit.id,
      data: { field: key },
    });
  }
}

/** Reports drift of a service, of which `notCompared` of the unit says what is not compared. */
function sayServiceDrift(unit: Unit, differences: readonly UnitDifference[] = [], say: Say): void {
  for (const { field, declared, seen, container, at } of differences) {
    say("live/drift", at, `${field}: declared ${declared}, running ${seen}`, {
      subject: unit.id,
      data: { field, declared, actual: seen, container },
    });
  }
}

/** Ports of a unit that does not run but are in use. */
async function sayPorts(
  unit: Unit,
  live: UnitLive | undefined,
  holdings: Holdings | null,
  answers: EngineState["answers"],
  say: Say,
): Promise<void> {
  if (unit.service === null || !unit.service.active || unit.service.networkMode === "host") return;
  if (live?.state !== "absent" && live?.state !== "exited") return;
  const own = new Set(live.containers.map(({ id }) => id));
  for (
    const { published, protocol, hostIp, unknown, invalid, filled, written, at, target } of unit.service.ports
      .slice(0, 20)
  ) {
    if (published === null || unknown || invalid !== null) continue;
    if (published.last - published.first !== target.last - target.first) continue;
    const holder = holdings?.ports.find((port) =>
      port.protocol === protocol && port.host >= published.first && port.host <= published.last &&
      addressesMeet(port.address, hostIp) && !own.has(port.container)
    );
    const subject = unit.id;
    const where = filled ? `"${written}"` : null;
    if (holder !== undefined) {
      say("port/in-use", at, `Port ${where ?? `${holder.host}/${protocol}`} is in use by another container`, {
        subject,
        data: { ...(where === null && { port: holder.host, protocol }), container: holder.container },
      });
    } else if (protocol === "tcp" && await answers(published.first)) {
      say(
        "port/in-use-host",
        at,
        `Port ${where ?? `${published.first}/tcp`} is in use by a process on the host`,
        {
          subject,
          ...(where === null && { data: { port: published.first, protocol } }),
        },
      );
    }
  }
}

function sayExternal(group: Group, holdings: Holdings, say: Say): void {
  for (const { kind, external, name, written, at, id } of group.resources) {
    if (!external || name === null || (kind !== "network" && kind !== "volume")) continue;
    const present = kind === "network" ? holdings.networks : holdings.volumes;
    if (present === null || present.some((one) => one.name === name)) continue;
    say("ref/external-missing", at, `External ${kind} "${written}" does not exist on this engine`, {
      subject: id,
    });
  }
}

function settled(model: Model, finding: Finding): JudgedFinding[] {
  const code = finding.code as Parameters<typeof ruleOf>[0]; // only `say` made it, with a code of the table
  const set = model.settings.rules.get(code);
  if (set === "off") return [];
  if (finding.at !== null && isSilenced(finding.at.file, finding.at.start, code)) return [];
  return [{ ...finding, severity: set ?? finding.severity ?? ruleOf(code).severity }];
}
