/** berth with one small route twice, open and closed, and a file that says with what the closed one opens. */
import * as z from "zod";
import { readConfig } from "../../config/config.ts";
import { json, reply, route, router } from "../../http/declare/router.ts";
import { startBerth } from "../../app/start.ts";
import { ENTRY } from "../../tests/access/audit_entry.ts";

const Answer = z.object({ items: z.array(z.string()), total: z.int() });
const shared = {
  method: "get",
  summary: "A small list",
  answers: { 200: json(Answer, "The list") },
} as const;
const open = route({ ...shared, path: "/bench/open", permission: "open" });
const closed = route({ ...shared, path: "/bench/closed", permission: "system:read", subject: "everything" });
const answer = () => reply(200, { items: ["one", "two", "three"], total: 3 });

const config = { ...await readConfig(), roles: [{ claim: "sub", value: "ada", role: "viewer" } as const] };
const berth = await startBerth({
  config,
  plugins: [],
  console: null,
  mount: () => [router().on(open, answer).on(closed, answer)],
});
const { key } = await berth.access.setup.complete(berth.access.setupToken ?? "", "bench", ENTRY);
const identity = {
  issuer: "bench",
  subject: "ada",
  name: "Ada",
  email: null,
  picture: null,
  claims: { sub: "ada" },
  authenticatedAt: null,
};
const { accessToken } = await berth.access.sessions.open(identity, { binding: null, name: null }, ENTRY);
await Deno.writeTextFile(`${config.data}/credentials.json`, JSON.stringify({ key, accessToken }));
Deno.addSignalListener("SIGTERM", () => void berth.stop().then(() => Deno.exit(0)));
