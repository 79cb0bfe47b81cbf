/** The address is the state: which screen, and everything that it shows differently. */
import { computed, signal } from "@preact/signals";

export const address = signal(new URL(location.href));
export const query = computed(() => address.value.searchParams);

/** Goes to an address of the page. */
export function go(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const target = new URL(to, location.href);
  if (target.href === location.href) return;
  const isOtherScreen = target.pathname !== location.pathname;
  history[replace ? "replaceState" : "pushState"](null, "", target);
  address.value = target;
  if (isOtherScreen) scrollTo(0, 0);
}

/** The same screen with these parts of the query changed; null leaves one out. */
export function withQuery(changed: Readonly<Record<string, string | null>>): string {
  const target = new URL(address.value);
  for (const [name, value] of Object.entries(changed)) {
    if (value === null || value === "") target.searchParams.delete(name);
    else target.searchParams.set(name, value);
  }
  return target.pathname + target.search;
}

/** Links of the page change the address without loading it anew. */
export function listen(): void {
  addEventListener("popstate", () => address.value = new URL(location.href));
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) {
      return;
    }
    const link = (event.target as Element).closest?.("a");
    if (!link || link.target !== "" || link.origin !== location.origin) return;
    if (link.pathname.startsWith("/api/") || link.getAttribute("href")?.startsWith("#")) return;
    event.preventDefault();
    go(link.href);
  });
}

/** The one-time token of a link that berth made. It is gone from the address before anything else happens. */
export function takeToken(kind: "setup" | "password"): string | null {
  const [, named, token] = /^#(\w+)=(.+)$/.exec(location.hash) ?? [];
  if (named !== kind || token === undefined) return null;
  history.replaceState(null, "", location.pathname + location.search);
  address.value = new URL(location.href);
  return decodeURIComponent(token);
}
