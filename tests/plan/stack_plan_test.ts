/** Plans of stacks on a real swarm: what Docker's client deployed, what was edited since, and who may. */
import assert from "node:assert/strict";
import { save, workspace } from "../streams/live_scene.ts";
import { FIXTURE, NoEngine, startEngine, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { keyOn } from "../support/scoped_world.ts";
import { serveEngines, type TestCaller, type TestService } from "../support/service.ts";
import { deployByClient, makeOutside, STACK, STACK_FILES } from "./stack_file.ts";

const engine = await startEngine("docker").catch((error) => {
  if (!(error instanceof NoEngine)) throw error;
  console.error(`NOT RUN: plans of stacks, because ${error.message}`);
  return null;
});

interface Stack {
  readonly own: TestEngine;
  readonly berth: TestService;
  readonly path: string;
  readonly id: string;
}

// deno-lint-ignore no-explicit-any -- the body of an answer
type Body = any;

async function plan(
  { berth, id }: Stack,
  request: Record<string, unknown> = {},
  by: TestCaller = berth,
): Promise<Body> {
  const asked = { pull: "never", ...request };
  const { status, body, text } = await by.call(
    `POST /api/workspaces/${id}/artifacts/groups/shop/plan`,
    asked,
  );
  assert.equal(status, 201, text);
  return body;
}

const steps = (body: Body): string[] => body.steps.map(({ kind, target }: Body) => `${kind} ${target}`);
const codes = (list: Body[]): string[] => [...new Set(list.map(({ code }) => code))].sort();
const edit = ({ berth, id, path }: Stack, text: string) => save(berth, id, `${path}/compose.yaml`, text);

/** Nothing but what the client makes of `restart: "no"` is to be done. */
async function untouched(stack: Stack): Promise<void> {
  const made = await plan(stack);
  assert.deepEqual(steps(made), ["service.update shop_never", "service.wait shop_never"]);
  const [{ why, risk, needs }] = made.steps;
  assert.deepEqual(
    why.map(({ field, declared, seen, at }: Body) => [field, declared, seen, at.range.start.line]),
    [["restart", "none", "(not set)", STACK.slice(0, STACK.indexOf('restart: "no"')).split("\n").length]],
  );
  assert.deepEqual([risk, codes(needs.map(({ permission }: Body) => ({ code: permission })))], [
    "interruption",
    ["projects:apply"],
  ]);
  assert.equal(made.unchanged, 6);
  assert.equal(made.backend.startsWith("swarm:"), true);
  assert.deepEqual(codes(made.blocked), []);
  assert.deepEqual(codes(made.warnings), ["swarm/secret-unknown"]);
  assert.equal((await stack.berth.call(`POST /api/plans/${made.id}/check`)).status, 204);
  await stack.own.cli("service", "update", "--detach", "--label-add", "by=hand", "shop_plain");
  const stale = await stack.berth.call(`POST /api/plans/${made.id}/check`);
  assert.deepEqual([stale.body.code, stale.body.errors[0].path], ["plan_stale", "service shop_plain"]);
  const again = await plan(stack, { units: ["plain"] });
  assert.deepEqual(again.steps[0].why.map(({ field, seen }: Body) => [field, seen]), [[
    "deploy.labels.by",
    "hand",
  ]]);
  assert.equal(again.steps[0].risk, "none", "labels of a service start no task anew");
  await stack.own.cli("service", "update", "--detach", "--label-rm", "by", "shop_plain");
}

/** Steps come in the order of dependencies, after all that their services refer to. */
async function order(stack: Stack): Promise<void> {
  const text = STACK.replace(
    "  plain:\n",
    "  late:\n    image: 127.0.0.1:1/fixture:1\n    depends_on: [early]\n    networks: [fresh]\n" +
      "    secrets: [fresh]\n  early:\n    image: 127.0.0.1:1/fixture:1\n  plain:\n",
  ).replace("networks:\n  front:", "networks:\n  fresh: {}\n  front:")
    .replace("secrets:\n  key:", "secrets:\n  fresh: { file: ./key.txt }\n  key:");
  await edit(stack, text);
  const made = await plan(stack, { units: ["late"] });
  assert.deepEqual(steps(made), [
    "network.create shop_fresh",
    "secret.create shop_fresh",
    "service.create shop_early",
    "service.wait shop_early",
    "service.create shop_late",
    "service.wait shop_late",
  ]);
  assert.deepEqual(made.steps[4].after, [1, 2, 4]);
  const whole = await plan(stack, { action: "down" });
  assert.deepEqual(steps(whole).filter((one) => one.startsWith("service.remove")).length, 7);
  assert.deepEqual(steps(whole).filter((one) => !one.startsWith("service.")).sort(), [
    "config.remove shop_site",
    "network.remove other-net",
    "network.remove shop_default",
    "network.remove shop_front",
    "secret.remove other-secret",
    "secret.remove shop_key",
  ]);
}

/** Whatever a swarm cannot say or change is refused by name. */
async function blocked(stack: Stack): Promise<void> {
  const after = async (from: string, to: string): Promise<string[]> => {
    assert.equal(STACK.split(from).length, 2, from);
    await edit(stack, STACK.replace(from, to));
    return codes((await plan(stack)).blocked);
  };
  const plain = "  plain:\n    image: 127.0.0.1:1/fixture:1\n";
  assert.deepEqual(await after(plain, `${plain}    privileged: true\n`), ["swarm/field-not-supported"]);
  assert.deepEqual(await after(plain, `${plain}    devices: [/dev/null]\n`), ["swarm/field-not-supported"]);
  assert.deepEqual(await after(plain, `${plain}    network_mode: host\n`), ["swarm/field-not-supported"]);
  assert.deepEqual(await after(plain, `${plain}    ports: ["127.0.0.1:99:99"]\n`), [
    "swarm/field-not-supported",
  ]);
  assert.deepEqual(await after(plain, `${plain}    labels: { com.docker.stack.namespace: other }\n`), [
    "project/reserved-label",
  ]);
  assert.deepEqual(await after("mode: global-job", "mode: global"), ["swarm/mode-changed"]);
  assert.deepEqual(await after("10.77.0.0/24", "10.78.0.0/24"), ["swarm/network-changed"]);
  await edit(stack, STACK);
  const pulled = await plan(stack, { pull: "policy" });
  assert.deepEqual(codes(pulled.blocked), [], "its image is not another one");
  await edit(stack, STACK.replace(plain, plain.replace("fixture:1", "fixture:2")));
  assert.deepEqual(codes((await plan(stack, { units: ["plain"] })).blocked), [
    "project/guess",
  ]);
  await save(stack.berth, stack.id, `${stack.path}/berth.yaml`, "stacks: { shop: shop }\n");
  const unpinned = await plan(stack, { pull: "policy", units: ["plain"] });
  assert.deepEqual(codes(unpinned.blocked), ["swarm/image-not-pinned"]);
}

/** Values of variables and of secrets are in no reason. */
async function masked(stack: Stack): Promise<void> {
  await Deno.writeTextFile(`${stack.path}/.env`, "HOST=canary-host\nPW=canary-word\n");
  const plain = "  plain:\n    image: 127.0.0.1:1/fixture:1\n";
  const more = '    hostname: "${HOST}"\n    environment: { PASSWORD: "${PW}", MODE: canary-mode }\n' +
    '    command: ["idle", "--password=canary-word"]\n' +
    "    logging: { driver: splunk, options: { splunk-token: canary-token } }\n" +
    "    deploy: { labels: { api.token: canary-label } }\n";
  await edit(stack, STACK.replace(plain, plain + more));
  const made = await plan(stack, { units: ["plain"] });
  const { why } = made.steps[0];
  assert.equal(why.length, 7, JSON.stringify(why));
  const host = why.find(({ field }: Body) => field === "hostname");
  assert.equal(host.declared, "${HOST}");
  const { resolved: _, ...shown } = host;
  const others = why.filter((one: Body) => one !== host);
  assert.doesNotMatch(JSON.stringify([shown, ...others]), /canary/);
}

/** Another content is another version, but never under a name that somebody chose. */
async function versions(stack: Stack): Promise<void> {
  await edit(stack, STACK);
  await Deno.writeTextFile(`${stack.path}/site.conf`, "another content");
  const made = await plan(stack);
  const [first] = steps(made);
  assert.match(first ?? "", /^config\.create shop_site-[0-9a-f]{8}$/);
  const update = made.steps.find(({ target }: Body) => target === "shop_web");
  assert.deepEqual(update.why.map(({ field }: Body) => field), ["configs./etc/site.conf", "configs.site"]);
  assert.deepEqual(update.after, [1]);
  await Deno.writeTextFile(`${stack.path}/site.conf`, "config-content");
  await edit(stack, STACK.replace("site: { file:", "site: { name: shop_site, file:"));
  assert.deepEqual(codes((await plan(stack)).blocked), []);
  await Deno.writeTextFile(`${stack.path}/site.conf`, "another content");
  assert.deepEqual(codes((await plan(stack)).blocked), ["swarm/named-content-changed"]);
  await Deno.writeTextFile(`${stack.path}/site.conf`, "config-content");
}

/** A key without `projects:host` gets no hold of a node, by whatever way it is written. */
async function rights(stack: Stack): Promise<void> {
  const key = await keyOn(stack.berth, "project:shop", "operator");
  const image = "    image: 127.0.0.1:1/fixture:1\n";
  const ways: Record<string, readonly [service: string, top: string]> = {
    "a bind": ["    volumes: [/etc:/host]\n", ""],
    "a bind in the workspace": ["    volumes: [./web.env:/host]\n", ""],
    "a volume that binds": [
      "    volumes: [bound:/host]\n",
      "volumes:\n  bound: { driver_opts: { type: none, o: bind, device: /etc } }\n",
    ],
    "a volume of others": ["    volumes: [bound:/host]\n", "volumes:\n  bound: { name: blog_data }\n"],
    "an external volume": ["    volumes: [bound:/host]\n", "volumes:\n  bound: { external: true }\n"],
    "a secret of others": ["    secrets: [outside]\n", "secrets:\n  outside: { external: true }\n"],
    "the host's network": [
      "    networks: [inside]\n",
      "networks:\n  inside: { external: true, name: host }\n",
    ],
    "a capability": ["    cap_add: [SYS_ADMIN]\n", ""],
    "a kernel parameter": ["    sysctls: { kernel.panic: 1 }\n", ""],
    "a log driver": ["    logging: { driver: syslog }\n", ""],
    "a network's driver": [
      "    networks: [other]\n",
      "networks:\n  other: { driver: macvlan, driver_opts: { parent: eth0 } }\n",
    ],
  };
  const missing = async (service: string, top: string): Promise<string[]> => {
    await edit(stack, `x-berth: { target: swarm }\nservices:\n  plain:\n${image}${service}${top}`);
    const made = await plan(stack, {}, key);
    return codes(made.missing.map(({ permission }: Body) => ({ code: permission })));
  };
  for (const [name, [service, top]] of Object.entries(ways)) {
    assert.ok((await missing(service, top)).includes("projects:host"), name);
  }
  assert.deepEqual(
    await missing("    ports: ['99:99']\n    volumes: [data:/data]\n", "volumes:\n  data: {}\n"),
    [],
  );
  // The answer does not tell if a thing of others exists.
  const told = async (name: string): Promise<string> => {
    const text = `x-berth: { target: swarm }\nservices:\n  plain:\n${image}    secrets: [one]\n` +
      `    networks: [one]\nsecrets:\n  one: { external: true, name: ${name} }\n` +
      `networks:\n  one: { external: true, name: ${name} }\n`;
    await edit(stack, text);
    const { blocked, missing } = await plan(stack, {}, key);
    return JSON.stringify([blocked, missing]).replaceAll(name, "NAME").replaceAll(
      /"(?:offset|column)":\d+|"fingerprint":"\w+"/g,
      "",
    );
  };
  const absent = await told("absent1");
  assert.match(absent, /project\/external-missing/);
  assert.equal(await told("outside"), absent);
  assert.equal(await told("shared"), absent);
  const others = await keyOn(stack.berth, "project:blog", "operator");
  const asked = await others.call(`POST /api/workspaces/${stack.id}/artifacts/groups/shop/plan`, {});
  assert.equal(asked.status, 404);
}

Deno.test({
  name: "a stack's plan has what its file says otherwise than the swarm, and nothing else",
  ignore: engine === null,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (test) => {
    await using own = engine!;
    await own.cli("tag", FIXTURE, "127.0.0.1:1/fixture:1");
    await using berth = await serveEngines({ one: own });
    const { id, path } = await workspace(berth, "shop", STACK);
    const stack: Stack = { own, berth, path, id };
    await test.step("without a swarm the plan says so", async () => {
      const refused = await berth.call(`POST /api/workspaces/${id}/artifacts/groups/shop/plan`, {});
      assert.deepEqual([refused.status, refused.body.code], [503, "engine_unavailable"], refused.text);
    });
    await own.cli("swarm", "init", "--advertise-addr", "127.0.0.1");
    for (const [name, content] of Object.entries(STACK_FILES)) {
      if (name !== "compose.yaml") await Deno.writeTextFile(`${path}/${name}`, content);
    }
    await makeOutside(own, path);
    await deployByClient(own, `${path}/compose.yaml`, "shop");
    await eventually(
      "the swarm is found",
      async () => (await berth.call("GET /api/services")).body.total === 7,
    );
    await test.step("what the client deployed is left alone", () => untouched(stack));
    await test.step("steps come after what they need", () => order(stack));
    await test.step("what a swarm cannot say or change is blocked", () => blocked(stack));
    await test.step("secrets and variables stay in the files", () => masked(stack));
    await test.step("another content is another version", () => versions(stack));
    await test.step("hold of a node needs the right to it", () => rights(stack));
    assert.deepEqual(berth.bugs(), []);
  },
});
