/** The link to release notes, out of an image's own labels; berth never follows it. */
import { maskText } from "../../core/secrets.ts";

/** Returns an address that is safe to show as a link; null for any other text. */
export function urlSafe(source: string | null): string | null {
  const url = source === null || source.length > 500 ? null : URL.parse(source);
  if (url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "") return null;
  if (maskText(url.href) !== url.href) return null;
  const isRepository = url.hostname === "github.com" && /^\/[^/]+\/[^/]+\/?$/.test(url.pathname);
  if (!isRepository) return url.href;
  return `https://github.com${url.pathname.replace(/(?:\.git)?\/?$/, "")}/releases`;
}
