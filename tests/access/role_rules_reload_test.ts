/** Role rules that change while berth runs count at once, for whom is signed in already too. */
import assert from "node:assert/strict";
import type { RoleRule } from "../../core/sign_in.ts";
import { ENTRY } from "./audit_entry.ts";
import { makeKey, PROGRAM, startAccess } from "../support/access_service.ts";
import { permissionsOf } from "../support/catalogue.ts";
import { startBerthProcess } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";

const ADA = {
  issuer: "https://issuer.example",
  subject: "ada",
  name: "Ada",
  email: null,
  picture: null,
  claims: { groups: ["ops"] },
  authenticatedAt: null,
};

Deno.test("Access.setRoles lowers and ends open sessions at once", async () => {
  await using berth = await startAccess({ roles: [{ claim: "groups", value: "ops", role: "admin" }] });
  const { accessToken: token } = await berth.access.sessions.open(
    { ...ADA, authenticatedAt: Date.now() },
    PROGRAM,
    ENTRY,
  );
  const me = async () => {
    const { status, body } = await berth.call("GET /api/auth/me", { token });
    return [status, body.role];
  };
  // They stand in the settings of each process, which all are told.
  const setRoles = (rules: readonly RoleRule[]) =>
    Promise.all(berth.accesses.map((access) => access.setRoles(rules)));
  assert.deepEqual(await me(), [200, "admin"]);
  const { key } = await makeKey(berth, await berth.setUp(), { role: "admin" });
  const made = await makeKey(berth, token, { role: "admin" });
  const ofKey = async (one: string) => {
    const { status, body } = await berth.call("GET /api/auth/me", { token: one });
    return [status, body.permissions?.length ?? 0];
  };
  const [all, some] = [permissionsOf("admin").length, permissionsOf("viewer").length];
  assert.deepEqual(await ofKey(made.key), [200, all]);
  await setRoles([{ claim: "groups", value: "ops", role: "viewer" }]);
  assert.deepEqual(await me(), [200, "viewer"]);
  assert.deepEqual(await ofKey(made.key), [200, some], "their keys as well");
  assert.deepEqual(await ofKey(key), [200, all], "and no other one");
  await setRoles([{ claim: "groups", value: "ops", role: "operator", on: ["project:shop"] }]);
  assert.deepEqual(await me(), [200, null]);
  await setRoles([]);
  assert.equal((await me())[0], 401);
  assert.equal((await ofKey(made.key))[0], 401);
});

Deno.test("SIGHUP reads the role rules of config.yaml again, and a mistake leaves those that count", async () => {
  await using berth = await startBerthProcess();
  const config = `${berth.data}/config.yaml`;
  const told = (text: RegExp) =>
    eventually(
      `the log says ${text}`,
      async () => text.test(await Deno.readTextFile(`${berth.data}/berth.log`)),
    );
  await Deno.writeTextFile(
    config,
    "roles: [{ claim: groups, value: ops, role: viewer, on: ['engine:nas'] }]\n",
  );
  berth.child.kill("SIGHUP");
  await told(/The role rules were read again.*"rules":1/);
  await Deno.writeTextFile(
    config,
    "roles: [{ claim: groups, value: ops, role: viewer, on: ['planet:earth'] }]\n",
  );
  berth.child.kill("SIGHUP");
  await told(/the role rules stay as they were/);
  assert.equal(berth.hasEnded, false);
});
