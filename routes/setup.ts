/** The first admin: a person with a password, or a key. */
import * as z from "../core/schema.ts";
import type { Access } from "../auth/access.ts";
import { peerGroup } from "../auth/rate_limit.ts";
import { KeyName } from "../core/access.ts";
import { type CoreRouter, json, located, problems, reply, route, router } from "../http/declare/router.ts";
import { ApiKeyCreated, locationOf, shownKey } from "./api_keys.ts";
import { deviceCookies } from "./local_sign_in.ts";
import { deviceOf, NO_STORE, Tokens, tokensReply } from "./tokens.ts";

const setupRequired = route({
  method: "get",
  path: "/settings/setup-required",
  summary: "True until the first admin exists",
  description: "Needs no credential, so that a page can decide whether to show the setup or the sign-in.",
  permission: "open",
  answers: {
    200: json(
      z.object({ setupRequired: z.boolean().describe("True until the first admin exists") }),
      "Never true again once it was false",
    ),
  },
});

const setUp = route({
  method: "post",
  path: "/settings/setup",
  summary: "Make the first admin, with the one-time token of the data folder",
  description: "With a password the first admin is a person, who is signed in; without one it is an API key",
  headers: ["X-Berth"],
  permission: "open",
  audited: "change",
  body: z.strictObject({
    token: z.string().min(1).max(4_096).describe("The one-time token that the start printed"),
    name: KeyName.describe("The name of the first admin, or of the key"),
    password: z.string().min(1).max(1_024 * 4).optional().describe(
      "Makes a person who signs in with it, instead of a key",
    ),
  }).meta({
    id: "Setup",
    examples: [
      { token: "wX3v...", name: "ada", password: "correct horse battery staple" },
      { token: "wX3v...", name: "first key" },
    ],
  }),
  answers: {
    200: json(Tokens, "The first admin is a person, and signed in"),
    201: located(ApiKeyCreated, "The first admin's key"),
    ...problems("setup_done", "setup_refused", "origin_refused", "too_many_requests"),
  },
});

interface SetupOptions {
  readonly access: Access;
  /** The origins our own pages have. */
  readonly origins: { has(origin: string): boolean };
}

export function setupRoutes({ access, origins }: SetupOptions): CoreRouter {
  const { setup, keys, sessions, limits } = access;
  return router()
    .on(setupRequired, async () => reply(200, { setupRequired: await setup.required() }, NO_STORE))
    .on(setUp, async (call) => {
      limits.setup.spend(peerGroup(call.peer));
      const { token, name, password } = call.body;
      if (password === undefined) {
        const { record, key } = await setup.complete(token, name, call.entry());
        const principal = keys.principalOf(record);
        call.setPrincipal(principal);
        return reply(201, { ...shownKey(record, principal), key }, {
          ...NO_STORE,
          location: locationOf(record),
        });
      }
      const device = deviceOf(call.request.headers, origins);
      const account = await setup.completeAsPerson(token, name, password, call.entry());
      const tokens = await sessions.openFor({ kind: "user", account }, device, call.entry());
      call.setPrincipal(tokens.principal);
      return tokensReply(tokens, device.binding, await deviceCookies(access, account, device.binding));
    });
}
