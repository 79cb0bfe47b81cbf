/** The place of a page in a list that is ordered by time, as `before` and `next` carry it. */
import { ServiceError } from "../core/error.ts";

export interface PlaceInTime {
  readonly at: number;
  readonly id: string;
}

export const placeText = ({ at, id }: PlaceInTime): string => `${at}.${id}`;

/** Throws `invalid_request` for a text that is of no page. */
export function placeIn(text: string, what: string): PlaceInTime {
  const [, at, id] = /^(\d{1,15})\.([0-9a-f-]{1,100})$/.exec(text) ?? [];
  if (at !== undefined && id !== undefined) return { at: Number(at), id };
  throw new ServiceError(
    "invalid_request",
    `Cannot list ${what}: \`before\` is none that a page gave as \`next\``,
    { errors: [{ path: "query.before", message: "Expected the `next` of another page" }] },
  );
}
