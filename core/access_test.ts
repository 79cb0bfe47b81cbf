/** Grants: what is held where, what reaches what, and that nobody passes on more than they hold. */
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { CATALOGUE } from "../tests/support/catalogue.ts";
import {
  EVERYTHING,
  excessOf,
  Grant,
  may as mayOf,
  type Permission,
  roleEverywhere,
  ROLES,
  Scope,
  type Subject,
  within,
} from "./access.ts";

const may = mayOf<Permission>;

function holder(...grants: Grant[]) {
  return CATALOGUE.rightsOf(grants);
}

const NAMES = ["shop", "nas", "a"];
const name = fc.constantFrom(...NAMES);
const scope: fc.Arbitrary<Scope> = fc.oneof(
  fc.tuple(fc.constantFrom("engine", "workspace", "project"), name).map(([kind, one]) => `${kind}:${one}`),
  fc.tuple(name, name).map(([key, value]): Scope => `label:${key}=${value}`),
);
const permission = fc.constantFrom<Permission>(...CATALOGUE.names);
const on = fc.option(fc.array(scope, { minLength: 1, maxLength: 3 }), { nil: undefined });
const grant: fc.Arbitrary<Grant> = fc.oneof(
  fc.record({ role: fc.constantFrom(...ROLES), on }),
  fc.record({ permissions: fc.array(permission, { minLength: 1, maxLength: 4 }), on }),
);
const grants = fc.array(grant, { maxLength: 4 });
const subject: fc.Arbitrary<Subject> = fc.record({
  engine: fc.option(name),
  workspace: fc.option(name),
  project: fc.option(name),
  labels: fc.dictionary(name, name, { maxKeys: 2 }),
}, { requiredKeys: [] });

Deno.test("may lets a scoped grant reach its own scope and nothing else", () => {
  const web = holder({
    role: "operator",
    on: ["project:shop", "label:team=web", "engine:nas", "workspace:home"],
  });
  for (
    const inside of [
      { project: "shop" },
      { engine: "nas" },
      { workspace: "home" },
      { labels: { team: "web", tier: "front" } },
      { engine: "other", project: "shop" },
    ]
  ) assert.equal(may(web, "containers:control", inside), true, JSON.stringify(inside));
  for (
    const outside of [
      {},
      { project: "shop2" },
      { project: "nas" },
      { engine: "shop" },
      { workspace: null },
      { labels: { team: "webs" } },
      { labels: { Team: "web" } },
      { labels: {} },
    ]
  ) assert.equal(may(web, "containers:control", outside), false, JSON.stringify(outside));
  assert.equal(may(web, "containers:control", EVERYTHING), false);
  assert.equal(may(web, "containers:remove", { project: "shop" }), false);
  assert.equal(
    may(holder({ role: "viewer", on: ["label:constructor=x"] }), "system:read", { labels: {} }),
    false,
  );
});

Deno.test("within leaves nothing that either of the two may not, and all of what is no more than the limit", () => {
  fc.assert(fc.property(grants, grants, permission, subject, (list, most, one, about) => {
    const [own, limit] = [holder(...list), holder(...most)];
    const left = within(own, limit);
    for (const what of [about, EVERYTHING] as const) {
      if (may(left, one, what)) assert.ok(may(own, one, what) && may(limit, one, what));
    }
    if (excessOf(own, limit) === null) assert.equal(left, own);
    assert.equal(excessOf(left, limit), null);
  }));
  const of = (list: readonly Grant[], limit: readonly Grant[]) =>
    within(holder(...list), holder(...limit)).grants.map(({ permissions, on }) => [permissions.length, on]);
  const viewer = CATALOGUE.of("viewer").length;
  assert.deepEqual(of([{ role: "admin" }], [{ role: "viewer" }]), [[viewer, undefined]]);
  assert.deepEqual(of([{ role: "viewer" }], [{ role: "admin", on: ["project:shop"] }]), [[viewer, [
    "project:shop",
  ]]]);
  const two: Grant[] = [{ role: "viewer", on: ["project:shop", "project:blog"] }];
  assert.deepEqual(of(two, [{ role: "admin", on: ["project:blog", "engine:nas"] }]), [[viewer, [
    "project:blog",
  ]]]);
  assert.deepEqual(
    of([{ role: "viewer", on: ["project:shop"] }], [{ role: "admin", on: ["engine:nas"] }]),
    [],
  );
});

Deno.test("A permission that is held everywhere holds on every subject", () => {
  fc.assert(fc.property(grants, permission, subject, (list, one, about) => {
    const who = holder(...list);
    if (may(who, one, EVERYTHING)) assert.ok(may(who, one, about));
    assert.equal(may(who, one, EVERYTHING), who.permissions.includes(one));
    if (list.length === 0) assert.equal(may(who, one, about), false);
  }));
});

Deno.test("may lets a principal with only scoped grants do nothing where no subject is known", () => {
  const scoped = grant.map((one): Grant => ({ ...one, on: one.on ?? ["engine:nas"] }));
  fc.assert(fc.property(fc.array(scoped), permission, (list, one) => {
    assert.equal(may(holder(...list), one, EVERYTHING), false);
    assert.equal(may(holder(...list), one, {}), false);
  }));
});

Deno.test("PermissionCatalogue.rightsOf never includes exec or reveal by a role on a scope, only by name", () => {
  const [byRole] = holder({ role: "admin", on: ["project:shop"] }).grants;
  assert.deepEqual(
    CATALOGUE.of("admin").filter((one) => byRole?.permissions.includes(one) === false),
    ["artifacts:reveal", "containers:exec", "containers:reveal"],
  );
  const byName = holder({ permissions: ["containers:exec"], on: ["project:shop"] });
  assert.ok(may(byName, "containers:exec", { project: "shop" }));
});

Deno.test("excessOf lets nobody pass on what they do not hold themselves, on any subject", () => {
  fc.assert(
    fc.property(grants, grants, permission, subject, (asked, held, one, about) => {
      const maker = holder(...held);
      const made = holder(...asked);
      if (excessOf(made, maker) !== null) return;
      if (may(made, one, about)) assert.ok(may(maker, one, about));
      if (may(made, one, EVERYTHING)) assert.ok(may(maker, one, EVERYTHING));
    }),
    { numRuns: 2_000 },
  );
  assert.equal(excessOf(holder({ role: "viewer", on: ["project:shop"] }), holder({ role: "viewer" })), null);
  assert.deepEqual(
    excessOf(
      holder({ permissions: ["images:read"], on: ["project:b"] }),
      holder({ role: "viewer", on: ["project:a"] }),
    ),
    { permissions: ["images:read"], on: "project:b" },
  );
  assert.equal(excessOf(holder({ role: "viewer" }), holder({ role: "admin", on: ["engine:nas"] }))?.on, null);
});

Deno.test("excessOf lets everybody pass on what they hold", () => {
  fc.assert(fc.property(grants, (held) => assert.equal(excessOf(holder(...held), holder(...held)), null)));
});

Deno.test("roleEverywhere is the greatest role without a scope", () => {
  assert.equal(
    roleEverywhere([{ role: "viewer" }, { role: "operator" }, { role: "admin", on: ["engine:a"] }]),
    "operator",
  );
  assert.equal(roleEverywhere([{ permissions: ["system:read"] }]), null);
});

Deno.test("Grant refuses a scope of an unknown kind and names what there is", () => {
  fc.assert(fc.property(scope, (one) => assert.ok(Scope.safeParse(one).success)));
  for (
    const bad of [
      "planet:earth",
      "engine:",
      "engine:a b",
      "label:team",
      "label:=x",
      "shop",
      "",
      "project:../x",
      7,
      null,
    ]
  ) {
    const parsed = Grant.safeParse({ role: "viewer", on: [bad] });
    assert.equal(parsed.success, false, String(bad));
    assert.match(
      JSON.stringify(parsed.error?.issues),
      /engine:<name>.*workspace:<id>.*project:<name>.*label:<key>=<value>/,
    );
  }
  for (
    const bad of [{}, { role: "viewer", permissions: ["system:read"] }, { role: "god" }, {
      role: "viewer",
      on: [],
    }]
  ) {
    assert.equal(Grant.safeParse(bad).success, false, JSON.stringify(bad));
  }
});
