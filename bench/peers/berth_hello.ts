/** berth itself with one more route, as small as its peers': the whole stack around a hello. */
import * as z from "../../core/schema.ts";
import { readConfig } from "../../config/config.ts";
import { json, reply, route, router } from "../../http/declare/router.ts";
import { PLUGINS } from "../../plugins/plugins.ts";
import { startBerth } from "../../app/start.ts";

const hello = route({
  method: "get",
  path: "/hello",
  summary: "As small as an answer can be",
  permission: "open",
  answers: { 200: json(z.object({ status: z.string(), version: z.string() }), "A greeting") },
});

await startBerth({
  config: await readConfig(),
  plugins: PLUGINS,
  mount: () => [router().on(hello, () => reply(200, { status: "ok", version: "0.1.0" }))],
});
