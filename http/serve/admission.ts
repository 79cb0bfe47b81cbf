/**
 * The conditions for a WebSocket before its 101: our own Origin or none, one credential, and never a cookie.
 */
import { ServiceError } from "../../core/error.ts";

/** The protocol of our sockets; the only subprotocol that is ever answered. */
const PROTOCOL = "berth.v1";
const BEARER = "berth.bearer.";
const MAX_OFFERED = 2_048 + 256;

/**
 * The credential that a socket brings, or null when it brings none.
 *
 * A page of another origin can open a socket and have the browser send our cookie along, so the Origin is compared
 * exactly and a cookie admits nobody. Whoever sends no Origin is no browser; a cookie beside it would be a browser's.
 */
export function socketCredential(headers: Headers, isOurs: (origin: string) => boolean): string | null {
  const origin = headers.get("origin");
  if (origin !== null && !isOurs(origin)) {
    throw new ServiceError(
      "origin_refused",
      "Socket refused: the page has another origin; set `BERTH_BASE_URL` if it is berth's own",
    );
  }
  if (origin === null && headers.has("cookie")) {
    throw new ServiceError(
      "origin_refused",
      "Socket refused: a cookie without an Origin is not accepted; send a key or token instead",
    );
  }
  const bearer = bearerOf(headers);
  const offered = headers.get("sec-websocket-protocol");
  if (offered === null) return bearer;
  const protocols = offered.length > MAX_OFFERED ? [] : offered.split(",").map((one) => one.trim());
  if (!protocols.includes(PROTOCOL)) {
    throw new ServiceError("invalid_request", `Unknown subprotocol; offer "${PROTOCOL}"`);
  }
  const tokens = protocols.filter((one) => one.startsWith(BEARER));
  if (tokens.length + (bearer === null ? 0 : 1) > 1) throw twoCredentials();
  return tokens[0]?.slice(BEARER.length) ?? bearer;
}

/** The one credential of `Authorization`, or null when there is none. */
export function bearerOf(headers: Headers): string | null {
  const given = headers.get("authorization");
  if (given === null) return null;
  // Several headers arrive joined by commas, which no credential of ours holds.
  if (given.includes(",")) throw twoCredentials();
  // Nearly everybody writes it this way; the pattern costs more than the rest of a request's look at its caller.
  if (given.startsWith("Bearer ") && given.indexOf(" ", 7) === -1 && given.length > 7) return given.slice(7);
  const token = /^bearer +([^\s]+)$/i.exec(given)?.[1];
  if (token === undefined) {
    throw new ServiceError(
      "unauthenticated",
      "Unknown kind of credential; send `Authorization: Bearer <key or token>`",
    );
  }
  return token;
}

function twoCredentials(): ServiceError {
  return new ServiceError("two_credentials", "More than one credential; send exactly one");
}
