/** Hooks: the addresses that forges call after a push. */
import * as z from "../core/schema.ts";
import { type Registry, unknownWorkspace } from "../artifacts/registry/registry.ts";
import { peerGroup, type RateLimit } from "../auth/rate_limit.ts";
import type { Reach } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import { HookAnswer, NewHook } from "../core/source.ts";
import type { Sources } from "../git/sources.ts";
import { BYTES } from "../http/declare/bytes.ts";
import { type CoreRouter, empty, json, problems, reply, route, router } from "../http/declare/router.ts";

const MIB = 1024 * 1024;
/** Forges give up early: Gitea after 5 s. */
const ANSWER_MS = 4_000;

const Id = z.object({ id: z.string().min(1).max(100).describe("The workspace's id") });

const make = route({
  method: "post",
  path: "/workspaces/{id}/source/hook",
  summary: "Make an address that a forge calls after a push",
  description:
    "The secret is shown this once, and goes to GitHub, Gitea, Forgejo or GitLab with the address. A hook that was there " +
    "before ends. Requires a recent sign-in.",
  permission: "workspaces:manage",
  subject: "found",
  proof: true,
  audited: "change",
  params: Id,
  answers: {
    201: json(NewHook, "The hook, with its secret"),
    ...problems("workspace_not_found", "source_not_found", "sign_in_again"),
  },
});

const remove = route({
  method: "delete",
  path: "/workspaces/{id}/source/hook",
  summary: "Take the hook of a source away",
  description: "The address answers nobody any more. The branch is still checked every few minutes.",
  permission: "workspaces:manage",
  subject: "found",
  audited: "change",
  params: Id,
  answers: { 204: empty("It is gone"), ...problems("workspace_not_found", "source_not_found") },
});

const receive = route({
  method: "post",
  path: "/hooks/{id}",
  summary: "Look for new commits after a push",
  description:
    "For forges. The body counts by its signature alone: `X-Hub-Signature-256` (GitHub, Gitea, Forgejo), " +
    "`webhook-signature` (GitLab, Standard Webhooks) or the secret in `X-Gitlab-Token`. What the newest commit would " +
    "change is answered where that is known within 4 s.",
  permission: "open",
  audited: false,
  params: z.object({ id: z.string().min(1).max(100).describe("The hook's id") }),
  body: BYTES,
  bodyLimit: MIB,
  answers: {
    200: json(HookAnswer, "The newest commit, and what it would change"),
    202: empty("The check takes longer, and goes on"),
    ...problems("hook_refused", "git_failed", "too_many_requests"),
  },
});

export interface HookRoutes {
  readonly registry: Pick<Registry, "get">;
  /** Loads what follows repositories. */
  readonly sources: () => Promise<Sources>;
  /** `strangers` is the limit for callers without a valid credential; null for none. */
  readonly limits: { readonly strangers: RateLimit | null };
  readonly clock: { now(): number };
}

export function hookRoutes({ registry, sources, limits, clock }: HookRoutes): CoreRouter {
  /** Throws `workspace_not_found` for what is out of reach, as for what is not there. */
  const whole = async (reach: Reach, id: string) => {
    if (!reach.has({ workspace: id })) throw unknownWorkspace();
    await registry.get(id);
    return id;
  };
  return router()
    .on(make, async (call) => {
      const id = await whole(call.reach, call.params.id);
      return reply(201, await (await sources()).hooks.make(id, call.entry()));
    })
    .on(remove, async (call) => {
      const id = await whole(call.reach, call.params.id);
      await (await sources()).hooks.remove(id, call.entry());
      return reply(204);
    })
    .on(receive, async ({ request: { headers }, params, body, peer }) => {
      const { hooks } = await sources();
      const answer = hooks.receive(params.id, { headers, body, now: clock.now() });
      const late = Promise.withResolvers<null>();
      const timer = setTimeout(() => late.resolve(null), ANSWER_MS);
      answer.catch(() => {}); // whoever waits for it is told
      try {
        const told = await Promise.race([answer, late.promise]);
        return told === null ? reply(202) : reply(200, told);
      } catch (error) {
        if (error instanceof ServiceError && error.code === "hook_refused") {
          limits.strangers?.spend(peerGroup(peer));
        }
        throw error;
      } finally {
        clearTimeout(timer);
      }
    });
}
