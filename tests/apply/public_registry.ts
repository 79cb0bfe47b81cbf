/** Checks against a registry on a public address, in a network of its own, that sends berth to a private address. */
import { readReference } from "../../core/image_reference.ts";
import { RegistryAccess } from "../../projects/registries/access.ts";
import { checkReference } from "../../projects/updates/check.ts";

const ADDRESS = "203.0.113.7";
const WAYS = ["tokens", "redirect", "none"] as const;
const quiet = { port: 0, onListen() {} };
let way: typeof WAYS[number] = "tokens";
let reached = 0;
const inside = Deno.serve({ ...quiet, hostname: "127.0.0.1" }, () => {
  reached++;
  return Response.json({ token: "a-token" });
});
const elsewhere = `http://127.0.0.1:${inside.addr.port}/token`;
const registry = Deno.serve({ ...quiet, hostname: ADDRESS }, () => {
  if (way === "redirect") return new Response(null, { status: 307, headers: { location: elsewhere } });
  return way === "none"
    ? new Response(null, { headers: { "docker-content-digest": `sha256:${"a".repeat(64)}` } })
    : new Response(null, { status: 401, headers: { "www-authenticate": `Bearer realm="${elsewhere}"` } });
});
const host = `${ADDRESS}:${registry.addr.port}`;
using access = new RegistryAccess(() => Date.now());
const outcomes: Record<string, string> = {};
const reasons: Record<string, boolean> = {};
for (way of WAYS) {
  const { checked } = await checkReference(access, {
    reference: readReference(`${host}/app:1`)!,
    rules: { host, plainHttp: true, allowsPrivate: true, ca: null, tokenService: null, login: null },
    before: null,
    differing: () => [],
    platforms: () => [],
    listsTags: false,
    now: Date.now(),
    signal: new AbortController().signal,
  });
  outcomes[way] = checked.outcome;
  reasons[way] = checked.reason?.includes("on a private network") ?? false;
}
console.log(JSON.stringify({ outcomes, reasons, reached }));
Deno.exit(0);
