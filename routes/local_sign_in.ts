/** Signing in without an identity provider, and proving once more who one is. */
import * as z from "../core/schema.ts";
import type { Access } from "../auth/access.ts";
import { isInRange } from "../core/address_range.ts";
import { rangesOf } from "../auth/keys/api_keys.ts";
import { DEVICE_MAX_AGE_S } from "../auth/people/devices.ts";
import { honestly, peerGroup } from "../auth/rate_limit.ts";
import { KeyName } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import type { AccountRecord } from "../core/access_store.ts";
import { sessionIn } from "../core/credential.ts";
import type { Call } from "../http/declare/call.ts";
import { deviceCookie, deviceCookieOf } from "../http/declare/device_cookie.ts";
import { type CoreRouter, empty, json, problems, route, router } from "../http/declare/router.ts";
import { reply } from "../http/declare/router.ts";
import { CodeAnswer } from "./auth.ts";
import { deviceOf, Tokens, tokensReply } from "./tokens.ts";

/** Longer passwords are refused before anything is computed. */
const Password = z.string().min(1).max(1_024 * 4);
const Key = z.string().min(1).max(512);

const byPassword = route({
  method: "post",
  path: "/auth/password",
  summary: "Sign in with a name and a password",
  description:
    "For people who were added with a password. Wrong attempts are limited, and the answer is the same " +
    "for a wrong password and an unknown name.",
  headers: ["X-Berth"],
  permission: "open",
  audited: "change",
  body: z.strictObject({
    name: KeyName.describe("The person's name"),
    password: Password.describe("The person's password"),
  }).meta({ id: "NameAndPassword", examples: [{ name: "ada", password: "correct horse battery staple" }] }),
  answers: {
    200: json(Tokens, "Signed in"),
    ...problems("login_refused", "origin_refused", "too_many_requests"),
  },
});

const byLink = route({
  method: "post",
  path: "/auth/password-link",
  summary: "Set the password by a one-time link, and sign in",
  description:
    "An admin hands out the one-time token when they add a person or make another link. The person " +
    "chooses a password with it and is signed in at once.",
  headers: ["X-Berth"],
  permission: "open",
  audited: "change",
  body: z.strictObject({
    token: z.string().min(1).max(512).describe("The one-time token of the link"),
    password: Password.describe("The password to sign in with from now on"),
  }).meta({
    id: "PasswordByLink",
    examples: [{ token: "wX3v...", password: "correct horse battery staple" }],
  }),
  answers: {
    200: json(Tokens, "Signed in"),
    ...problems("login_refused", "origin_refused", "too_many_requests"),
  },
});

const changePassword = route({
  method: "put",
  path: "/auth/password",
  summary: "Set another password for oneself; all other sessions end",
  description:
    "The person sends the current password and the new one. Their other sessions end. People of an " +
    "identity provider change their password there.",
  permission: "any",
  audited: "change",
  body: z.strictObject({
    password: Password.describe("The password so far"),
    newPassword: Password.describe("The password from now on"),
  }).meta({
    id: "PasswordChange",
    examples: [{ password: "correct horse battery staple", newPassword: "four maps and a kettle" }],
  }),
  answers: {
    204: empty("It counts from now on"),
    ...problems("login_refused", "not_local", "too_many_requests"),
  },
});

const byKey = route({
  method: "post",
  path: "/auth/key",
  summary: "Exchange an API key for a session with its rights, which ends with the key",
  description:
    "For browsers: the page sends an API key once and works with short-lived tokens from then on. The " +
    "session has the rights of the key and ends with it.",
  headers: ["X-Berth"],
  permission: "open",
  audited: "change",
  body: z.strictObject({ key: Key.describe("An API key") }).meta({
    id: "KeyForSession",
    examples: [{ key: "berth_..." }],
  }),
  answers: {
    200: json(Tokens, "Signed in"),
    ...problems("login_refused", "origin_refused", "too_many_requests"),
  },
});

const prove = route({
  method: "post",
  path: "/auth/proof",
  summary: "Prove again who one is, as `sign_in_again` asks",
  description:
    "The password, the key of the session, or the code of another sign-in at the identity provider, " +
    "which is asked with `max_age=0`",
  permission: "any",
  audited: "change",
  body: z.union([
    z.strictObject({ password: Password.describe("The person's password") }),
    z.strictObject({ key: Key.describe("The API key, for callers without a password") }),
    CodeAnswer,
  ], {
    error: 'Expected either "password", "key" or the answer of the identity provider, and nothing unknown',
  }).meta({ id: "Proof", examples: [{ password: "correct horse battery staple" }, { key: "berth_..." }] }),
  answers: {
    204: empty("It is believed for a while"),
    ...problems("login_refused", "identity_provider_unavailable", "too_many_requests"),
  },
});

interface LocalSignInOptions {
  readonly access: Access;
  /** The origins our own pages have. */
  readonly origins: { has(origin: string): boolean };
}

export function localSignIn({ access, origins }: LocalSignInOptions): CoreRouter {
  const { sessions, people, keys, freshProof, limits } = access;
  return router()
    .on(byPassword, async (call) => {
      const { name, password } = call.body;
      const device = deviceOf(call.request.headers, origins);
      const peer = peerGroup(call.peer);
      const account = await honestly(
        limits.signIn,
        peer,
        () => people.recognise(name, password, deviceCookieOf(call.request.headers), peer),
      );
      const tokens = await sessions.openFor({ kind: "user", account }, device, call.entry());
      call.setPrincipal(tokens.principal);
      return tokensReply(tokens, device.binding, await deviceCookies(access, account, device.binding));
    })
    .on(byLink, async (call) => {
      const device = deviceOf(call.request.headers, origins);
      const account = await honestly(
        limits.signIn,
        peerGroup(call.peer),
        () => people.useLink(call.body.token, call.body.password, call.entry()),
      );
      const tokens = await sessions.openFor({ kind: "user", account }, device, call.entry());
      call.setPrincipal(tokens.principal);
      return tokensReply(tokens, device.binding, await deviceCookies(access, account, device.binding));
    })
    .on(changePassword, async (call) => {
      const { account, session } = await ownSession(access, call);
      await people.changePassword(account, call.body, session, call.entry());
      return reply(204);
    })
    .on(byKey, async (call) => {
      const device = deviceOf(call.request.headers, origins);
      const verdict = await honestly(limits.signIn, peerGroup(call.peer), async () => {
        const verdict = await keys.check(call.body.key);
        const ranges = verdict.valid ? rangesOf(verdict.record) : null;
        if (!verdict.valid || (ranges !== null && !isInRange(call.peer, ranges))) {
          throw new ServiceError("login_refused", "Cannot sign in: that is no key that is good here");
        }
        return verdict;
      });
      const { record, secret, expiresAt } = verdict;
      const holder = { kind: "apiKey", key: record, secret, expiresAt } as const;
      const tokens = await sessions.openFor(holder, device, call.entry());
      call.setPrincipal(tokens.principal);
      return tokensReply(tokens, device.binding);
    })
    .on(prove, async (call) => {
      await freshProof.give(call.source, call.body, call.entry());
      return reply(204);
    });
}

/** A page's browser is remembered as one that this account signed in with. */
export async function deviceCookies(
  { devices }: Access,
  account: AccountRecord,
  binding: string | null,
): Promise<string[]> {
  return binding === null ? [] : [deviceCookie(await devices.make(account.id), DEVICE_MAX_AGE_S)];
}

/** The caller's session, and whose it is. Throws `not_local` for callers without a password here. */
async function ownSession(
  { sessions }: Access,
  { source }: Pick<Call, "source">,
): Promise<{ account: AccountRecord; session: string }> {
  const session = sessionIn(source);
  const holder = session === null ? null : await sessions.holderOf(session);
  if (session === null || holder?.kind !== "user" || holder.account.grants === null) {
    throw new ServiceError("not_local", "Cannot change the password: you signed in without one");
  }
  return { account: holder.account, session };
}
