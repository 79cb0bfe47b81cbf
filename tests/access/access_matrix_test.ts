/**
 * Every route and socket against every kind of caller: exactly those come in whom the table lets in. In `deno task proof`
 * that is every cell; on a commit keys of one permission are asked where they are let in, and at a share of all others.
 */
import assert from "node:assert/strict";
import type { Permission, Role } from "../../core/access.ts";
import { CATALOGUE, permissionsOf } from "../support/catalogue.ts";
import { MovableClock, PROGRAM } from "../support/access_service.ts";
import { startService, type TestService } from "../support/service.ts";
import { ENTRY } from "./audit_entry.ts";

/** `BERTH_PROOF=1`: keys of a single permission everywhere, too. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";
/** The routes closed to such a key are split into so many parts; a commit tries one part at each key. */
const PARTS = 8;

/** Routes without a credential, one by one (API.md, "Conventions"); everything else is closed. */
/** A hook is let in by the signature of its call alone. */
const HOOK = "POST /api/hooks/{id}";

const OPEN = new Set([
  "GET /api/health",
  "GET /api/health/live",
  "GET /api/health/ready",
  "GET /api/auth/status",
  "POST /api/auth/idp",
  "POST /api/auth/refresh",
  "POST /api/auth/password",
  "POST /api/auth/password-link",
  "POST /api/auth/key",
  "GET /api/settings/setup-required",
  "POST /api/settings/setup",
  "GET /api/openapi.json",
  "GET /api/asyncapi.json",
  HOOK,
]);

/** The page that shows the API document holds nothing but that document. */
const isDocsPage = (name: string) => /^GET \/api\/docs(\/|$)/.test(name);

/** The permissions of routes where a slip would be an escalation. Checked where they are served. */
const TABLE: Readonly<Record<string, Permission | "any">> = {
  "GET /api/auth/me": "any",
  "POST /api/auth/logout": "any",
  "GET /api/settings/api-keys": "keys:manage",
  "POST /api/settings/api-keys": "keys:manage",
  "DELETE /api/settings/api-keys/{id}": "keys:manage",
  "POST /api/settings/api-keys/verify": "keys:manage",
  "POST /api/settings/api-keys/{id}/rotate": "keys:manage",
  "POST /api/settings/api-keys/{id}/take-over": "keys:manage",
  "GET /api/settings/people": "people:manage",
  "POST /api/settings/people": "people:manage",
  "PUT /api/settings/people/{id}": "people:manage",
  "DELETE /api/settings/people/{id}": "people:manage",
  "POST /api/settings/people/{id}/password-link": "people:manage",
  "GET /api/auth/sessions": "any",
  "DELETE /api/auth/sessions": "any",
  "DELETE /api/auth/sessions/{id}": "any",
  "POST /api/auth/proof": "any",
  "PUT /api/auth/password": "any",
  "GET /api/system/audit": "audit:read",
  "GET /api/system/log-path": "system:logs",
  "GET /api/system/logs": "system:logs",
  "GET /api/system/info": "system:read",
  "POST /api/system/prune": "system:prune",
  "POST /api/workspaces": "workspaces:write",
  "DELETE /api/workspaces/{id}": "workspaces:write",
  "PUT /api/workspaces/{id}": "workspaces:manage",
  "GET /api/containers": "containers:read",
  "GET /api/containers/{id}": "containers:read",
  "GET /api/containers/{id}/logs": "containers:logs",
  "GET /api/containers/{id}/exec": "containers:exec",
  "POST /api/containers/{id}/start": "containers:control",
  "POST /api/containers/{id}/stop": "containers:control",
  "POST /api/containers/{id}/restart": "containers:control",
  "DELETE /api/containers/{id}": "containers:remove",
  "GET /api/containers/{id}/stats": "containers:read",
  "GET /api/terminal/compose-logs": "events:read",
  "GET /api/live": "any",
  "GET /api/overview": "artifacts:read",
  "GET /api/updates": "artifacts:read",
  "PUT /api/updates": "registries:manage",
  "POST /api/updates/check": "registries:manage",
  "GET /api/notices": "notices:manage",
  "POST /api/notices": "notices:manage",
  "DELETE /api/notices/{id}": "notices:manage",
  "GET /api/mutes": "incidents:mute",
  "POST /api/mutes": "incidents:mute",
  "DELETE /api/mutes/{id}": "incidents:mute",
  "GET /api/endings": "containers:read",
  "GET /api/registries": "registries:manage",
  "POST /api/registries": "registries:manage",
  "DELETE /api/registries/{id}": "registries:manage",
  "GET /api/projects": "artifacts:read",
  "GET /api/projects/{id}": "artifacts:read",
  "GET /api/places": "workspaces:write",
  "GET /api/projects/{id}/history": "artifacts:read",
  "PUT /api/projects/{id}/ignored": "workspaces:write",
  "GET /api/logs": "containers:logs",
  "GET /api/workspaces": "workspaces:read",
  "GET /api/workspaces/{id}": "workspaces:read",
  "GET /api/workspaces/{id}/artifacts": "artifacts:read",
  "GET /api/workspaces/{id}/files": "artifacts:read",
  "GET /api/workspaces/{id}/files/{path}": "artifacts:read",
  "PUT /api/workspaces/{id}/files/{path}": "workspaces:files",
  "GET /api/workspaces/{id}/versions": "workspaces:files",
  "GET /api/workspaces/{id}/versions/{version}": "workspaces:files",
  "POST /api/workspaces/{id}/versions/{version}/restore": "workspaces:files",
  "POST /api/workspaces/{id}/artifacts/validate": "artifacts:read",
  "GET /api/workspaces/{id}/artifacts/dag": "artifacts:read",
  "GET /api/images": "images:read",
  "GET /api/images/{id}": "images:read",
  "DELETE /api/images/{id}": "images:write",
  "GET /api/volumes": "volumes:read",
  "GET /api/volumes/{name}": "volumes:read",
  "DELETE /api/volumes/{name}": "volumes:write",
  "GET /api/networks": "networks:read",
  "GET /api/networks/{name}": "networks:read",
  "DELETE /api/networks/{name}": "networks:write",
  "POST /api/networks/{name}/connect": "networks:write",
  "POST /api/networks/{name}/disconnect": "networks:write",
  "GET /api/system/backends": "system:read",
  "GET /api/system/disk-usage": "system:read",
  "GET /api/system/plugins": "system:read",
  "GET /api/system/tool-projects": "system:read",
  "POST /api/images/pull": "images:write",
  "POST /api/volumes": "volumes:write",
  "POST /api/networks": "networks:write",
};

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly permission: string;
  /** The subject of the permission. */
  readonly subject: string | undefined;
}

/** The served API document is made from the very entries that are mounted: what it lists is what there is. */
async function operations(berth: TestService): Promise<Operation[]> {
  const { body } = await berth.call("GET /api/openapi.json");
  const found: Operation[] = [];
  for (const [path, methods] of Object.entries<Record<string, Record<string, string>>>(body.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const verb = method.toUpperCase();
      found.push({
        name: `${verb} ${path}`,
        method: verb,
        path,
        permission: operation["x-permission"] ?? "undeclared",
        subject: operation["x-subject"],
      });
    }
  }
  return found;
}

Deno.test("Every route and socket declares a permission, and only the listed ones are open (F37, R17)", async () => {
  await using berth = await startService();
  const all = await operations(berth);
  assert.ok(all.length >= 20, `${all.length} operations`);
  const known = new Set<string>([...CATALOGUE.names, "open", "any"]);
  for (const { name, permission, subject } of all) {
    const isAsked = permission !== "open" && permission !== "any";
    assert.equal(["everything", "listed", "found"].includes(subject ?? ""), isAsked, `${name}: ${subject}`);
    assert.ok(known.has(permission), `${name} declares ${permission}`);
    if (permission === "open") assert.ok(OPEN.has(name) || isDocsPage(name), `${name} is open`);
    if (OPEN.has(name)) assert.equal(permission, "open", name);
    const expected = TABLE[name];
    if (expected !== undefined) assert.equal(permission, expected, name);
  }
  for (const name of OPEN) assert.ok(all.some((one) => one.name === name), `${name} is missing`);
});

interface Caller {
  readonly name: string;
  /** Null where the credential is none, or not good. */
  readonly permissions: readonly Permission[] | null;
  /** Permissions that count on scopes alone, which nothing here is in. */
  readonly onScopes?: readonly Permission[];
  /** True if it holds one permission alone: there are dozens of them, and what keeps one out keeps all out. */
  readonly isNarrow?: boolean;
  /** A credential for one call: signing out must not spoil the next cell. */
  readonly credential: () => Promise<string | null>;
}

async function callers(berth: TestService, clock: MovableClock): Promise<Caller[]> {
  const { access } = berth.berth;
  const key = async (rights: Role | readonly Permission[]) => (await berth.key(rights)).credential;
  const session = (group: string) =>
    access.sessions.open(
      {
        issuer: "https://issuer.example",
        subject: group,
        name: group,
        email: null,
        picture: null,
        claims: { groups: [group] },
        authenticatedAt: clock.now(),
      },
      PROGRAM,
      ENTRY,
    );

  const made = await berth.call("POST /api/settings/api-keys", {
    name: "short",
    role: "admin",
    expiresInDays: 1,
  });
  const outdated = await session("admin");
  clock.move(2 * 86_400_000);
  const revoked = await berth.call("POST /api/settings/api-keys", { name: "gone", role: "admin" });
  await berth.call(`DELETE /api/settings/api-keys/${revoked.body.id}`);
  const ended = await session("admin");
  await access.sessions.end(ended.session, ENTRY);
  const { refreshToken } = await session("admin");

  const far = await berth.call("POST /api/settings/api-keys", {
    name: "far",
    role: "admin",
    from: ["192.0.2.1"],
  });
  const rotated = await berth.call("POST /api/settings/api-keys", { name: "rotated", role: "admin" });
  await berth.call(`POST /api/settings/api-keys/${rotated.body.id}/rotate`, {});
  const eve = await person(berth, "eve", { role: "admin" });
  const evesKey = await berth.as(eve.accessToken).call("POST /api/settings/api-keys", {
    name: "eve's",
    role: "admin",
  });
  await berth.call(`PUT /api/settings/people/${eve.id}`, { disabled: true });

  const bad: Record<string, string | null> = {
    "a key from another address than it may": far.body.key,
    "a secret that was rotated away": rotated.body.key,
    "a token of a disabled person": eve.accessToken,
    "a key of a disabled person": evesKey.body.key,
    "nobody": null,
    "rubbish": "rubbish",
    "a key that never was": `berth_${"0".repeat(16)}_${"A".repeat(43)}`,
    "an expired key": made.body.key,
    "a deleted key": revoked.body.key,
    "an expired token": outdated.accessToken,
    "a token of an ended session": ended.accessToken,
    "a refresh token": refreshToken,
  };
  const good: [string, readonly Permission[], () => Promise<string | null>][] = [];
  for (const role of ["viewer", "operator", "admin"] as const) {
    const permissions = permissionsOf(role);
    const ofRole = await key(role);
    good.push([`a key as ${role}`, permissions, () => Promise.resolve(ofRole)]);
    good.push([`a user as ${role}`, permissions, async () => (await session(role)).accessToken]);
  }
  for (const permission of CATALOGUE.names) {
    const alone = await key([permission]);
    good.push([`a key with ${permission} alone`, [permission], () => Promise.resolve(alone)]);
  }
  const on = ["engine:none", "workspace:none", "project:none", "label:none=none"];
  const scoped: Caller[] = [];
  const onScopes = async (name: string, rights: Record<string, unknown>, held: readonly Permission[]) => {
    const made = await berth.call("POST /api/settings/api-keys", { name, grants: [{ ...rights, on }] });
    const credential = () => Promise.resolve(made.body.key);
    const isNarrow = held.length === 1;
    scoped.push({
      name: `a key with ${name} on scopes`,
      permissions: [],
      onScopes: held,
      isNarrow,
      credential,
    });
  };
  await onScopes("everything", { permissions: CATALOGUE.names }, CATALOGUE.names);
  for (const role of ["viewer", "operator", "admin"] as const) {
    await onScopes(role, { role }, permissionsOf(role).filter((one) => !BY_NAME.includes(one)));
  }
  for (const permission of CATALOGUE.names) {
    await onScopes(permission, { permissions: [permission] }, [permission]);
  }
  await person(berth, "bob", { role: "operator" });
  const byPassword = { name: "bob", password: PASSWORD };
  good.push(["a person with a password", permissionsOf("operator"), async () => {
    return (await berth.anonymous().call("POST /api/auth/password", byPassword)).body.accessToken;
  }]);
  const forSession = await key("viewer");
  good.push(["a session of a viewer's key", permissionsOf("viewer"), async () => {
    return (await berth.anonymous().call("POST /api/auth/key", { key: forSession })).body.accessToken;
  }]);
  return [
    ...Object.entries(bad).map(([name, credential]) => ({
      name,
      permissions: null,
      credential: () => Promise.resolve(credential),
    })),
    ...good.map(([name, permissions, credential]) => ({
      name,
      permissions,
      isNarrow: permissions.length === 1,
      credential,
    })),
    ...scoped,
  ];
}

/** Permissions that no role on a scope includes. */
const BY_NAME = ["containers:exec", "containers:reveal", "artifacts:reveal"];

const PASSWORD = "a long enough secret";

/** Somebody with a password, signed in. */
async function person(
  berth: TestService,
  name: string,
  held: Record<string, unknown>,
): Promise<{ readonly id: string; readonly accessToken: string }> {
  const made = await berth.call("POST /api/settings/people", { name, ...held });
  const token = made.body.passwordToken;
  const linked = await berth.anonymous().call("POST /api/auth/password-link", { token, password: PASSWORD });
  return { id: made.body.id, accessToken: linked.body.accessToken };
}

/** Returns the answer of the table: null for "let in", else the code of the refusal. */
function expected(
  { name, permission, subject }: Operation,
  { permissions, onScopes = [] }: Caller,
): string | null {
  if (name === HOOK) return "hook_refused";
  if (permission === "open") return null;
  if (permissions === null) return "unauthenticated";
  if (permission === "any") return null;
  if (permissions.some((one) => one === permission)) return null;
  return subject !== "everything" && onScopes.some((one) => one === permission) ? null : "forbidden";
}

Deno.test("The matrix of all routes and all callers holds, cell by cell (F37, R19)", async () => {
  const clock = new MovableClock();
  const roles = permissionsPerRole();
  await using berth = await startService({ clock, roles });
  const all = await operations(berth);
  const everybody = await callers(berth, clock);
  const keysBefore = (await berth.berth.store.keys.list()).length;
  const wrong: string[] = [];
  let cells = 0;
  let allows = 0;
  for (const [row, operation] of all.entries()) {
    // Nothing is there by this name and no body is sent, so whoever is let in changes nothing.
    const path = operation.path.replace(/\{\w+(\.\.\.)?\}/g, "none");
    for (const [column, caller] of everybody.entries()) {
      const due = expected(operation, caller);
      if (!isProof && caller.isNarrow && due === "forbidden" && (row + column) % PARTS !== 0) continue;
      const credential = await caller.credential();
      const response = await fetch(berth.url + path, {
        method: operation.method,
        headers: credential === null ? {} : { authorization: `Bearer ${credential}` },
        redirect: "manual",
      });
      const isProblem = response.headers.get("content-type")?.includes("problem+json") === true;
      const code = isProblem ? (await response.json()).code : null;
      if (!isProblem) await response.body?.cancel();
      const refusal = response.status === 401 || code === "forbidden"
        ? code ?? String(response.status)
        : null;
      cells++;
      if (refusal === null) allows++;
      const bad = refusal !== due || (due === "unauthenticated" && response.status !== 401) ||
        (due === "forbidden" && response.status !== 403) || response.status === 500;
      if (bad) {
        wrong.push(`${operation.name} as ${caller.name}: ${response.status} ${code}, due ${due ?? "let in"}`);
      }
    }
  }
  console.log(
    `${all.length} routes and sockets × ${everybody.length} callers = ${cells} cells, ${allows} let in, ${wrong.length} wrong`,
  );
  assert.deepEqual(wrong, []);
  assert.equal((await berth.berth.store.keys.list()).length, keysBefore);
});

function permissionsPerRole() {
  return (["viewer", "operator", "admin"] as const).map((role) => ({ claim: "groups", value: role, role }));
}
