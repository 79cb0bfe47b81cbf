/** The audit log: the caller, the act, the time and the result. */
import { pause } from "../core/pause.ts";
import * as z from "../core/schema.ts";
import type { Access } from "../auth/access.ts";
import { ServiceError } from "../core/error.ts";
import { type AuditEntry as Entry, type AuditStore } from "../core/audit_store.ts";
import { AUDIT_CHAINS, type AuditChain } from "../core/store.ts";
import { followedAnswer } from "../http/declare/followed_answer.ts";
import { count, flag, many, text } from "../http/declare/query.ts";
import { type CoreRouter, problems, raw, route, router } from "../http/declare/router.ts";

/**
 * The number of entries that a stream reads at once, and the time for which a follower may wait for a new
 * one.
 */
const BATCH = 500;
const LOOK_MS = 250;
/** Acts that may be asked for at once. */
const MOST_ACTIONS = 100;

const Actor = z.object({
  kind: z.enum(["user", "apiKey", "anonymous", "system"]).describe("Kind of caller"),
  id: z.string().describe("The caller's id"),
  name: z.string().describe("The caller's name then"),
}).meta({ id: "AuditActor" });

const AuditEntry = z.object({
  id: z.int().describe("The entry's number, over both chains"),
  chain: z.enum(["changes", "refusals"]).describe("The chain that seals it"),
  seq: z.int().nullable().describe("Its place in its chain; null until it is sealed"),
  time: z.iso.datetime().describe("When"),
  actor: Actor.describe("The caller"),
  action: z.string().describe("The route that was asked, or what berth did by itself"),
  target: z.string().nullable().describe("The object of the act"),
  credential: z.string().nullable().describe("The value that was shown: `key:<id>` or `session:<id>`"),
  particulars: z.record(z.string(), z.string()).describe("Further details, such as a command"),
  result: z.string().describe("`begun` before an act, then `done`; or the code of the refusal or failure"),
  requestId: z.string().nullable().describe("Finds the request in the log"),
  peer: z.string().nullable().describe("The address it came from"),
  count: z.int().describe("Number of occurrences; more than one only for refusals to unknown callers"),
}).meta({ id: "AuditEntry" });

const AuditLine = AuditEntry.extend({
  seq: z.int().describe("Its number within its chain"),
  mac: z.string().describe("The seal over this entry and all before it in its chain, in hexadecimal"),
}).meta({ id: "AuditLine" });

const AuditPage = z.object({
  items: z.array(AuditEntry).describe("The entries, newest first"),
  total: z.int().describe("Number of all entries"),
  next: z.string().optional().describe("The cursor of the page after this one"),
  strangers: z.array(z.object({
    hour: z.iso.datetime().describe("The hour that is summed up"),
    peer: z.string().describe("The address they came from"),
    action: z.string().describe("The request"),
    result: z.string().describe("The answer"),
    count: z.int().describe("Number of occurrences"),
  })).optional().describe(
    "On the first page: what callers without a good credential were refused in this hour; `*` for all others",
  ),
}).meta({ id: "AuditPage" });

const Place = z.string().regex(/^(?:changes|refusals):\d{1,15}$/, 'Expected a place like "changes:120"');

const list = route({
  method: "get",
  path: "/system/audit",
  summary: "Every change and every refusal",
  description:
    "As JSON a page, newest first. As NDJSON all sealed entries, each chain oldest first; with `follow` " +
    "the answer continues with every new one, and an empty line every 15 s shows that it is alive. `after` " +
    "resumes behind the entries that were read before.",
  permission: "audit:read",
  subject: "everything",
  query: z.object({
    limit: count(1, 500).optional().describe("Entries of a page, 100 unless told otherwise"),
    cursor: z.string().regex(/^\d{1,15}$/, "Expected a cursor of an earlier answer").optional().describe(
      "The next of the page before",
    ),
    action: many(text(200), MOST_ACTIONS).optional().describe(
      "Only this route, as POST /api/workspaces; repeated: any of these",
    ),
    actor: text(200).describe("The actor's id").optional(),
    result: text(100).optional().describe("Only entries that ended so: done, begun or a code"),
    format: z.enum(["json", "ndjson"]).optional().describe("`json` unless `Accept` asks for NDJSON"),
    follow: flag.optional().describe("Goes on with entries as they are made"),
    after: many(Place, 2).optional().describe("For NDJSON: `<chain>:<seq>`, once a chain"),
  }),
  answers: {
    200: raw("The entries", { "application/json": AuditPage, "application/x-ndjson": AuditLine }),
    ...problems("invalid_request"),
  },
});

export function audit(
  { access, store }: { readonly access: Access; readonly store: AuditStore },
): CoreRouter {
  return router().on(list, async ({ query, request, ending }) => {
    const { limit, cursor, follow, after, format = formatOf(request.headers.get("accept")), ...wanted } =
      query;
    mustFit(query, format === "json" ? ["follow", "after"] : ["limit", "cursor"]);
    await access.audit.flush(); // so that one finds what one just did
    if (format === "ndjson") {
      await access.auditUpkeep.seal();
      const left = new AbortController();
      const lines = linesOf(store, placesOf(after), wanted, {
        follow: follow === true,
        ending: AbortSignal.any([ending, left.signal]),
      });
      const leave = () => left.abort();
      return followedAnswer(lines, { type: "application/x-ndjson", ends: follow !== true, leave });
    }
    const page = await pageOf(store, wanted, limit ?? 100, cursor);
    return Response.json(page, { headers: { "cache-control": "no-store" } });
  });
}

function formatOf(accept: string | null): "json" | "ndjson" {
  return accept?.includes("application/x-ndjson") ? "ndjson" : "json";
}

interface Wanted {
  readonly action?: readonly string[] | undefined;
  readonly actor?: string | undefined;
  readonly result?: string | undefined;
}

function mustFit(query: Readonly<Record<string, unknown>>, others: readonly string[]): void {
  const surplus = others.filter((name) => query[name] !== undefined);
  if (surplus.length === 0) return;
  throw new ServiceError("invalid_request", "Cannot read the audit log: that goes with another format", {
    errors: surplus.map((name) => ({ path: `query.${name}`, message: "Expected another `format` with it" })),
  });
}

async function pageOf(
  store: AuditStore,
  { action, actor, result }: Wanted,
  limit: number,
  cursor: string | undefined,
): Promise<z.input<typeof AuditPage>> {
  const before = cursor === undefined ? null : Number(cursor);
  const found = await store.list({
    before,
    limit: limit + 1,
    action: action ?? null,
    actor: actor ?? null,
    result: result ?? null,
  });
  const page = found.items.slice(0, limit);
  const last = page.at(-1);
  const more = found.items.length > limit && last !== undefined ? { next: String(last.id) } : {};
  const strangers = cursor !== undefined ? {} : {
    strangers: (await store.strangers()).map(({ hour, ...rest }) => ({
      hour: time(hour * 3_600_000),
      ...rest,
    })),
  };
  return { items: page.map(shown), total: found.total, ...more, ...strangers };
}

/**
 * Ends where the chains do, or with `ending` for a follower. Reads on only when the caller has taken what was there.
 * Throws at `ending` for anybody else: what they read so far would look whole.
 */
async function* linesOf(
  store: AuditStore,
  places: Record<AuditChain, number>,
  wanted: Wanted,
  { follow, ending }: { readonly follow: boolean; readonly ending: AbortSignal },
): AsyncGenerator<string, void> {
  while (!ending.aborted) {
    let isMore = false;
    for (const chain of AUDIT_CHAINS) {
      const entries = await store.sealed(chain, places[chain], BATCH);
      places[chain] = entries.at(-1)?.seq ?? places[chain];
      isMore ||= entries.length > 0;
      const lines = entries.filter((entry) => fits(entry, wanted)).map(({ mac, ...entry }) =>
        `${JSON.stringify({ ...shown(entry), mac: mac.toHex() })}\n`
      );
      if (lines.length > 0 && !ending.aborted) yield lines.join("");
    }
    if (isMore) continue;
    if (!follow) return;
    await pause(LOOK_MS, ending);
  }
  if (!follow) throw brokenOff();
}

/** Without a stack: the runtime prints it. */
function brokenOff(): Error {
  const error = new Error("An export of the audit log was broken off");
  error.stack = error.message;
  return error;
}

function fits(entry: Entry, { action, actor, result }: Wanted): boolean {
  return (action === undefined || action.includes(entry.action)) &&
    (actor === undefined || entry.actor.id === actor) &&
    (result === undefined || entry.result === result);
}

function placesOf(after: readonly string[] | undefined): Record<AuditChain, number> {
  const places = { changes: 0, refusals: 0 };
  for (const place of after ?? []) {
    const [chain, seq] = place.split(":") as [AuditChain, string]; // as its pattern says
    places[chain] = Number(seq);
  }
  return places;
}

function shown({ at, ...rest }: Entry): z.input<typeof AuditEntry> {
  return { ...rest, time: time(at) };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
