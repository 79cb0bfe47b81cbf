/** Who did what, when, and with what result. */
import { z } from "zod";
import type { Access } from "../auth/access.ts";
import type { AuditStore } from "../core/store.ts";
import { count, text } from "../http/query.ts";
import { json, reply, route, type Router, router } from "../http/router.ts";

const AuditEntry = z.object({
  id: z.int(),
  chain: z.enum(["changes", "refusals"]),
  seq: z.int().nullable().describe("Its place in its chain; null until it is sealed"),
  time: z.iso.datetime(),
  actor: z.object({
    kind: z.enum(["user", "apiKey", "anonymous", "system"]),
    id: z.string(),
    name: z.string(),
  }),
  action: z.string().describe("The route that was asked, or what berth did by itself"),
  target: z.string().nullable(),
  credential: z.string().nullable().describe("What was shown: `key:<id>` or `session:<id>`"),
  particulars: z.record(z.string(), z.string()).describe("What else is worth knowing, as a command"),
  result: z.string().describe("`begun` before an act, then `done`; or the code of the refusal or failure"),
  requestId: z.string().nullable(),
  peer: z.string().nullable(),
  count: z.int().describe("How often; more than once only for what strangers were refused"),
}).meta({ id: "AuditEntry" });

const list = route({
  method: "get",
  path: "/system/audit",
  summary: "Every change and every refusal, newest first",
  permission: "audit:read",
  query: z.object({
    limit: count(1, 500).default(100),
    cursor: z.string().regex(/^\d{1,15}$/, "Expected a cursor of an earlier answer").optional(),
    action: text(200).optional(),
    actor: text(200).describe("The actor's id").optional(),
    result: text(100).optional(),
  }),
  answers: {
    200: json(
      z.object({ items: z.array(AuditEntry), total: z.int(), next: z.string().optional() }),
      "A page; `next` is the cursor of the one after it",
    ),
  },
});

export function audit({ access, store }: { readonly access: Access; readonly store: AuditStore }): Router {
  return router().on(list, async ({ query }) => {
    await access.audit.flush(); // so that one finds what one just did
    const { limit, cursor, action = null, actor = null, result = null } = query;
    const before = cursor === undefined ? null : Number(cursor);
    const found = await store.list({ before, limit: limit + 1, action, actor, result });
    const page = found.items.slice(0, limit);
    const items = page.map(({ at, ...rest }) => ({ ...rest, time: new Date(at).toISOString() }));
    const last = page.at(-1);
    const more = found.items.length > limit && last !== undefined ? { next: String(last.id) } : {};
    return reply(200, { items, total: found.total, ...more });
  });
}
