/** The units of systemd, read only; off unless the settings name it. */
import * as z from "../../core/schema.ts";
import { failure } from "../../core/error.ts";
import { maskText } from "../../core/secrets.ts";
import { count, text } from "../../http/declare/query.ts";
import { json, problemsOf, reply, route, router } from "../../http/declare/router.ts";
import { plugin } from "../plugin.ts";
import { run } from "./process.ts";

const CODES = { units_unavailable: 503 } as const;
const PERMISSIONS = [{ name: "units:read", roles: ["viewer", "operator", "admin"] }] as const;
export type UnitPermission = (typeof PERMISSIONS)[number]["name"];

const Unit = z.object({
  unit: z.string().describe("Its name, as `ssh.service`"),
  load: z.string().describe("Load state of its file: `loaded`, `not-found`, ..."),
  active: z.string().describe("`active`, `inactive`, `failed`, ..."),
  sub: z.string().describe("Its state in the words of its kind, as `running`"),
  description: z.string().describe("Description"),
}).meta({ id: "Unit" });

const list = route({
  method: "get",
  path: "/units",
  summary: "The units that systemd has loaded",
  description:
    "Read only, and off unless the plugin `systemd` is enabled. Filter by state or a part of the name.",
  permission: "units:read",
  subject: "everything",
  query: z.object({
    active: text(32).optional().describe("Only units in this state"),
    q: text(128).optional().describe("Text that the name or description holds"),
    limit: count(1, 5_000).optional().describe("1,000 unless given"),
  }),
  answers: {
    200: json(
      z.object({
        items: z.array(Unit).describe("The units"),
        total: z.int().describe("Number of all units"),
      }).meta({ id: "UnitList" }),
      "By name",
    ),
    ...problemsOf(CODES)("units_unavailable"),
  },
});

export const systemd = plugin({
  name: "systemd",
  summary: "The units of systemd, read only",
  version: "0.1.0",
  optIn: true,
  permissions: PERMISSIONS,
  errors: CODES,
  settings: z.strictObject({
    systemctl: z.string().min(1).max(4_096).default("systemctl").describe("The program that lists the units"),
    timeoutS: z.int().min(1).max(60).default(5).describe("Seconds that it may take"),
  }),
  routes: [list],
  tags: { units: "The units of systemd" },
  needs: ({ systemctl }) => [{ name: "run", command: systemctl }],
  start(_host, { systemctl, timeoutS }) {
    const stopping = new AbortController();
    /** All who ask while it runs share one run. */
    let running: Promise<z.infer<typeof Unit>[]> | null = null;
    const units = () => running ??= read().finally(() => running = null);
    async function read(): Promise<z.infer<typeof Unit>[]> {
      const ran = await run(systemctl, ["list-units", "--all", "--full", "--no-pager", "--output", "json"], {
        signal: stopping.signal,
        timeoutMs: timeoutS * 1_000,
        maxBytes: 8 * 1024 * 1024,
      });
      const parsed = "output" in ran ? z.array(Unit).safeParse(jsonOf(ran.output)) : null;
      if (parsed?.success) return parsed.data.map(masked).sort((a, b) => a.unit < b.unit ? -1 : 1);
      const reason = "reason" in ran ? ran.reason : "it did not answer a list of units";
      throw failure(CODES, "units_unavailable", `Cannot list units with "${systemctl}": ${reason}`);
    }
    return Promise.resolve({
      routes: router().on(list, async ({ query: { active, q = "", limit = 1_000 } }) => {
        const found = (await units()).filter((one) =>
          (active === undefined || one.active === active) &&
          `${one.unit} ${one.description}`.toLowerCase().includes(q.toLowerCase())
        );
        return reply(200, { items: found.slice(0, limit), total: found.length });
      }),
      [Symbol.asyncDispose]: async () => {
        stopping.abort();
        await running?.catch(() => {}); // the caller got the error
      },
    });
  },
});

/** A unit that `systemd-run` has made is described by its command. */
const masked = (one: z.infer<typeof Unit>): z.infer<typeof Unit> => ({
  ...one,
  description: maskText(one.description),
});

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
