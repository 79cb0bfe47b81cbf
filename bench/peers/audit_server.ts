/** berth with one small route twice: once as a read, once as an act with an entry before it is done. */
import * as z from "zod";
import { readConfig } from "../../config/config.ts";
import { json, reply, route, router } from "../../http/declare/router.ts";
import { startBerth } from "../../app/start.ts";
import { ENTRY } from "../../tests/access/audit_entry.ts";

const shared = {
  method: "get",
  summary: "A small answer",
  permission: "system:read",
  subject: "everything",
  answers: { 200: json(z.object({ done: z.boolean() }), "It is done") },
} as const;
const read = route({ ...shared, path: "/bench/read" });
const act = route({ ...shared, path: "/bench/act", audited: "act" });
const answer = () => reply(200, { done: true });

const config = await readConfig();
const berth = await startBerth({
  config,
  plugins: [],
  console: null,
  mount: () => [router().on(read, answer).on(act, answer)],
});
const { key } = await berth.access.setup.complete(berth.access.setupToken ?? "", "bench", ENTRY);
await Deno.writeTextFile(`${config.data}/bench-key`, key);
Deno.addSignalListener("SIGTERM", () => void berth.stop().then(() => Deno.exit(0)));
