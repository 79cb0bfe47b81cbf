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

/** The number of neighbours that a port is compared with: thousands on one number are one mistake, not millions. */
const NEIGHBOURS = 200;
/** Groups that are named in one message. */
const NAMED = 5;

/** Clashes within each group, whatever others publish, then those between groups. */
export function checkPorts(model: Model, say: Say): void {
  const all: Published[] = [];
  for (const group of mainGroups(model)) {
    const fixed: Published[] = [];
    const ranges: Published[] = [];
    collect(group, fixed, ranges);
    fixed.sort(byNumber);
    checkGroup(fixed, ranges, say);
    all.push(...fixed);
  }
  checkAcross(all.sort(byNumber), say);
}

const byNumber = (a: Published, b: Published): number => a.first - b.first || a.last - b.last;

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

/** Yields the sorted ports that meet this one, the nearest first. */
function* meeting(here: Published, active: readonly Published[]): Iterable<Published> {
  for (let index = active.length - 1; index >= 0 && index >= active.length - NEIGHBOURS; index--) {
    if (clash(active[index]!, here)) yield active[index]!;
  }
}

/** Ports in the order of their numbers, each with those before it that reach as far. */
function* sweep(sorted: readonly Published[]): Iterable<[here: Published, active: readonly Published[]]> {
  let active: Published[] = [];
  for (const here of sorted) {
    active = active.filter((other) => other.last >= here.first);
    yield [here, active];
    if (active.length < 4 * NEIGHBOURS) active.push(here);
  }
}

/** Returns true if two published ports meet on one address. */
function clash(a: Published, b: Published): boolean {
  return a.port.protocol === b.port.protocol && a.first <= b.last && b.first <= a.last &&
    addressesMeet(a.port.hostIp, b.port.hostIp) && apart(a, b);
}

/** Not if the two are never up together, or are the same ports of one unit. */
function apart(a: Published, b: Published): boolean {
  if (a.unit === b.unit) {
    return a.first - a.port.target.first !== b.first - b.port.target.first ||
      (a.port.hostIp || "0.0.0.0") !== (b.port.hostIp || "0.0.0.0");
  }
  if (a.unit.group === b.unit.group) return enabledTogether([a.unit, b.unit]);
  return a.unit.service!.active && b.unit.service!.active;
}

/**
 * Returns true if something on one address keeps something else off the other. No address means all of both families.
 */
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

function checkGroup(fixed: readonly Published[], ranges: readonly Published[], say: Say): void {
  const reported = new Set<Port>();
  for (const [here, active] of sweep(fixed)) {
    for (const other of meeting(here, active)) {
      sayClash(other, here, reported, say);
      if (reported.has(here.port)) break;
    }
  }
  for (const range of ranges) checkRange(range, fixed, reported, say);
}

function sayClash(other: Published, here: Published, reported: Set<Port>, say: Say): void {
  // In the order of the files, the later of the two is the one to change.
  const later = here.port.at.file === other.port.at.file && here.port.at.start < other.port.at.start
    ? other
    : here;
  const earlier = later === here ? other : here;
  if (reported.has(later.port)) return;
  reported.add(later.port);
  const number = Math.max(other.first, here.first);
  const { protocol } = later.port;
  const isOpen = !other.port.filled && !here.port.filled;
  const where = isOpen
    ? `${later.port.hostIp ?? "0.0.0.0"}:${number}/${protocol}`
    : `"${later.port.written}"`;
  say(
    "port/conflict",
    later.port.at,
    `"${earlier.unit.label}" and "${later.unit.label}" both publish ${where}`,
    {
      subject: later.unit.id,
      related: [{ message: `"${earlier.unit.name}" publishes it here`, at: earlier.port.at }],
      data: { ...(isOpen && { port: number, protocol }), other: earlier.unit.id },
    },
  );
}

/** A range for fewer ports than it has takes any free one: it fails only when none is left in its own group. */
function checkRange(range: Published, fixed: readonly Published[], reported: Set<Port>, say: Say): void {
  const needed = range.port.target.last - range.port.target.first + 1;
  const size = range.last - range.first + 1;
  if (size > 1_000) return;
  const takers = fixed.filter((other) => clash(other, range));
  const taken = new Set<number>();
  for (const other of takers) {
    for (let port = Math.max(other.first, range.first); port <= Math.min(other.last, range.last); port++) {
      taken.add(port);
    }
  }
  if (takers.length > 0 && size - taken.size < needed) sayClash(takers[0]!, range, reported, say);
}

/** One finding for each port, with all the groups that publish it: they need not ever run together. */
function checkAcross(sorted: readonly Published[], say: Say): void {
  const ports = new Map<string, { number: number; takers: Set<Published> }>();
  for (const [here, active] of sweep(sorted)) {
    for (const other of meeting(here, active)) {
      if (other.unit.group === here.unit.group) continue;
      const number = Math.max(other.first, here.first);
      const key = `${number}/${here.port.protocol}`;
      const known = ports.get(key) ?? { number, takers: new Set() };
      ports.set(key, known);
      known.takers.add(other).add(here);
      break;
    }
  }
  for (const [where, { number, takers }] of ports) {
    const byGroup = new Map([...takers].reverse().map((taker) => [taker.unit.group, taker]));
    const [first, ...others] = [...byGroup.values()].sort((a, b) =>
      a.port.at.file.path < b.port.at.file.path ? -1 : 1
    );
    // The number is shown as far as nobody took it from a variable.
    const filled = [...takers].find(({ port }) => port.filled);
    const shown = filled === undefined ? where : `"${filled.port.written}"`;
    const names = [first!, ...others].map(({ unit }) => unit.group!.slice("group:".length));
    const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
    say(
      "port/conflict-across-groups",
      first!.port.at,
      `${names.length} groups publish ${shown}: ${
        names.slice(0, NAMED).map((name) => `"${name}"`).join(", ")
      }${more}`,
      {
        subject: first!.unit.id,
        related: others.map(({ unit, port }) => ({
          message: `"${unit.name}" publishes it here`,
          at: port.at,
        })),
        data: {
          ...(filled === undefined && { port: number, protocol: first!.port.protocol }),
          groups: names,
        },
      },
    );
  }
}
