/** API keys: to make, look at, rotate, take over, and delete. */
import * as z from "../core/schema.ts";
import { ADDRESS_OR_RANGE } from "../http/declare/address_forms.ts";
import type { Access } from "../auth/access.ts";
import { addressRange } from "../core/address_range.ts";
import { Grant, Grants, KeyName, Permission, type Rights, Role } from "../core/access.ts";
import type { KeyRecord } from "../core/access_store.ts";
import { sessionIn } from "../core/credential.ts";
import { text } from "../http/declare/query.ts";
import {
  type CoreRouter,
  empty,
  json,
  located,
  particularsOf,
  problems,
  reply,
  route,
  router,
} from "../http/declare/router.ts";
import { toldOf } from "./people.ts";
import { NO_STORE } from "./tokens.ts";

const Creator = z.object({
  kind: z.enum(["user", "apiKey"]).describe("Kind of creator"),
  id: z.string().describe("Id of the creator"),
}).meta({ id: "ApiKeyCreator" });

const ApiKey = z.object({
  id: z.string().describe("The key's id, which is no secret"),
  name: z.string().describe("Its name"),
  prefix: z.string().describe("The beginning of the key: enough to recognise it"),
  role: Role.nullable().describe(
    "The role that it holds everywhere; null where permissions or scopes are listed, or its creator holds less by now",
  ),
  permissions: z.array(Permission).readonly().describe(
    "Permissions that it holds everywhere: never more than its creator holds now",
  ),
  grants: z.array(Grant).readonly().describe("All that it was made with, and on what"),
  createdAt: z.iso.datetime().describe("When it was made"),
  createdBy: z.string().describe("The name of its creator"),
  creator: Creator.nullable()
    .describe("The creator, and the person it is deleted with; null if it belongs to nobody"),
  expiresAt: z.iso.datetime().nullable().describe("When it ends; null: never"),
  previousUntil: z.iso.datetime().nullable().describe(
    "Until when the secret before the last rotation counts",
  ),
  from: z.array(z.string()).readonly().describe(
    "The addresses and ranges it may come from; empty for everywhere",
  ),
  disabled: z.boolean().describe("True if its creator is disabled, so that the key is not valid"),
  lastUsedAt: z.iso.datetime().nullable().describe("When it was last used; null: never"),
  lastUsedPeer: z.string().nullable().describe("The address it was last used from"),
}).meta({ id: "ApiKey" });

export const ApiKeyCreated = ApiKey.extend({ key: z.string().describe("Shown this once") }).meta({
  id: "ApiKeyCreated",
});

const common = {
  name: KeyName.describe("The name to display"),
  expiresInDays: z.int().min(1).max(3_650).optional().describe("Days until it ends; never unless given"),
  from: z.array(
    z.string().max(50).refine((one) => addressRange(one) !== null, {
      error: 'Expected an address or a range, as "10.0.0.0/8"',
    }).meta(ADDRESS_OR_RANGE),
  ).min(1).max(64).readonly().optional()
    .describe("The addresses and ranges it may come from; from everywhere when it is left out"),
};
const NewApiKey = z.union([
  z.strictObject({ ...common, role: Role.describe("A role for everything") }),
  z.strictObject({
    ...common,
    permissions: z.array(Permission).min(1).max(64).describe("Single permissions for everything"),
  }),
  z.strictObject({ ...common, grants: Grants.describe("Its permissions and their scopes") }),
], { error: 'Expected a name with either a "role", "permissions" or "grants", and nothing unknown' }).meta({
  id: "NewApiKey",
  examples: [
    { name: "wall screen", role: "viewer", expiresInDays: 90, from: ["127.0.0.1", "10.0.0.0/8"] },
    { name: "backup", permissions: ["workspaces:read", "artifacts:read"] },
    {
      name: "shop team",
      grants: [{ role: "operator", on: ["workspace:shop"] }, { permissions: ["system:read"] }],
    },
  ],
});
type NewApiKey = z.output<typeof NewApiKey>;

const KeyVerdict = z.object({
  valid: z.boolean().describe("True if the key is valid"),
  reason: z.enum(["unknown", "expired", "malformed"]).optional().describe("The reason that it is not valid"),
  id: z.string().optional().describe("The key's id"),
  name: z.string().optional().describe("The key's name"),
  role: Role.nullable().optional().describe("Its role"),
  permissions: z.array(Permission).readonly().optional().describe("Its permissions"),
  grants: z.array(Grant).readonly().optional().describe("Its permissions and their scopes"),
  expiresAt: z.iso.datetime().nullable().optional().describe("When it ends; null: never"),
}).meta({ id: "KeyVerdict" });

const Id = z.object({ id: z.string().max(64).describe("The key's id") });

const list = route({
  method: "get",
  path: "/settings/api-keys",
  summary: "All API keys, without their secrets",
  description:
    "Lists the keys of everybody, with their rights, creators and last use. Secrets are shown once, " +
    "when a key is made or rotated, and never here.",
  permission: "keys:manage",
  subject: "everything",
  query: z.object({ createdBy: text(64).describe("The id of their creator").optional() }),
  answers: {
    200: json(
      z.object({
        items: z.array(ApiKey).describe("The keys, oldest first"),
        total: z.int().describe("Number of all keys"),
      }),
      "Oldest first",
    ),
  },
});

const add = route({
  method: "post",
  path: "/settings/api-keys",
  summary: "Make an API key, with a role, with permissions, or with grants on scopes",
  description:
    "A key never has more rights than its creator, and loses what its creator loses. The answer holds " +
    "the secret; berth stores only a hash and cannot show it again.",
  permission: "keys:manage",
  subject: "everything",
  proof: true,
  audited: "change",
  body: NewApiKey,
  answers: {
    201: located(ApiKeyCreated, "The key, shown only this once; it expires no later than its creator"),
    ...problems("key_exceeds_creator", "sign_in_again", "too_many_keys"),
  },
});

const rotate = route({
  method: "post",
  path: "/settings/api-keys/{id}/rotate",
  summary: "Give an API key a new secret while the previous one stays valid for a while",
  description:
    "The answer holds the new secret. The previous one stays valid for `overlapMinutes`, so that " +
    "programs can be changed one after the other. Sessions that the key has opened end with the previous " +
    "secret, but not the one that asks.",
  permission: "keys:manage",
  subject: "everything",
  proof: true,
  audited: "change",
  params: Id,
  body: z.strictObject({
    overlapMinutes: z.int().min(0).max(43_200).default(0).describe(
      "The minutes for which the previous secret stays valid",
    ),
  }).meta({ id: "KeyRotation", examples: [{ overlapMinutes: 60 }] }),
  answers: {
    200: json(ApiKeyCreated, "The key with its new secret, shown this once"),
    ...problems("not_found", "forbidden", "sign_in_again"),
  },
});

const takeOver = route({
  method: "post",
  path: "/settings/api-keys/{id}/take-over",
  summary: "Become the owner of a key, so that it is not deleted with its creator",
  description:
    "A key is deleted together with the person who made it. The caller becomes its owner, so that it " +
    "survives when that person leaves. Its rights then follow the caller's.",
  permission: "keys:manage",
  subject: "everything",
  proof: true,
  audited: "change",
  params: Id,
  answers: {
    200: json(ApiKey, "The key; it ends no later than you do"),
    ...problems("not_found", "forbidden", "sign_in_again", "last_admin"),
  },
});

const remove = route({
  method: "delete",
  path: "/settings/api-keys/{id}",
  summary: "Delete an API key and those that it made; their open streams end",
  description:
    "The key stops working at once, and so do keys that were made with it. Their streams and sockets " +
    "close. The last way to administer berth cannot be deleted.",
  permission: "keys:manage",
  subject: "everything",
  audited: "change",
  params: Id,
  answers: { 204: empty("It is gone"), ...problems("not_found", "last_admin", "forbidden") },
});

const verify = route({
  method: "post",
  path: "/settings/api-keys/verify",
  summary: "Check whether a key is valid, and its permissions",
  description:
    "Tells what a key is and may do, without signing in with it. An invalid key is a 200 with `valid: " +
    "false` and the reason.",
  permission: "keys:manage",
  subject: "everything",
  audited: false,
  body: z.strictObject({ key: z.string().max(512).describe("The key as it was shown once") }).meta({
    id: "KeyToVerify",
    examples: [{ key: "berth_..." }],
  }),
  answers: { 200: json(KeyVerdict, "Also for a key that is not good"), ...problems("too_many_requests") },
});

export function apiKeys({ access }: { readonly access: Access }): CoreRouter {
  const { keys, credentials, limits } = access;
  const keyShown = (record: KeyRecord) => shownKey(record, keys.principalOf(record));
  return router()
    .on(list, async ({ query }) => {
      const items = (await keys.list(query.createdBy ?? null)).map(keyShown);
      return reply(200, { items, total: items.length });
    })
    .on(add, async (call) => {
      const { name, expiresInDays, from, ...held } = call.body;
      const asked = { name, expiresInDays, from, grants: grantsFrom(held) };
      const told = { name, ...toldOf(asked.grants), expiresInDays, from };
      const entry = call.entry({ particulars: particularsOf(told) });
      const { record, key } = await keys.add(asked, call.principal, entry);
      return reply(201, { ...keyShown(record), key }, { ...NO_STORE, location: locationOf(record) });
    })
    .on(rotate, async (call) => {
      const { params: { id }, body: { overlapMinutes } } = call;
      const entryOf = ({ name }: KeyRecord) =>
        call.entry({ particulars: particularsOf({ name, overlapMinutes }) });
      const { record, key } = await keys.rotate(
        id,
        { overlapMinutes, session: sessionIn(call.source) },
        call.principal,
        entryOf,
      );
      await credentials.reconsider();
      return reply(200, { ...keyShown(record), key }, NO_STORE);
    })
    .on(takeOver, async (call) => {
      const entryOf = ({ name, createdBy, creator }: KeyRecord) =>
        call.entry({ particulars: particularsOf({ name, createdBy, creator: creator?.id }) });
      const record = await keys.takeOver(call.params.id, call.principal, entryOf);
      await credentials.reconsider();
      return reply(200, keyShown(record));
    })
    .on(remove, async (call) => {
      const entryOf = ({ name, grants }: KeyRecord) =>
        call.entry({ particulars: particularsOf({ name, ...toldOf(grants) }) });
      await keys.remove(call.params.id, call.principal, entryOf);
      // Keys that it made are deleted with it.
      await credentials.reconsider();
      return reply(204);
    })
    .on(verify, async ({ body, principal }) => {
      limits.verify.spend(principal.id);
      const verdict = await keys.check(body.key);
      if (!verdict.valid) return reply(200, verdict, NO_STORE);
      const { id, name, role, permissions, grants, expiresAt } = keyShown(verdict.record);
      return reply(200, { valid: true, id, name, role, permissions, grants, expiresAt }, NO_STORE);
    });
}

/** A role or permissions alone are one grant that counts everywhere. */
function grantsFrom(held: Omit<NewApiKey, "name" | "expiresInDays" | "from">): readonly Grant[] {
  if ("grants" in held) return held.grants as readonly Grant[];
  return [held as Grant];
}

export function locationOf(record: KeyRecord): string {
  return `/api/settings/api-keys/${record.id}`;
}

export function shownKey(record: KeyRecord, { role, permissions }: Rights): z.input<typeof ApiKey> {
  const { id, name, grants, createdBy, creator, from, disabled, lastUsedPeer } = record;
  return {
    id,
    name,
    prefix: `berth_${id}`,
    role,
    permissions,
    grants,
    createdAt: new Date(record.createdAt).toISOString(),
    createdBy,
    creator,
    expiresAt: time(record.expiresAt),
    previousUntil: time(record.previous?.until ?? null),
    from,
    disabled,
    lastUsedAt: time(record.lastUsedAt),
    lastUsedPeer,
  };
}

function time(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
