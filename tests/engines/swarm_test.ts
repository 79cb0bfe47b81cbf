/** Services and stacks on a real swarm of one: berth does not claim to stop what the swarm starts again, nor that a stack is absent. */
import assert from "node:assert/strict";
import { FIXTURE, NoEngine, startEngine, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { workspace } from "../streams/live_scene.ts";

/** Nothing answers there, so that no agent waits for a registry. */
const IMAGE = "127.0.0.1:1/fixture:1";

const engine = await startEngine("docker").catch((error) => {
  if (!(error instanceof NoEngine)) throw error;
  console.error(`NOT RUN: containers of a swarm's services, because ${error.message}`);
  return null;
});

/** Makes a swarm with the service `web`, one task of which has ended and was replaced. */
async function deploy(engine: TestEngine): Promise<{ readonly running: string; readonly ended: string }> {
  await engine.cli("swarm", "init", "--advertise-addr", "127.0.0.1");
  await engine.cli("tag", FIXTURE, IMAGE);
  const task = ["--name", "web", "--restart-delay", "0s", IMAGE, "idle"];
  await engine.cli("service", "create", "--detach", "--no-resolve-image", ...task);
  const [first = ""] = await eventually("its task runs", () => tasks(engine, "running"));
  await engine.cli("kill", first);
  const [running = ""] = await eventually("another task runs", () => tasks(engine, "running"));
  return { running, ended: first };
}

/** The names of the service's containers in a state; null for none. */
async function tasks(engine: TestEngine, state: string): Promise<string[] | null> {
  const filters = ["--filter", "label=com.docker.swarm.service.name=web", "--filter", `status=${state}`];
  const names = (await engine.cli("ps", "-a", "--format", "{{.Names}}", ...filters)).trim();
  return names === "" ? null : names.split("\n");
}

/** Deploys a declared project with the client, and looks at it before and after. */
async function stack(own: TestEngine, berth: TestService): Promise<void> {
  const service = `  image: ${IMAGE}\n    command: [idle]\n    networks: [inside]\n`;
  const text = `version: "3.8"\nservices:\n  web:\n  ${service}  never:\n  ${service}` +
    "networks:\n  inside: { external: true, name: host }\n";
  const { id } = await workspace(berth, "shop", text);
  const live = async (unit: string) => {
    const { body } = await berth.call(`GET /api/workspaces/${id}/artifacts/units/${unit}`);
    return body.live;
  };
  assert.equal((await live("web")).state, "absent");
  const file = `${await Deno.makeTempDir({ dir: berth.folder })}/stack.yaml`;
  await Deno.writeTextFile(file, text.replace(`  never:\n  ${service}`, ""));
  await own.cli("stack", "deploy", "--resolve-image", "never", "--compose-file", file, "shop");
  const seen = await eventually("its task is seen", async () => {
    const now = await live("web");
    return now.state === "running" ? now : null;
  });
  assert.deepEqual([seen.verdict, seen.drift], ["asWritten", []]);
  assert.equal(seen.service.name, "shop_web");
  assert.equal((await live("never")).state, "absent");
  await rest(own, berth, id);
  const blocked = async (): Promise<string[]> => {
    const { body } = await berth.call(`POST /api/workspaces/${id}/artifacts/groups/shop/plan`, {});
    return body.blocked.map(({ code }: { code: string }) => code);
  };
  assert.deepEqual(await blocked(), ["project/foreign-container"]);
  // Without a task there is no container, as where all tasks run on nodes that are no engines of berth's.
  await own.cli("service", "scale", "--detach", "shop_web=0");
  await eventually("it has no task", async () => {
    const names = await own.cli("ps", "-q", "--filter", "label=com.docker.stack.namespace=shop");
    return names.trim() === "" && (await live("web")).state === "absent";
  });
  assert.deepEqual(await blocked(), ["project/foreign-container"]);
  const { body: tools } = await berth.call("GET /api/system/tool-projects");
  const shop = tools.items.find(({ group }: { group: string }) => group === "shop");
  assert.equal(shop.status, "unknown");
  await own.cli("stack", "rm", "shop");
  await eventually("it is gone", async () => (await live("web")).state === "absent");
}

/** A service of the stack that no file declares is a row of its own, which can be put aside also once it is gone. */
async function rest(own: TestEngine, berth: TestService, workspace: string): Promise<void> {
  const namespace = ["--label", "com.docker.stack.namespace=shop"];
  const create = ["service", "create", "--detach", "--no-resolve-image", "--name", "shop_extra"];
  await own.cli(...create, ...namespace, "--container-label", namespace[1]!, IMAGE, "idle");
  const rows = async () => {
    const { body } = await berth.call("GET /api/projects?q=shop");
    return body.items.map((one: Record<string, unknown>) => [one.id, one.verdict, one.running]);
  };
  const [, [id]] = await eventually("both are shown", async () => {
    const now = await rows();
    return now[1]?.[2] === 1 ? now : null;
  });
  assert.match(id, /^shop@swarm:/);
  assert.deepEqual(await rows(), [[`shop@${workspace}`, "notStarted", 1], [id, "undeclared", 1]]);
  const { body: detail } = await berth.call(`GET /api/projects/${encodeURIComponent(id)}`);
  assert.deepEqual(detail.services.map(({ name }: { name: string }) => name), ["shop_extra"]);
  const ignore = async (ignored: boolean) =>
    (await berth.call(`PUT /api/projects/${encodeURIComponent(id)}/ignored`, { ignored })).status;
  assert.equal(await ignore(true), 204);
  await own.cli("service", "rm", "shop_extra");
  await eventually("it is gone", async () => (await rows()).length === 1);
  assert.equal(await ignore(false), 204, "what is gone stays put aside for ever");
}

/** A job that is done lacks no task; one that failed does. */
async function jobs(own: TestEngine, berth: TestService): Promise<void> {
  const job = (command: string, mode: string) =>
    `  image: ${IMAGE}\n    command: ["${command}"]\n    networks: [inside]\n` +
    `    deploy: { mode: ${mode}, restart_policy: { condition: none } }\n`;
  const text = `version: "3.8"\nservices:\n  one:\n  ${job("true", "replicated-job")}` +
    `  all:\n  ${job("true", "global-job")}  bad:\n  ${job("false", "replicated-job")}` +
    "networks:\n  inside: { external: true, name: host }\n";
  const { id } = await workspace(berth, "jobs", text);
  const file = `${await Deno.makeTempDir({ dir: berth.folder })}/stack.yaml`;
  await Deno.writeTextFile(file, text);
  await own.cli("stack", "deploy", "--resolve-image", "never", "--compose-file", file, "jobs");
  const told = async (name: string) => {
    const { body } = await berth.call(`GET /api/services/jobs_${name}`);
    const { body: { live } } = await berth.call(`GET /api/workspaces/${id}/artifacts/units/${name}`);
    return `${body.tasks?.[0]?.state} ${body.running}/${body.desired} ${live.state} ${live.verdict}`;
  };
  for (
    const [name, end] of [
      ["one", "completed 0/0 completed asWritten"],
      ["all", "completed 0/0 completed asWritten"],
      ["bad", "failed 0/1 degraded broken"],
    ] as const
  ) {
    let last = "";
    await eventually(`the job ${name} has ended`, async () => (last = await told(name)) === end)
      .catch(() => assert.equal(last, end));
  }
  await own.cli("stack", "rm", "jobs");
}

/** An engine that was away since the start has not said yet whether it is a node of the swarm. */
async function unplaced(own: TestEngine): Promise<void> {
  const folder = await Deno.makeTempDir();
  const away = { socket: `${folder}/engine.sock` };
  await using berth = await serveEngines({ one: own, away });
  await eventually("its services are listed", async () => {
    const { body } = await berth.call("GET /api/services");
    return body.total > 0;
  });
  const totals = async (...engines: string[]) => {
    const grants = [{ role: "viewer", on: engines.map((one) => `engine:${one}`) }];
    const made = await berth.call("POST /api/settings/api-keys", { name: engines.join(), grants });
    const lists = ["services", "nodes", "clusters"];
    const caller = berth.as(made.body.key);
    return await Promise.all(
      lists.map(async (list) => (await caller.call(`GET /api/${list}`)).body.total > 0),
    );
  };
  assert.deepEqual(await totals("one"), [false, false, false]);
  assert.deepEqual(await totals("one", "away"), [true, true, true]);
  await Deno.remove(folder, { recursive: true });
}

/** Anybody may give a service the label of a stack; its image is not what the file says. */
async function forged(own: TestEngine, berth: TestService): Promise<void> {
  const { id } = await workspace(
    berth,
    "lure",
    `x-berth: { target: swarm }\nservices:\n  web:\n    image: ${IMAGE}\n    command: [idle]\n`,
  );
  const other = "127.0.0.1:1/other:1";
  await own.cli("tag", FIXTURE, other);
  const create = ["service", "create", "--detach", "--no-resolve-image", "--name", "lure_web"];
  await own.cli(...create, "--label", "com.docker.stack.namespace=lure", other, "idle");
  const match = await eventually("it is seen", async () => {
    const { body } = await berth.call(`GET /api/workspaces/${id}/artifacts/units/web`);
    return body.live.match;
  });
  assert.deepEqual([match.by, match.confidence], ["project", "guess"]);
  const { body } = await berth.call(`POST /api/workspaces/${id}/artifacts/groups/lure/plan`, {});
  assert.ok(
    body.blocked.some(({ code }: { code: string }) => code === "project/guess"),
    JSON.stringify(body),
  );
  await own.cli("service", "rm", "lure_web");
}

/** The engine leaves its swarm and makes another: never are both shown, nor rows of the one below the other. */
async function changedSwarm(own: TestEngine, berth: TestService): Promise<void> {
  const create = ["service", "create", "--detach", "--no-resolve-image", "--name"];
  const clusterOf = async (name: string) => {
    const { body: { items } } = await berth.call("GET /api/services");
    const clusters = new Set(items.map(({ cluster }: { cluster: string }) => cluster));
    assert.ok(clusters.size < 2, JSON.stringify(items));
    return items.find((one: { name: string }) => one.name === name)?.cluster ?? null;
  };
  await own.cli(...create, "before", IMAGE, "idle");
  const first = await eventually("the first is listed", () => clusterOf("before"));
  await own.cli("swarm", "leave", "--force");
  await own.cli("swarm", "init", "--advertise-addr", "127.0.0.1");
  await own.cli(...create, "after", IMAGE, "idle");
  const second = await eventually("the second is listed", () => clusterOf("after"));
  assert.notEqual(first, second);
  const { body: { items } } = await berth.call("GET /api/clusters");
  assert.deepEqual(items.map((one: { id: string }) => one.id), [second]);
  assert.equal((await berth.call("GET /api/services/before")).status, 404);
  assert.equal((await berth.call("GET /api/services/before/logs")).status, 404);
  assert.equal((await berth.call("GET /api/nodes")).body.total, 1);
}

Deno.test({
  name: "A container that a swarm's service keeps is neither stopped nor pruned, and the refusal says how to",
  ignore: engine === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(context) {
    await using own = engine!;
    const { running, ended } = await deploy(own);
    // Labels alone are believed of nobody.
    const labels = ["--label", "com.docker.swarm.service.id=x", "--label", "com.docker.swarm.node.id=y"];
    await own.cli("run", "-d", "--name", "forged", ...labels, FIXTURE, "idle");
    await own.cli("run", "--name", "done", FIXTURE, "true");
    await using berth = await serveEngines({ one: own });

    for (const act of ["POST stop", "POST kill", "POST restart", "DELETE "]) {
      await context.step(`${act} of a task's container`, async () => {
        const [method, verb] = act.split(" ");
        const path = `/api/containers/${running}${verb === "" ? "?force=true" : `/${verb}`}`;
        const { status, body } = await berth.call(`${method} ${path}`);
        assert.deepEqual([status, body.code], [409, "kept_by_service"]);
        assert.match(
          body.title,
          /service "web" of a swarm.*"docker service (scale web=0|update --force web)"/,
        );
        assert.deepEqual(await tasks(own, "running"), [running]);
      });
    }
    await context.step("a signal that ends nothing is sent", async () => {
      assert.equal((await berth.call(`POST /api/containers/${running}/kill?signal=WINCH`)).status, 200);
    });
    await context.step("prune leaves the history of the service", async () => {
      const { body } = await berth.call("POST /api/system/prune", { types: ["containers"], dryRun: true });
      assert.deepEqual(body.items.map(({ name }: { name: string }) => name), ["done"]);
    });
    await context.step("prune leaves the volume of a service that has no container", async () => {
      for (const name of ["kept", "loose"]) await own.cli("volume", "create", name);
      const mount = ["--mount", "type=volume,source=kept,target=/data"];
      await own.cli("service", "create", "--detach", "--name", "none", "--replicas", "0", ...mount, FIXTURE);
      const prune = async (body: unknown) => (await berth.call("POST /api/system/prune", body)).body;
      const { plan, items } = await prune({ types: ["volumes"], dryRun: true });
      assert.deepEqual(items.map(({ name }: { name: string }) => name), ["loose"]);
      const late = ["--mount-add", "type=volume,source=loose,target=/late"];
      await own.cli("service", "update", "--detach", ...late, "none");
      assert.deepEqual(
        (await prune({ plan })).items.map(({ result, reason }: Record<string, string>) => [result, reason]),
        [["kept", "a service of the swarm names it by now, or may do so"]],
      );
      await own.cli("service", "rm", "none");
    });
    await context.step(
      "a stack that runs is not absent, and no plan starts it again",
      () => stack(own, berth),
    );
    await context.step("a job that is completed lacks no task", () => jobs(own, berth));
    await context.step(
      "who holds the engines that are known holds no swarm that an unknown one may be in",
      () => unplaced(own),
    );
    await context.step("forged labels keep nothing", async () => {
      assert.equal((await berth.call("POST /api/containers/forged/stop")).body.changed, true);
    });
    await context.step("a forged name of a service is in no command that people copy", async () => {
      const { json } = await own.ask(`GET /containers/${running}/json`);
      const copied = ["node.id", "service.id"].flatMap((one) => {
        const name = `com.docker.swarm.${one}`;
        return ["--label", `${name}=${json.Config.Labels[name]}`];
      });
      const name = ["--label", "com.docker.swarm.service.name=web$(touch /tmp/x)"];
      await own.cli("run", "-d", "--name", "lures", ...copied, ...name, FIXTURE, "idle");
      const refused = await eventually("it is known", async () => {
        const { status, body } = await berth.call("POST /api/containers/lures/stop");
        return status === 404 ? null : body;
      });
      assert.equal(refused.code, "kept_by_service");
      assert.ok(!refused.title.includes("$("), refused.title);
      assert.match(refused.title, /"docker service scale \w+=0"/);
    });
    await context.step(
      "a forged label makes a stack a guess, which is never planned",
      () => forged(own, berth),
    );
    await context.step("what is left of a removed service is nobody's", async () => {
      await own.cli("service", "rm", "web");
      await eventually("its containers are gone", async () => await tasks(own, "running") === null);
      assert.equal((await own.ask(`GET /containers/${ended}/json`)).status, 404);
    });
    await context.step("an engine that changes its swarm", () => changedSwarm(own, berth));
  },
});
