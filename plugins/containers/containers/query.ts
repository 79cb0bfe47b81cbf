/** Filters, sorts and pages a list of containers. */
import * as z from "../../../core/schema.ts";
import { count, many, text } from "../../../http/declare/query.ts";
import { BackendName } from "../backends/route_fields.ts";
import { ContainerState } from "../../../core/runtime.ts";
import type { ContainerRow } from "../../../engines/rows/container.ts";
import { engineError } from "../../../engines/calls/errors.ts";

export const ContainerQuery = z.object({
  state: many(ContainerState).optional().describe("Only containers in one of these states"),
  q: text(256).optional().describe("Part of a name, an image, an id or a Compose service, in any case"),
  label: many(text(512)).optional().describe("`name` or `name=value`; several must all fit"),
  project: text(256).optional().describe("A Compose project"),
  workspace: text(256).optional().describe("The id of a registered workspace"),
  image: text(512).optional().describe("An image's name, with or without its tag, or its id"),
  sort: z.enum(["created", "name", "state", "image"]).optional().describe("Fields to sort by"),
  order: z.enum(["asc", "desc"]).optional().describe(
    "The order; newest first, names from A to Z unless told otherwise",
  ),
  limit: count(1, 10_000).optional().describe("Maximum number of rows; all if left out"),
  cursor: text(2_048).optional().describe("`next` of the page before"),
  backend: BackendName.optional(),
});
export type ContainerQuery = z.output<typeof ContainerQuery>;

/** Returns true if a container passes the filters. The filter of workspaces is applied elsewhere. */
export function fits(row: ContainerRow, query: ContainerQuery): boolean {
  return (query.state?.includes(row.state) ?? true) &&
    (query.project === undefined || row.compose?.project === query.project) &&
    (query.image === undefined || isOfImage(row, query.image)) &&
    (query.label?.every((label) => hasLabel(row, label)) ?? true) &&
    (query.q === undefined || matches(row, query.q.toLowerCase()));
}

function isOfImage({ image, imageId }: ContainerRow, wanted: string): boolean {
  const short = image.replace(/^docker\.io\/(?:library\/)?/, "");
  const names = [
    image,
    short,
    `${image}:latest`,
    `${short}:latest`,
    imageId,
    imageId.replace(/^sha256:/, ""),
  ];
  return names.includes(wanted) || withoutTag(image) === wanted || withoutTag(short) === wanted;
}

function withoutTag(image: string): string {
  return image.slice(0, `${image}@`.indexOf("@")).replace(/:[^/:]*$/, "");
}

function hasLabel({ labels }: ContainerRow, label: string): boolean {
  const equals = label.indexOf("=");
  const name = equals < 0 ? label : label.slice(0, equals);
  return Object.hasOwn(labels, name) && (equals < 0 || labels[name] === label.slice(equals + 1));
}

function matches(row: ContainerRow, q: string): boolean {
  let words = WORDS.get(row);
  if (words === undefined) {
    words = [row.name, row.image, row.compose?.service ?? ""].join("\n").toLowerCase();
    WORDS.set(row, words);
  }
  return words.includes(q) && !q.includes("\n") || row.id.startsWith(q);
}

/** The text that a search looks through, made once for a row. */
const WORDS = new WeakMap<ContainerRow, string>();

/** The place of a row in a list: its sort key, then its id. */
type Place = readonly [key: string, id: string];

export function placeOf(row: ContainerRow, sort: ContainerQuery["sort"] = "created"): Place {
  const key = sort === "created" ? row.createdAt : row[sort];
  return [key, `${row.id} ${row.backend}`];
}

/** Compares places for a sort. The newest first, unless asked otherwise; names run from A to Z. */
export function comesBefore(query: ContainerQuery): (one: Place, other: Place) => number {
  const way = wayOf(query);
  return ([key, id], [otherKey, otherId]) => way * (compare(key, otherKey) || compare(id, otherId));
}

/** The same for rows, whose places are not written down for it. */
export function rowComesBefore(query: ContainerQuery): (one: ContainerRow, other: ContainerRow) => number {
  const way = wayOf(query);
  const key = query.sort === undefined || query.sort === "created" ? "createdAt" : query.sort;
  return (one, other) =>
    way * (compare(one[key], other[key]) || compare(one.id, other.id) || compare(one.backend, other.backend));
}

function wayOf({ sort = "created", order }: ContainerQuery): 1 | -1 {
  return (order ?? (sort === "created" ? "desc" : "asc")) === "asc" ? 1 : -1;
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

/**
 * Returns the index at which the page after the cursor begins in ordered rows. A cursor names the last row seen, so
 * rows that come or go cause no repeats or gaps.
 */
export function startOf(rows: readonly ContainerRow[], query: ContainerQuery): number {
  if (query.cursor === undefined) return 0;
  const seen = readCursor(query.cursor);
  const before = comesBefore(query);
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (before(placeOf(rows[middle]!, query.sort), seen) > 0) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Returns the cursor that continues behind this row. */
export function cursorBehind(row: ContainerRow, { sort }: ContainerQuery): string {
  return writeCursor(placeOf(row, sort));
}

function writeCursor(place: Place): string {
  return btoa(encodeURIComponent(JSON.stringify(place))).replaceAll("+", "-").replaceAll("/", "_");
}

function readCursor(cursor: string): Place {
  try {
    const parsed = CursorPlace.safeParse(
      JSON.parse(decodeURIComponent(atob(cursor.replaceAll("-", "+").replaceAll("_", "/")))),
    );
    if (parsed.success) return parsed.data;
  } catch {
    // not a cursor of ours, see below
  }
  throw engineError("invalid_request", "Cannot use the query: this cursor is not from berth", {
    errors: [{ path: "query.cursor", message: "Expected `next` of the page before" }],
  });
}

const CursorPlace = z.tuple([z.string(), z.string()]);
