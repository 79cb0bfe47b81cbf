/** Filters, sorts and pages a list of containers. */
import { z } from "zod";
import { count, many, text } from "../../../http/query.ts";
import { BackendName } from "../backends/route_fields.ts";
import { ContainerState } from "../../../core/runtime.ts";
import type { ContainerRow } from "../rows/container.ts";
import { engineError } from "../engine/errors.ts";

export const ContainerQuery = z.object({
  state: many(ContainerState).optional().describe("Only containers in one of these states"),
  q: text(256).optional().describe("Part of a name, an image, an id or a Compose service, in any case"),
  label: many(text(512)).optional().describe("`name` or `name=value`; several must all fit"),
  project: text(256).optional().describe("A Compose project"),
  workspace: text(256).optional().describe("The id of a registered workspace"),
  image: text(512).optional().describe("An image's name, with or without its tag, or its id"),
  sort: z.enum(["created", "name", "state", "image"]).optional().describe("What to sort by"),
  order: z.enum(["asc", "desc"]).optional().describe(
    "The order; newest first, names from A to Z unless told otherwise",
  ),
  limit: count(1, 10_000).optional().describe("How many at most; all unless told otherwise"),
  cursor: text(2_048).optional().describe("`next` of the page before"),
  backend: BackendName.optional(),
});
export type ContainerQuery = z.output<typeof ContainerQuery>;

export type Workspace = { readonly id: string; readonly unit: string | null } | null;

/** Whether a container passes the filters. */
export function fits(
  row: ContainerRow,
  query: ContainerQuery,
  workspaceOf: (row: ContainerRow) => Workspace,
): boolean {
  return (query.state?.includes(row.state) ?? true) &&
    (query.project === undefined || row.compose?.project === query.project) &&
    (query.image === undefined || isOfImage(row, query.image)) &&
    (query.label?.every((label) => hasLabel(row, label)) ?? true) &&
    (query.q === undefined || matches(row, query.q.toLowerCase())) &&
    (query.workspace === undefined || workspaceOf(row)?.id === query.workspace);
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
  return row.name.toLowerCase().includes(q) || row.image.toLowerCase().includes(q) || row.id.startsWith(q) ||
    (row.compose?.service.toLowerCase().includes(q) ?? false);
}

/** The newest first, unless asked otherwise; names run from A to Z. */
export function inOrder(
  rows: readonly ContainerRow[],
  { sort = "created", order }: ContainerQuery,
): ContainerRow[] {
  const direction = (order ?? (sort === "created" ? "desc" : "asc")) === "asc" ? 1 : -1;
  return rows.map((row) => ({ row, place: placeOf(row, sort) }))
    .sort((one, other) => direction * compare(one.place, other.place))
    .map(({ row }) => row);
}

type Place = readonly [key: string, id: string];

function placeOf(row: ContainerRow, sort: NonNullable<ContainerQuery["sort"]>): Place {
  const key = sort === "created" ? row.createdAt : row[sort];
  return [key, `${row.id} ${row.backend}`];
}

function compare([key, id]: Place, [otherKey, otherId]: Place): number {
  return key < otherKey ? -1 : key > otherKey ? 1 : id < otherId ? -1 : id > otherId ? 1 : 0;
}

export interface Page {
  readonly rows: readonly ContainerRow[];
  readonly next: string | undefined;
}

/** The page after the cursor. A cursor names the last row seen, so rows that come or go cause no repeats or gaps. */
export function page(sorted: readonly ContainerRow[], query: ContainerQuery): Page {
  const { limit = sorted.length, cursor, sort = "created", order } = query;
  const direction = (order ?? (sort === "created" ? "desc" : "asc")) === "asc" ? 1 : -1;
  const seen = cursor === undefined ? null : readCursor(cursor);
  const start = seen === null
    ? 0
    : sorted.findIndex((row) => direction * compare(placeOf(row, sort), seen) > 0);
  const rows = start < 0 ? [] : sorted.slice(start, start + limit);
  const last = rows.at(-1);
  const more = last !== undefined && last !== sorted.at(-1);
  return { rows, next: more ? writeCursor(placeOf(last, sort)) : undefined };
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
