/** The first admin, and the API keys after that. */
import { z } from "zod";
import type { Access } from "../auth/access.ts";
import { peerGroup } from "../auth/rate_limit.ts";
import { KeyName, Permission, Role } from "../core/access.ts";
import type { KeyRecord } from "../core/store.ts";
import { type CoreRouter, empty, json, problems, reply, route, router } from "../http/router.ts";

const ApiKey = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string().describe("How the key begins: enough to recognise it by"),
  role: Role.nullable().describe("Null for a key that lists its permissions itself"),
  permissions: z.array(Permission).readonly(),
  createdAt: z.iso.datetime(),
  createdBy: z.string(),
  expiresAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
}).meta({ id: "ApiKey" });

const ApiKeyCreated = ApiKey.extend({ key: z.string().describe("Shown this once") }).meta({
  id: "ApiKeyCreated",
});

const expiresInDays = z.int().min(1).max(3_650).optional();
const NewApiKey = z.union([
  z.strictObject({ name: KeyName, role: Role, expiresInDays }),
  z.strictObject({ name: KeyName, permissions: z.array(Permission).min(1).max(64), expiresInDays }),
], { error: 'Expected a name with either a "role" or "permissions", and nothing unknown' }).meta({
  id: "NewApiKey",
});

const KeyVerdict = z.object({
  valid: z.boolean(),
  reason: z.enum(["unknown", "expired", "malformed"]).optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  role: Role.nullable().optional(),
  permissions: z.array(Permission).readonly().optional(),
  expiresAt: z.iso.datetime().nullable().optional(),
}).meta({ id: "KeyVerdict" });

const setupRequired = route({
  method: "get",
  path: "/settings/setup-required",
  summary: "Whether the first admin is still to be made",
  permission: "open",
  answers: { 200: json(z.object({ setupRequired: z.boolean() }), "Never true again once it was false") },
});

const setUp = route({
  method: "post",
  path: "/settings/setup",
  summary: "Make the first admin's key, with the one-time token of the data folder",
  permission: "open",
  audited: "change",
  body: z.strictObject({ token: z.string().min(1).max(4_096), name: KeyName }).meta({ id: "Setup" }),
  answers: {
    201: json(ApiKeyCreated, "The first admin's key"),
    ...problems("setup_done", "setup_refused", "too_many_requests"),
  },
});

const list = route({
  method: "get",
  path: "/settings/api-keys",
  summary: "All API keys, without their secrets",
  permission: "keys:manage",
  answers: { 200: json(z.object({ items: z.array(ApiKey), total: z.int() }), "Oldest first") },
});

const add = route({
  method: "post",
  path: "/settings/api-keys",
  summary: "Make an API key, with a role or with its own permissions",
  permission: "keys:manage",
  audited: "change",
  body: NewApiKey,
  answers: { 201: json(ApiKeyCreated, "The key, shown this once"), ...problems("key_exceeds_creator") },
});

const remove = route({
  method: "delete",
  path: "/settings/api-keys/{id}",
  summary: "Delete an API key; its open streams end",
  permission: "keys:manage",
  audited: "change",
  params: z.object({ id: z.string().max(64) }),
  answers: { 204: empty("It is gone"), ...problems("not_found", "last_admin", "forbidden") },
});

const verify = route({
  method: "post",
  path: "/settings/api-keys/verify",
  summary: "Whether a key is good, and for what",
  permission: "keys:manage",
  audited: false,
  body: z.strictObject({ key: z.string().max(512) }).meta({ id: "KeyToVerify" }),
  answers: { 200: json(KeyVerdict, "Also for a key that is not good"), ...problems("too_many_requests") },
});

const NO_STORE = { "cache-control": "no-store" };

export function settings({ access }: { readonly access: Access }): CoreRouter {
  const { keys, setup, credentials, limits } = access;
  const show = (record: KeyRecord) => shown(record, keys.permissionsOf(record));
  return router()
    .on(setupRequired, async () => reply(200, { setupRequired: await setup.required() }, NO_STORE))
    .on(setUp, async (call) => {
      limits.setup.spend(peerGroup(call.peer));
      const { record, key } = await setup.complete(
        call.body.token,
        call.body.name,
        call.entry({ target: "/api/settings/api-keys" }),
      );
      call.letIn(keys.principalOf(record));
      return reply(201, { ...show(record), key }, { ...NO_STORE, location: locationOf(record) });
    })
    .on(list, async () => {
      const items = (await keys.list()).map(show);
      return reply(200, { items, total: items.length });
    })
    .on(add, async (call) => {
      const { record, key } = await keys.add(call.body, call.principal, call.entry());
      return reply(201, { ...show(record), key }, { ...NO_STORE, location: locationOf(record) });
    })
    .on(remove, async (call) => {
      await keys.remove(call.params.id, call.principal, call.entry());
      credentials.revoke(`key:${call.params.id}`);
      return reply(204);
    })
    .on(verify, async ({ body, principal }) => {
      limits.verify.spend(principal.id);
      const verdict = await keys.check(body.key);
      if (!verdict.valid) return reply(200, verdict, NO_STORE);
      const { id, name, role, permissions, expiresAt } = show(verdict.record);
      return reply(200, { valid: true, id, name, role, permissions, expiresAt }, NO_STORE);
    });
}

function locationOf(record: KeyRecord): string {
  return `/api/settings/api-keys/${record.id}`;
}

function shown(record: KeyRecord, permissions: readonly Permission[]): z.input<typeof ApiKey> {
  return {
    id: record.id,
    name: record.name,
    prefix: `berth_${record.id}`,
    role: record.role,
    permissions,
    createdAt: time(record.createdAt),
    createdBy: record.createdBy,
    expiresAt: record.expiresAt === null ? null : time(record.expiresAt),
    lastUsedAt: record.lastUsedAt === null ? null : time(record.lastUsedAt),
  };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
