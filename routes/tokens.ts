/** The answer of every sign-in, and the facts about the browser or program that signs in. */
import * as z from "../core/schema.ts";
import type { Device, IssuedTokens } from "../auth/sessions/session.ts";
import { Principal } from "../core/access.ts";
import { bindingOf, mustBeSameOrigin, refreshCookie } from "../http/declare/refresh_cookie.ts";
import { reply } from "../http/declare/router.ts";

export const Tokens = z.object({
  tokenType: z.literal("Bearer").describe("Type of the token"),
  accessToken: z.string().describe("Sent as Authorization: Bearer"),
  expiresIn: z.int().describe("Seconds"),
  refreshToken: z.string().optional().describe("Absent when it went into the cookie"),
  refreshExpiresIn: z.int().describe("Seconds"),
  principal: Principal.describe("The person who signed in"),
}).meta({ id: "Tokens" });

export const NO_STORE = { "cache-control": "no-store" };

/** Throws for `X-Berth` from another page than ours. */
export function deviceOf(headers: Headers, origins: { has(origin: string): boolean }): Device {
  const binding = bindingOf(headers);
  if (binding !== null) mustBeSameOrigin(headers, origins);
  const name = headers.get("user-agent")?.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "") ?? null;
  return { binding, name };
}

/** A page gets the refresh token as a cookie, a program in the body. */
export function tokensReply(tokens: IssuedTokens, binding: string | null, cookies: readonly string[] = []) {
  const { accessToken, accessExpiresInS, refreshToken, refreshExpiresInS, principal } = tokens;
  const shared = {
    tokenType: "Bearer" as const,
    accessToken,
    expiresIn: accessExpiresInS,
    refreshExpiresIn: refreshExpiresInS,
    principal,
  };
  const ours = binding === null ? cookies : [refreshCookie(refreshToken, refreshExpiresInS), ...cookies];
  return reply(200, binding === null ? { ...shared, refreshToken } : shared, {
    ...NO_STORE,
    ...(ours.length === 0 ? {} : { "set-cookie": ours }),
  });
}
