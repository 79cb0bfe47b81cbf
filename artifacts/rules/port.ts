/** Rules about published ports: two units cannot both have one. */

import type { Group, Model, Port, Unit } from "../artifact.ts";
import { familyOf } from "../compose/amounts.ts";
import { mainGroups } from "../graph/graph.ts";
import type { Say } from "./say.ts";
import { enabledTogether } from "./together.ts";

/** A port as published, ready to be compared. */
interface Published {
  readonly unit: Unit;
  readonly port: Port;
  readonly first: number;
  readonly last: number;
}

/** How many neighbours a port is compared with: thousands on one number are one mistake, not millions. */
const NEIGHBOURS = 200;

/** Clashes within a group, then between groups. */
export function checkPorts(model: Model, say: Say): void {
  const groups = mainGroups(model);
  const fixed: Published[] = [];
  const ranges: Published[] = [];
  for (const group of groups) collect(group, fixed, ranges);
  fixed.sort((a, b) => a.first - b.first || a.last - b.last);
  const reported = new Set<Port>();
  let active: Published[] = [];
  for (const here of fixed) {
    active = active.filter((other) => other.last >= here.first);
    for (const other of active.slice(-NEIGHBOURS)) {
      if (clash(other, here)) sayClash(other, here, reported, say);
      if (reported.has(here.port)) break;
    }
    if (active.length < 4 * NEIGHBOURS) active.push(here);
  }
  for (const range of ranges) checkRange(range, fixed, reported, say);
}

function collect(group: Group, fixed: Published[], ranges: Published[]): void {
  for (const unit of group.units) {
    const service = unit.service;
    if (service === null || service.networkMode === "host") continue;
    for (const port of service.ports) {
      if (port.invalid !== null || port.unknown || port.published === null) continue;
      const { first, last } = port.published;
      const flexible = last - first > port.target.last - port.target.first;
      (flexible ? ranges : fixed).push({ unit, port, first, last });
    }
  }
}

/** Whether two published ports meet on one address. */
function clash(a: Published, b: Published): boolean {
  return a.port.protocol === b.port.protocol && a.first <= b.last && b.first <= a.last &&
    addressesMeet(a.port.hostIp, b.port.hostIp) && apart(a, b);
}

/** Not if the two are never up together. */
function apart(a: Published, b: Published): boolean {
  if (a.unit === b.unit) return true;
  if (a.unit.group === b.unit.group) return enabledTogether([a.unit, b.unit]);
  return a.unit.service!.active && b.unit.service!.active;
}

/** Whether something on one address keeps something else off the other. No address means all of both families. */
export function addressesMeet(a: string | null, b: string | null): boolean {
  const [one, two] = [plain(a), plain(b)];
  if (one === null || two === null || one === two) return true;
  const family = familyOf(one);
  if (family === null || family !== familyOf(two)) return false;
  return isWildcard(one) || isWildcard(two);
}

const plain = (address: string | null): string | null =>
  address === null || address === "" ? null : address.replace(/^\[|\]$/g, "").toLowerCase();

const isWildcard = (address: string): boolean => address === "0.0.0.0" || /^(0*:)+0*$/.test(address);

function sayClash(other: Published, here: Published, reported: Set<Port>, say: Say): void {
  const acrossGroups = other.unit.group !== here.unit.group;
  // In the order of the files, the later of the two is the one to change.
  const later = here.port.at.file === other.port.at.file && here.port.at.start < other.port.at.start
    ? other
    : here;
  const earlier = later === here ? other : here;
  if (reported.has(later.port)) return;
  reported.add(later.port);
  const number = Math.max(other.first, here.first);
  const where = `${later.port.hostIp ?? "0.0.0.0"}:${number}/${later.port.protocol}`;
  const beside = {
    subject: later.unit.id,
    related: [{ message: `"${earlier.unit.name}" publishes it here`, at: earlier.port.at }],
    data: { port: number, protocol: later.port.protocol, other: earlier.unit.id },
  };
  if (acrossGroups) {
    say(
      "port/conflict-across-groups",
      later.port.at,
      `${where} is also published by "${earlier.unit.name}"`,
      beside,
    );
  } else {
    say(
      "port/conflict",
      later.port.at,
      `"${earlier.unit.label}" and "${later.unit.label}" both publish ${where}`,
      beside,
    );
  }
}

/** A range for fewer ports than it has takes any free one: it fails only when none is left in its own group. */
function checkRange(range: Published, fixed: readonly Published[], reported: Set<Port>, say: Say): void {
  const needed = range.port.target.last - range.port.target.first + 1;
  const size = range.last - range.first + 1;
  if (size > 1_000) return;
  const takers = fixed.filter((other) => other.unit.group === range.unit.group && clash(other, range));
  const taken = new Set<number>();
  for (const other of takers) {
    for (let port = Math.max(other.first, range.first); port <= Math.min(other.last, range.last); port++) {
      taken.add(port);
    }
  }
  if (takers.length > 0 && size - taken.size < needed) sayClash(takers[0]!, range, reported, say);
}
