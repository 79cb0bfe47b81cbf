/**
 * Every example of a request body in the API document, posted as it stands to a real berth, has the documented success. Only
 * what each installation makes for itself is put in its place: tokens, keys, digests, ids of plans, a registry, the folder.
 */
import assert from "node:assert/strict";
import { GitServer } from "../support/git_server.ts";
import { ApplyScene, project, service } from "../apply/apply_scene.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { CLIENT_ID, signInAt, startProvider } from "../support/oidc_provider.ts";
import { lookedAt, lookFor } from "../apply/update_scene.ts";
import { pushImage } from "../support/push_image.ts";
import { workspace } from "../streams/live_scene.ts";
import { startReachableRegistry } from "../support/reachable_registry.ts";
import { ACCOUNT, startRegistry } from "../support/registry.ts";
import { operationsOf, type Schema, servedDocuments } from "../support/served_documents.ts";
import {
  type Answer,
  serveEngines,
  startService,
  type TestCaller,
  type TestService,
} from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";

const { openapi } = await servedDocuments();
type Example = Record<string, unknown>;

/** The examples of each operation with a body, by its name. */
const EXAMPLES = new Map(
  operationsOf(openapi).flatMap(([name, { requestBody }]) => {
    const schema = requestBody?.content["application/json"]?.schema;
    if (schema === undefined) return []; // none, or bytes
    return [[name, examplesOf(schema)] as const];
  }),
);

function examplesOf({ $ref, examples, anyOf = [] }: Schema): readonly Example[] {
  if ($ref !== undefined) {
    return examplesOf(openapi.components.schemas[$ref.replace("#/components/schemas/", "")]!);
  }
  return (examples ?? anyOf.flatMap(examplesOf)) as readonly Example[];
}

/** Posts one example; `berth` is a new one with nothing in it but its admin. */
type Post = (berth: TestService, example: Example) => Promise<Answer>;

/** Adds Ada, who has set the password of the examples. */
async function ada(berth: TestService): Promise<{ id: string; tokens: Record<string, string> }> {
  const { body: { id, passwordToken: token } } = await berth.call("POST /api/settings/people", {
    name: "ada",
    role: "admin",
  });
  const { body: tokens } = await berth.anonymous().call("POST /api/auth/password-link", {
    token,
    password: "correct horse battery staple",
  });
  return { id, tokens };
}

async function shop(berth: TestService): Promise<string> {
  const path = `${berth.folder}/workspaces/shop`;
  await Deno.mkdir(path);
  await Deno.writeTextFile(`${path}/compose.yaml`, "services: {}\n");
  const { body } = await berth.call("POST /api/workspaces", { path });
  return `/api/workspaces/${body.id}`;
}

const WITHOUT_ENGINE: Readonly<Record<string, Post>> = {
  "post /api/auth/refresh": async (berth) => {
    const { tokens: { refreshToken } } = await ada(berth);
    return await berth.anonymous().call("POST /api/auth/refresh", { refreshToken });
  },
  "post /api/auth/password": async (berth, example) => {
    await ada(berth);
    return await berth.anonymous().call("POST /api/auth/password", example);
  },
  "put /api/auth/password": async (berth, example) => {
    const { tokens } = await ada(berth);
    return await berth.as(tokens["accessToken"]!).call("PUT /api/auth/password", example);
  },
  "post /api/auth/password-link": async (berth, example) => {
    const made = await berth.call("POST /api/settings/people", { name: "ada", role: "viewer" });
    const token = made.body.passwordToken;
    return await berth.anonymous().call("POST /api/auth/password-link", { ...example, token });
  },
  "post /api/auth/key": (berth, example) =>
    berth.anonymous().call("POST /api/auth/key", { ...example, key: berth.admin }),
  "post /api/auth/proof": async (berth, example) => {
    if (!("key" in example)) {
      const { tokens } = await ada(berth);
      return await berth.as(tokens["accessToken"]!).call("POST /api/auth/proof", example);
    }
    const key = berth.admin;
    const { body } = await berth.anonymous().call("POST /api/auth/key", { key });
    return await berth.as(body.accessToken).call("POST /api/auth/proof", { ...example, key });
  },
  "post /api/settings/setup": async (_, example) => {
    await using untouched = await startService({ setup: false });
    const token = untouched.berth.access.setupToken;
    return await untouched.anonymous().call("POST /api/settings/setup", { ...example, token });
  },
  "post /api/settings/api-keys": (berth, example) => berth.call("POST /api/settings/api-keys", example),
  "post /api/settings/api-keys/{id}/rotate": async (berth, example) => {
    const { body } = await berth.call("POST /api/settings/api-keys", { name: "one", role: "viewer" });
    return await berth.call(`POST /api/settings/api-keys/${body.id}/rotate`, example);
  },
  "post /api/settings/api-keys/verify": async (berth, example) => {
    const answer = await berth.call("POST /api/settings/api-keys/verify", { ...example, key: berth.admin });
    assert.equal(answer.body.valid, true);
    return answer;
  },
  "post /api/settings/people": (berth, example) => berth.call("POST /api/settings/people", example),
  "put /api/settings/people/{id}": async (berth, example) =>
    await berth.call(`PUT /api/settings/people/${(await ada(berth)).id}`, example),
  "post /api/workspaces": async (berth, example) => {
    const path = String(example["path"]).replace("/srv/projects", `${berth.folder}/workspaces`);
    await Deno.mkdir(path);
    return await berth.call("POST /api/workspaces", { ...example, path });
  },
  // A repository that does not answer is followed, too: the answer says why it does not.
  "put /api/workspaces/{id}/source": async (berth, example) =>
    await berth.call(`PUT ${await shop(berth)}/source`, example),
  // Of a repository of the test: the example's commit is in none.
  "post /api/workspaces/{id}/source/sync": async (berth, example) => {
    await using server = await GitServer.start();
    const { url, head } = await server.repository("home").then(async (repository) => ({
      url: repository.url,
      head: await repository.push({ "blog/compose.yaml": "services: {}\n" }),
    }));
    const path = await shop(berth);
    await berth.call(`PUT ${path}/source`, { url, branch: "main" });
    return await berth.call(`POST ${path}/source/sync`, { ...example, commit: head });
  },
  "post /api/workspaces/{id}/source/commit": async (berth, example) => {
    await using server = await GitServer.start();
    const repository = await server.repository("home");
    const { url } = repository;
    await repository.push({});
    const path = await shop(berth);
    await berth.call(`PUT ${path}/source`, { url, branch: "main" });
    const blog = `${berth.folder}/workspaces/shop/blog`;
    await Deno.mkdir(blog);
    await Deno.writeTextFile(`${blog}/compose.yaml`, "services: {}\n");
    return await berth.call(`POST ${path}/source/commit`, example);
  },
  "post /api/notices": (berth, example) => berth.call("POST /api/notices", example),
  "post /api/mutes": (berth, example) => berth.call("POST /api/mutes", example),
  "put /api/projects/{id}/updates": async (berth, example) => {
    await shop(berth);
    return await berth.call("PUT /api/projects/shop/updates", example);
  },
  "put /api/updates": (berth, example) => berth.call("PUT /api/updates", example),
  "put /api/workspaces/{id}": async (berth, example) => await berth.call(`PUT ${await shop(berth)}`, example),
  "put /api/workspaces/{id}/files/{path}": async (berth, example) => {
    const at = await shop(berth);
    await berth.call(`PUT ${at}`, { editable: true });
    const { headers } = await berth.call(`GET ${at}/files/compose.yaml`);
    const read = { "if-match": headers.get("etag")! };
    return await berth.call(`PUT ${at}/files/compose.yaml`, example, { headers: read });
  },
  "post /api/workspaces/{id}/artifacts/validate": async (berth, example) => {
    const answer = await berth.call(`POST ${await shop(berth)}/artifacts/validate`, example);
    assert.equal(answer.body.valid, true, answer.text);
    return answer;
  },
};

/** Posts one example to the berth of the engine. */
type PostBeside = (
  beside: { readonly engine: TestEngine; readonly berth: TestService },
  example: Example,
) => Promise<Answer>;

const SHOP = project("shop", [service("web"), service("worker")]);

async function sceneOf({ engine, berth }: Parameters<PostBeside>[0]): Promise<ApplyScene> {
  return await ApplyScene.on(engine, berth, "shop", SHOP);
}

const WITH_ENGINE: Readonly<Record<string, PostBeside>> = {
  "put /api/projects/{id}/ignored": async ({ engine, berth }, example) => {
    const labels = ["project=stray", "service=web"].flatMap((
      one,
    ) => ["--label", `com.docker.compose.${one}`]);
    await engine.cli("create", ...labels, "--network", "none", FIXTURE, "idle");
    await eventually(
      "it is seen",
      async () => (await berth.call("GET /api/projects/stray@engine:docker")).status === 200,
    );
    return await berth.call("PUT /api/projects/stray@engine:docker/ignored", example);
  },
  "post /api/workspaces/{id}/artifacts/groups/{name}/plan": async (beside, example) => {
    const { workspace } = await sceneOf(beside);
    return await beside.berth.call(`POST /api/workspaces/${workspace}/artifacts/groups/shop/plan`, example);
  },
  "post /api/workspaces/{id}/plans": async (beside, example) => {
    const { workspace } = await sceneOf(beside);
    const whole = { ...example, units: undefined }; // a unit of the example is in one group alone
    return await beside.berth.call(`POST /api/workspaces/${workspace}/plans`, whole);
  },
  "post /api/projects/{id}/plan": async (beside, example) => {
    await sceneOf(beside);
    return await beside.berth.call("POST /api/projects/shop/plan", example);
  },
  "post /api/plans/{id}/apply": async (beside, example) => {
    const scene = await sceneOf(beside);
    const { id, basis } = await scene.plan();
    const answer = await beside.berth.call(`POST /api/plans/${id}/apply`, { ...example, basis });
    assert.equal((await scene.over(answer.body.id)).state, "done");
    return answer;
  },
  "post /api/applies/{id}/resume": async (beside, example) => {
    const scene = await sceneOf(beside);
    const id = await pausedApply(scene, beside.berth);
    const answer = await beside.berth.call(`POST /api/applies/${id}/resume`, example);
    assert.equal((await scene.over(id)).state, "done");
    return answer;
  },
  "post /api/containers/{id}/rename": async ({ engine, berth }, example) => {
    await engine.cli("run", "-d", "--name", "shop-web-1", FIXTURE, "idle");
    return await berth.call("POST /api/containers/shop-web-1/rename", example);
  },
  "post /api/images/pull": async ({ engine, berth }, example) => {
    const auth = "auth" in example ? ACCOUNT : undefined;
    await using registry = await startRegistry(engine, { account: auth !== undefined });
    await registry.push(FIXTURE, "owner/app:1.2");
    const reference = String(example["reference"]).replace("ghcr.io", registry.host);
    return await berth.call("POST /api/images/pull", { ...example, reference, ...(auth && { auth }) });
  },
  "post /api/registries": async ({ berth }, example) => {
    const auth = "auth" in example ? ACCOUNT : undefined;
    await using registry = await startReachableRegistry(auth && { account: "password" });
    const { host } = registry;
    return await berth.call("POST /api/registries", {
      ...example,
      host,
      plainHttp: true,
      ...(auth && { auth }),
    });
  },
  "post /api/updates/propose": async ({ berth }, example) => {
    await using registry = await startReachableRegistry();
    const { reference, candidate } = example as Readonly<Record<string, string>>;
    const images = [reference, candidate].map((one) => one!.replace(/.*\//, `${registry.host}/`));
    for (const image of images) {
      await pushImage(registry, "nginx", image.slice(image.lastIndexOf(":") + 1), { "linux/amd64": image });
    }
    const { id } = await workspace(
      berth,
      "shop",
      project("shop", [service("web").replace(FIXTURE, images[0]!)]),
    );
    await lookFor(berth, registry);
    await lookedAt(berth, images[0]!);
    const body = { project: `shop@${id}`, reference: images[0], candidate: images[1] };
    return await berth.call("POST /api/updates/propose", body);
  },
  "post /api/workspaces/{id}/adoptions/draft": async ({ engine, berth }, example) => {
    const id = (await engine.cli("run", "-d", "--name", "web", FIXTURE, "idle")).trim();
    const path = await shop(berth);
    await eventually(
      "it is seen",
      async () => (await berth.call(`GET /api/containers/${id}`)).status === 200,
    );
    const containers = [{ backend: "docker", id }];
    return await berth.call(`POST ${path}/adoptions/draft`, { ...example, containers });
  },
  "post /api/adoptions/drafts/{id}/accept": async ({ engine, berth }, example) => {
    const id = (await engine.cli("run", "-d", "--name", "web", FIXTURE, "idle")).trim();
    const path = `${berth.folder}/workspaces/home`;
    await Deno.mkdir(path);
    assert.equal((await berth.call("POST /api/workspaces", { path })).status, 201);
    await berth.call("PUT /api/workspaces/home", { editable: true });
    await eventually(
      "it is seen",
      async () => (await berth.call(`GET /api/containers/${id}`)).status === 200,
    );
    const containers = [{ backend: "docker", id }];
    const draft = await berth.call("POST /api/workspaces/home/adoptions/draft", { containers, name: "shop" });
    const [project] = example["projects"] as object[];
    const body = { ...example, projects: [{ ...project, containers }] };
    return await berth.call(`POST /api/adoptions/drafts/${draft.body.id}/accept`, body);
  },
  "post /api/workspaces/{id}/artifacts/units/{name}/settle": async ({ engine, berth }, example) => {
    const scene = await ApplyScene.on(engine, berth, "shop", SHOP);
    await berth.call("PUT /api/workspaces/shop", { editable: true });
    await scene.apply();
    await engine.cli("update", "--restart", "always", "shop-web-1");
    const path = "/api/workspaces/shop/artifacts/units/shop.web";
    await eventually(
      "it differs",
      async () =>
        (await berth.call(`GET ${path}`)).body.live.drift.some(({ field }: { field: string }) =>
          field === "restart"
        ),
    );
    return await berth.call(`POST ${path}/settle?preview=true`, example);
  },
  "post /api/volumes": ({ berth }, example) => berth.call("POST /api/volumes", example),
  "post /api/artifacts/from-run": ({ berth }, example) => berth.call("POST /api/artifacts/from-run", example),
  "post /api/networks": ({ berth }, example) => berth.call("POST /api/networks", example),
  "post /api/networks/{name}/connect": async ({ engine, berth }, example) => {
    await engine.cli("run", "-d", "--name", "shop-web-1", FIXTURE, "idle");
    await makeNetwork(berth);
    return await berth.call("POST /api/networks/shop_back/connect", example);
  },
  "post /api/networks/{name}/disconnect": async ({ engine, berth }, example) => {
    await makeNetwork(berth);
    await engine.cli("run", "-d", "--name", "shop-web-1", "--network", "shop_back", FIXTURE, "idle");
    return await berth.call("POST /api/networks/shop_back/disconnect", example);
  },
  "post /api/services/{id}/scale": async ({ engine, berth }, example) => {
    await engine.cli("swarm", "init", "--advertise-addr", "127.0.0.1");
    try {
      const shop = ["--detach", "--no-resolve-image", "--name", "shop_web", "--replicas", "0"];
      await engine.cli("service", "create", ...shop, FIXTURE, "idle");
      await eventually(
        "it is listed",
        async () => (await berth.call("GET /api/services/shop_web")).status === 200,
      );
      return await berth.call("POST /api/services/shop_web/scale", example);
    } finally {
      await engine.cli("swarm", "leave", "--force");
    }
  },
  "post /api/system/prune": async ({ berth }, example) => {
    const [listing] = EXAMPLES.get("post /api/system/prune")!;
    const plan = "plan" in example && (await berth.call("POST /api/system/prune", listing)).body.plan;
    return await berth.call("POST /api/system/prune", plan ? { ...example, plan } : example);
  },
};

async function makeNetwork(berth: TestService): Promise<void> {
  assert.equal((await berth.call("POST /api/networks", EXAMPLES.get("post /api/networks")![0])).status, 201);
}

/** An apply whose caller lost the right to go on. */
async function pausedApply(scene: ApplyScene, berth: TestService): Promise<string> {
  await scene.write(
    SHOP.replace("worker:", "worker:\n    depends_on: { web: { condition: service_healthy } }")
      .replace("[idle]", "[idle]\n    healthcheck: { test: [CMD, test, -e, /go], interval: 200ms }"),
  );
  const caller: TestCaller = await berth.key("admin");
  const { body: { id } } = await scene.begin(await scene.plan({}, caller), {}, caller);
  await eventually("it waits for a healthy container", async () => {
    return (await scene.engine.ask("GET /containers/shop-web-1/json")).json?.State?.Running === true;
  });
  const own = await caller.call("GET /api/auth/me");
  await berth.call(`DELETE /api/settings/api-keys/${own.body.id}`);
  await scene.engine.cli("exec", "shop-web-1", "touch", "/go");
  assert.equal((await scene.over(id)).state, "paused");
  return id;
}

/** The answer is one of the operation's documented successes. */
function assertSuccess(name: string, example: Example, { status, text }: Answer): void {
  const [method, path] = name.split(" ") as [string, string];
  const answers = Object.keys(openapi.paths[path]![method]!.responses);
  const said = `${name} ${JSON.stringify(example)}: ${status} ${text}`;
  assert.ok(status < 300 && answers.includes(String(status)), said);
}

const IDP = "post /api/auth/idp";

Deno.test("every request body of the API has an example written by hand, and a test that posts it", () => {
  const posted = [IDP, ...Object.keys(WITHOUT_ENGINE), ...Object.keys(WITH_ENGINE)];
  assert.deepEqual([...EXAMPLES.keys()].sort(), posted.sort());
  for (const [name, examples] of EXAMPLES) assert.ok(examples.length > 0, name);
});

Deno.test("every example of a request body that needs no engine is answered with the documented success", async (context) => {
  for (const [name, post] of Object.entries(WITHOUT_ENGINE)) {
    await context.step(name, async () => {
      for (const example of EXAMPLES.get(name)!) {
        await using berth = await startService();
        assertSuccess(name, example, await post(berth, example));
      }
    });
  }
});

Deno.test("the example of a sign-in at an identity provider is answered with tokens", async () => {
  for (const example of EXAMPLES.get(IDP)!) {
    const page = String(example["redirectUri"]);
    await using provider = await startProvider({
      people: [{ sub: "ada", name: "Ada" }],
      redirectUris: [page],
      secret: false,
    });
    await using berth = await startService({
      roles: [{ claim: "sub", value: "ada", role: "viewer" }],
      identityProvider: {
        issuer: provider.issuer,
        clientId: CLIENT_ID,
        clientSecretFile: null,
        redirectUris: [page],
      },
    });
    const status = await berth.anonymous().call("GET /api/auth/status");
    const signedIn = await signInAt(status.body.provider, page, "ada");
    assertSuccess(
      IDP,
      example,
      await berth.anonymous().call("POST /api/auth/idp", { ...example, ...signedIn }),
    );
  }
});

const { test } = await sharedEngine("docker");

/** Removes what an example made. */
async function clear(engine: TestEngine): Promise<void> {
  const words = (text: string) => text.split("\n").filter((word) => word !== "");
  const all = words(await engine.cli("ps", "-aq"));
  if (all.length > 0) await engine.cli("rm", "-fv", ...all);
  await engine.cli("network", "prune", "-f");
  const volumes = words(await engine.cli("volume", "ls", "-q"));
  if (volumes.length > 0) await engine.cli("volume", "rm", ...volumes);
}

for (const [name, post] of Object.entries(WITH_ENGINE)) {
  test(`the examples of ${name} are answered with the documented success`, async (engine) => {
    for (const example of EXAMPLES.get(name)!) {
      await using berth = await serveEngines({ docker: engine });
      assertSuccess(name, example, await post({ engine, berth }, example));
      await clear(engine);
    }
  });
}
