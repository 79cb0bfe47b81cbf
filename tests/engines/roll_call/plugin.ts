/** A second plugin for engines, as small as one can be: it keeps no connection and works with those that are lent. */
import * as z from "../../../core/schema.ts";
import { at } from "../../../engines/calls/path.ts";
import { objectOf, textOf } from "../../../engines/calls/wire.ts";
import { json, reply, route, router } from "../../../http/declare/router.ts";
import { plugin } from "../../../plugins/plugin.ts";

const Member = z.object({
  engine: z.string(),
  state: z.string(),
  host: z.string(),
  container: z.string().nullable(),
  events: z.number(),
});

const call = route({
  method: "post",
  path: "/roll-call/{container}",
  summary: "Ask every engine whether it knows a container, and note the question as a volume of each",
  permission: "roll:call",
  subject: "everything",
  audited: "act",
  params: z.object({ container: z.string().max(64) }),
  answers: { 200: json(z.object({ items: z.array(Member) }), "What each engine says") },
});

export const rollCall = plugin({
  name: "roll-call",
  summary: "Asks every engine who it is",
  version: "1.0.0",
  uses: ["engines"],
  permissions: [{ name: "roll:call", roles: ["admin"] }],
  routes: [call],
  start: ({ engines, stopping }) =>
    Promise.resolve({
      routes: router().on(call, async ({ params }) => {
        const items = await Promise.all(
          engines().map(async (engine) => {
            const host = textOf(objectOf(await engine.get(at`/info`, { doing: "call the roll" })).Name);
            await engine.send("POST", at`/volumes/create`, {
              doing: "note the roll",
              body: { Name: "roll-call" },
            });
            const now = Math.floor(Date.now() / 1000);
            await using told = await engine.stream(at`/events`, {
              doing: "read what happened",
              query: { since: now - 600, until: now + 1 },
              signal: stopping,
            });
            const text = await new Response(told.body).text();
            return {
              engine: engine.name,
              state: engine.state,
              host,
              container: engine.container(params.container)?.name ?? null,
              events: text.split("\n").filter((line) => line.includes("roll-call")).length,
            };
          }),
        );
        return reply(200, { items });
      }),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
});
