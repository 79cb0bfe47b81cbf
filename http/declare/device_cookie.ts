/** The cookie of a browser that signed in before. It admits nobody: it only has tries of its own. */

const NAME = "__Host-berth_device";

export function deviceCookie(value: string, maxAgeS: number): string {
  return `${NAME}=${value}; Path=/; Max-Age=${maxAgeS}; Secure; HttpOnly; SameSite=Strict`;
}

/** The first one, should there be several: a wrong one only has no tries of its own. */
export function deviceCookieOf(headers: Headers): string | null {
  const found = (headers.get("cookie") ?? "").split(/[;,]/).map((one) => one.trim())
    .find((one) => one.startsWith(`${NAME}=`));
  return found?.slice(NAME.length + 1) ?? null;
}
