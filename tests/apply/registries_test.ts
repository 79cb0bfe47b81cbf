/** Registries that people store: tried first, sealed, and used for the pulls of their host and path alone. */

import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { HAS_REGISTRY, startReachableRegistry } from "../support/reachable_registry.ts";
import { ACCOUNT } from "../support/registry.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { serveEngines, startService, type TestService } from "../support/service.ts";

const test = (name: string, work: () => Promise<void>) =>
  Deno.test({ name, fn: work, ignore: !HAS_REGISTRY });

async function add(berth: TestService, body: unknown) {
  const answer = await berth.call("POST /api/registries", body);
  return [answer.status, answer.body.code] as const;
}

async function stored(berth: TestService) {
  return (await berth.call("GET /api/registries")).body.items;
}

test("POST /api/registries stores credentials that the registry accepts, and answers none of them", async () => {
  await using registry = await startReachableRegistry({ account: "password" });
  await using berth = await startService();
  const { host } = registry;
  const plainHttp = true;

  assert.deepEqual(await add(berth, { host, plainHttp, auth: { ...ACCOUNT, password: "wrong-password" } }), [
    422,
    "registry_refused",
  ]);
  assert.deepEqual(await add(berth, { host, plainHttp, auth: { identityToken: "some-token" } }), [
    422,
    "registry_refused",
  ]);
  assert.deepEqual(await add(berth, { host, auth: ACCOUNT }), [502, "registry_unavailable"], "by TLS");
  assert.deepEqual(await stored(berth), []);

  assert.deepEqual(await add(berth, { host, plainHttp, auth: ACCOUNT }), [201, undefined]);

  const [{ id, createdAt: _, ...shown }] = await stored(berth);
  assert.deepEqual(shown, {
    host,
    path: "",
    login: "password",
    username: ACCOUNT.username,
    tokenService: null,
    plainHttp,
    hasCa: false,
    createdBy: shown.createdBy,
  });
  await berth.settled();
  const audit = (await berth.call("GET /api/system/audit?limit=50")).text;
  assert.match(audit, new RegExp(`"registry":"${host}"`));
  for (
    const text of [audit, JSON.stringify(await stored(berth)), (await berth.call("GET /api/system/log")).text]
  ) {
    for (const secret of [ACCOUNT.password, "wrong-password", "some-token", btoa(ACCOUNT.password)]) {
      assert.ok(!text.includes(secret));
    }
  }
  const kept = await berth.berth.store.registries.list();
  assert.ok(!new TextDecoder().decode(kept[0]!.sealed!).includes(ACCOUNT.password));

  assert.equal((await berth.call(`DELETE /api/registries/${id}`)).status, 204);
  assert.equal((await berth.call(`DELETE /api/registries/${id}`)).body.code, "registry_not_found");
  assert.deepEqual(await stored(berth), []);
});

test("POST /api/registries sends credentials to another token service only once it was named", async () => {
  await using registry = await startReachableRegistry({ account: "tokens" });
  await using berth = await startService();
  const { host, tokenService } = registry;
  const asked = { host, plainHttp: true, auth: ACCOUNT };

  const unconfirmed = await berth.call("POST /api/registries", asked);
  const other = await berth.call("POST /api/registries", { ...asked, tokenService: "127.0.0.1:1" });

  for (const { status, body } of [unconfirmed, other]) {
    assert.deepEqual([status, body.code], [409, "token_service_unconfirmed"]);
    assert.deepEqual(body.errors, [{ path: "body.tokenService", message: tokenService }]);
  }
  assert.deepEqual(registry.tokensAsked, []);

  const auth = { ...ACCOUNT, password: "wrong" };
  assert.deepEqual(await add(berth, { ...asked, auth, tokenService }), [422, "registry_refused"]);
  assert.deepEqual(await add(berth, { ...asked, tokenService }), [201, undefined]);
  const token = { identityToken: ACCOUNT.password };
  assert.deepEqual(await add(berth, { ...asked, auth: token, path: "team", tokenService }), [201, undefined]);
  assert.deepEqual(
    (await stored(berth)).map(({ path, login }: { path: string; login: string }) => [path, login]),
    [
      ["", "password"],
      ["team", "identityToken"],
    ],
  );
});

test("POST /api/registries trusts certificates that come with it, and no plain or forbidden address", async () => {
  await using registry = await startReachableRegistry({ tls: true });
  await using berth = await startService();
  const { host, ca } = registry;

  const untrusted = await berth.call("POST /api/registries", { host });
  assert.deepEqual([untrusted.status, untrusted.body.code], [502, "registry_unavailable"]);
  assert.match(untrusted.body.title, /store it with its certificates, or as a registry without TLS$/);
  assert.deepEqual(await add(berth, { host, ca, auth: ACCOUNT }), [422, "registry_refused"], "it is open");
  assert.deepEqual(await add(berth, { host, ca }), [201, undefined]);
  assert.equal((await stored(berth))[0].hasCa, true);

  const forbidden = "169.254.169.254";
  assert.deepEqual(await add(berth, { host: forbidden, plainHttp: true }), [422, "registry_refused"]);
  const ecr = await berth.call("POST /api/registries", {
    host: "123456789012.dkr.ecr.eu-central-1.amazonaws.com",
    auth: { username: "AWS", password: "short-lived" },
  });
  assert.deepEqual([ecr.status, ecr.body.code], [422, "registry_refused"]);
  assert.match(ecr.body.title, /12 hours.*dockerConfig/);
  for (const host of ["http://x", "a/b", "x:y", "-x", "", "user@host"]) {
    assert.deepEqual(await add(berth, { host }), [400, "invalid_request"], host);
  }
});

test("POST /api/registries gives no credentials to a redirect, and follows none to a forbidden address", async () => {
  const seen: (string | null)[] = [];
  await using other = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ headers }) => {
    seen.push(headers.get("authorization"));
    return new Response("{}");
  });
  let to = "";
  await using registry = await startReachableRegistry({
    account: "password",
    script: (request, ask) =>
      request.headers.has("authorization")
        ? new Response(null, { status: 307, headers: { location: to } })
        : ask(),
  });
  await using berth = await startService();
  const asked = { host: registry.host, plainHttp: true, auth: ACCOUNT };

  to = `http://127.0.0.1:${other.addr.port}/v2/`;
  await add(berth, asked);
  to = "http://169.254.169.254/latest/meta-data";
  const forbidden = await berth.call("POST /api/registries", asked);

  assert.deepEqual(seen, [null]);
  assert.deepEqual([forbidden.status, forbidden.body.code], [422, "registry_refused"]);
  assert.match(forbidden.body.title, /169\.254\.169\.254/);
});

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("POST /api/images/pull gives no credentials to an engine once their registry names another token service", async (engine) => {
    let realm: string | null = null;
    await using registry = await startReachableRegistry({
      account: "tokens",
      script: async (_, ask) => {
        const { body, status, headers } = await ask();
        if (realm !== null) headers.set("www-authenticate", `Bearer realm="${realm}",service="berth"`);
        return new Response(body, { status, headers });
      },
    }, engine);
    const { host, tokenService } = registry;
    await using berth = await serveEngines({ one: engine });
    assert.deepEqual(await add(berth, { host, plainHttp: true, auth: ACCOUNT, tokenService }), [
      201,
      undefined,
    ]);
    const pull = async () =>
      (await berth.call("POST /api/images/pull", { reference: `${host}/none:1` })).body;
    const before = registry.tokensAsked.length;
    assert.notEqual((await pull()).code, "pull_refused");
    assert.ok(registry.tokensAsked.length > before, "the engine signed in");

    realm = "http://127.0.0.1:9/token";
    const refused = await pull();

    assert.equal(refused.code, "pull_refused");
    assert.match(refused.title, /it names the token service "127\.0\.0\.1:9" now/);
  });

  test(`POST /api/images/pull uses stored credentials for their host and path alone`, async (engine) => {
    await using registry = await startReachableRegistry({ account: "password" }, engine);
    const { host } = registry;
    const config = `${engine.socket.slice(0, engine.socket.lastIndexOf("/"))}/config.json`;
    const auths = { [host]: { auth: btoa(`${ACCOUNT.username}:${ACCOUNT.password}`) } };
    await Deno.writeTextFile(config, JSON.stringify({ auths }));
    for (const name of ["team/app:1", "teams/app:1"]) {
      await engine.cli("tag", FIXTURE, `${host}/${name}`);
      await engine.cli("push", `${host}/${name}`);
      await engine.cli("rmi", `${host}/${name}`);
    }
    await Deno.remove(config);
    await using berth = await serveEngines({ one: engine });
    const pull = async (name: string) =>
      (await berth.call("POST /api/images/pull", { reference: `${host}/${name}` })).body.code ?? "pulled";

    assert.equal(await pull("team/app:1"), "pull_refused");
    assert.deepEqual(await add(berth, { host, path: "team", plainHttp: true, auth: ACCOUNT }), [
      201,
      undefined,
    ]);

    assert.equal(await pull("team/app:1"), "pulled");
    assert.equal(await pull("teams/app:1"), "pull_refused");
    const [{ id }] = await stored(berth);
    await engine.cli("rmi", `${host}/team/app:1`);
    await berth.call(`DELETE /api/registries/${id}`);
    assert.equal(await pull("team/app:1"), "pull_refused");
  });
}
