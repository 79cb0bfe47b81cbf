/** What people want of the newer images of one project: updates by themselves, their window, and a cool-down of its own. */
import { ServiceError } from "../core/error.ts";
import * as z from "../core/schema.ts";
import type { Registry } from "../artifacts/registry/registry.ts";
import { text } from "../http/declare/query.ts";
import {
  type CoreRouter,
  empty,
  particularsOf,
  problems,
  reply,
  route,
  router,
} from "../http/declare/router.ts";
import { type KnownUpdates, projectKey, type Updates } from "../projects/updates/updates.ts";
import { isTimeZone } from "../projects/updates/window.ts";
import { find, findComparedModel } from "./artifact_lookup.ts";
import { declaredProject } from "./project_ids.ts";

const Time = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'Expected a time, as "02:00"');

const Window = z.strictObject({
  from: Time.describe("When it opens, each day"),
  to: Time.describe("When it closes; before `from` it is on the next day"),
  timeZone: z.string().max(64).describe("The time zone of both, as `Europe/Berlin`"),
}).meta({
  id: "UpdateWindow",
  examples: [{ from: "02:00", to: "05:00", timeZone: "Europe/Berlin" }],
});

/** Throws `invalid_request` for what no schema can say. */
function assertUsable({ from, to, timeZone }: z.infer<typeof Window>): void {
  const why = from === to
    ? "it must close at another time than it opens"
    : isTimeZone(timeZone)
    ? null
    : `"${timeZone}" is no time zone: use a name as Europe/Berlin`;
  if (why !== null) throw new ServiceError("invalid_request", `Cannot use the window: ${why}`);
}

const Wanted = z.strictObject({
  automatic: z.boolean().describe(
    "True if berth updates the project by itself, with the caller's rights of the day",
  ),
  window: Window.nullable().default(null).describe("When an automatic update may begin; null for any time"),
  coolDownDays: z.int().min(0).max(90).nullable().default(null).describe(
    "The days for which its new images cool down; null for those of all projects",
  ),
}).meta({
  id: "ProjectUpdateRules",
  examples: [
    { automatic: true, window: { from: "02:00", to: "05:00", timeZone: "Europe/Berlin" } },
    { automatic: false, coolDownDays: 14 },
  ],
});

/** As the list of newer images has it. */
export const ProjectUpdates = z.object({
  project: z.string().describe("The project's id"),
  automatic: z.boolean().describe("True if berth updates it by itself"),
  window: Window.nullable().describe("When an automatic update may begin; null for any time"),
  coolDownDays: z.int().nullable().describe("Its own cool-down; null for that of all projects"),
  by: z.string().describe("The user or key with whose rights it is updated"),
  since: z.iso.datetime().describe("When they said so"),
  waits: z.string().nullable().describe("The reason that its automatic update waits; null for none"),
}).meta({ id: "ProjectUpdates" });

export function projectUpdatesOf(
  { projects }: KnownUpdates,
  isShown: (project: string) => boolean,
): z.input<typeof ProjectUpdates>[] {
  return [...projects].flatMap(([project, { automatic, window, coolDownDays, by, at, waits }]) =>
    isShown(project)
      ? [{ project, automatic, window, coolDownDays, by: by.name, since: new Date(at).toISOString(), waits }]
      : []
  );
}

const change = route({
  method: "put",
  path: "/projects/{id}/updates",
  summary: "Let berth update a project by itself, or say how long its new images cool down",
  description:
    "While the look for newer images is on, an automatic update is planned and applied with the rights that the caller " +
    "holds on that day, in the window, one project after the other. It stops at the first that went back, and a digest " +
    "that failed is not tried again. If the caller is gone or lacks a permission, the update waits, and `waits` says so. " +
    "Without any wish the project is forgotten. Requires a recent sign-in.",
  permission: "projects:apply",
  subject: "found",
  proof: true,
  audited: "change",
  params: z.object({ id: text(500).describe("The project's id, or its name") }),
  body: Wanted,
  answers: {
    204: empty("It is as asked"),
    ...problems(
      "workspace_not_found",
      "workspace_unavailable",
      "artifact_not_found",
      "ambiguous_name",
      "sign_in_again",
    ),
  },
});

interface RulesOptions {
  readonly registry: Pick<Registry, "comparedModel" | "models">;
  readonly updates: Updates;
  readonly now: () => number;
}

export function projectUpdateRules({ registry, updates, now }: RulesOptions): CoreRouter {
  return router().on(change, async (call) => {
    const { body: { automatic, window, coolDownDays }, reach, principal: { kind, id, name } } = call;
    if (window !== null) assertUsable(window);
    const meant = await declaredProject(registry, call.params.id, reach);
    const group = await find(await findComparedModel(registry, meant.id, reach), "group", meant.name);
    const of = { workspace: meant.id, group: group.name };
    const isNothing = !automatic && window === null && coolDownDays === null;
    const by = { kind, id, name };
    const wanted = { ...of, automatic, window, coolDownDays, by, at: now(), waits: null, wentBackAt: null };
    const told = {
      project: projectKey(of),
      automatic,
      window: window === null ? undefined : `${window.from}-${window.to} ${window.timeZone}`,
      coolDownDays: coolDownDays ?? undefined,
    };
    await updates.setProject(of, isNothing ? null : wanted, call.entry({ particulars: particularsOf(told) }));
    return reply(204);
  });
}
