/** The dashboard's refresh token in a cookie: one route reads it, and it is worth nothing without `X-Berth`. */
import { ServiceError } from "../../core/error.ts";

const NAME = "__Host-berth_refresh";
const BINDING = /^[A-Za-z0-9_-]{43}$/;

/** The 256-bit value that binds a cookie to one browser's own storage; null when the caller wants no cookie. */
export function bindingOf(headers: Headers): string | null {
  const value = headers.get("x-berth");
  if (value === null) return null;
  if (!BINDING.test(value)) {
    throw new ServiceError("invalid_request", 'Cannot use "X-Berth": expected 256 random bits as base64url');
  }
  return value;
}

/** Cookies know no ports: that the cookie came says nothing about which page sent it. */
export function mustBeSameOrigin(headers: Headers, origins: { has(origin: string): boolean }): void {
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  const isOurs = site === null
    ? origin !== null && origins.has(origin)
    : site === "same-origin" && (origin === null || origins.has(origin));
  if (!isOurs) {
    throw new ServiceError(
      "origin_refused",
      "Cookie refused: the page has another origin; open berth under its own address",
    );
  }
}

/** `Path=/` because browsers accept the `__Host-` prefix with no other. */
export function refreshCookie(token: string, maxAgeS: number): string {
  return `${NAME}=${token}; Path=/; Max-Age=${maxAgeS}; Secure; HttpOnly; SameSite=Strict`;
}

export function refreshCookieOf(headers: Headers): string | null {
  const found = (headers.get("cookie") ?? "").split(/[;,]/).map((one) => one.trim())
    .filter((one) => one.startsWith(`${NAME}=`));
  if (found.length > 1) throw new ServiceError("two_credentials", "The cookie came twice; send it once");
  return found[0]?.slice(NAME.length + 1) ?? null;
}
