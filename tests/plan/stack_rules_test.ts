/** Rules of a stack's plan that need no engine to be seen. */
import assert from "node:assert/strict";
import type { Scope } from "../../core/access.ts";
import { ServiceError } from "../../core/error.ts";
import { inStack, ONE, planOf } from "./stack_scene.ts";

const HEAD = "name: shop\nx-berth: { target: swarm }\nservices:\n";

Deno.test("a secret beside a variable is masked in the reasons of a stack's plan", async () => {
  const files = {
    ".env": "HOST=db\nNAME=n\n",
    "berth.yaml": "stacks: { shop: shop }\n",
    "compose.yaml": `${HEAD}  web:
    image: a
    entrypoint: [mysql]
    command: ["-phunter2", "\${NAME}"]
    environment: { DB: "postgres://u:hunter2@\${HOST}/db", PASSWORD: "hunter2\${NAME}", TOKEN: "\${NAME}" }
    labels: { api.token: "hunter2\${NAME}" }
  cache:
    image: a
    command: redis-server --requirepass hunter2 \${NAME}
`,
  };
  const { steps } = await planOf({
    files,
    swarm: { services: [inStack("shop_web"), inStack("shop_cache")] },
  });
  const why = steps.flatMap((one) => one.why);
  const declared = new Map(
    why.flatMap((one) => one.code === "field" ? [[one.field, one.declared]] : []),
  );
  assert.doesNotMatch(JSON.stringify(steps), /hunter2/);
  assert.equal(declared.get("environment.DB"), "postgres://u:********@${HOST}/db");
  assert.equal(declared.get("environment.TOKEN"), "${NAME}");
  assert.equal(declared.get("command"), "redis-server --requirepass ******** ${NAME}");
});

const codes = (list: readonly { readonly code: string }[]): string[] => list.map(({ code }) => code);
const FILES = { "compose.yaml": `${HEAD}  web:\n    image: a\n` };

Deno.test("a stack without a service is nobody's until somebody says whose", async () => {
  for (const kind of ["networks", "secrets", "configs"]) {
    const swarm = { [kind]: [inStack("shop_rest")] };
    for (const action of ["up", "down"]) {
      assert.deepEqual(codes((await planOf({ files: FILES, swarm, request: { action } })).blocked), [
        "project/guess",
      ]);
    }
    await assert.rejects(
      planOf({ files: FILES, swarm, scopes: ["workspace:w1"] }),
      (error) => error instanceof ServiceError && error.code === "forbidden",
      kind,
    );
    const said = { ...FILES, "berth.yaml": "stacks: { shop: shop }\n" };
    assert.deepEqual(codes((await planOf({ files: said, swarm })).blocked), []);
    const others = { [kind]: [inStack("blog_rest", "blog")] };
    assert.deepEqual(
      codes((await planOf({ files: FILES, swarm: others, scopes: ["workspace:w1"] })).blocked),
      [],
    );
  }
});

Deno.test("a volume is the stack's own only where every node tells its volumes", async () => {
  const files = {
    "compose.yaml": `${HEAD}  web:\n    image: a\n    volumes: [data:/d]\nvolumes: { data: {} }\n`,
  };
  const up = { name: "e1", state: "up" } as const;
  const takesHost = async (scene: Partial<Parameters<typeof planOf>[0]>) => {
    const { steps } = await planOf({ files, ...scene });
    return steps.some(({ needs }) => needs.some(({ permission }) => permission === "projects:host"));
  };
  const held = (labels: Record<string, string>) => ({
    holdings: { volumes: [{ name: "shop_data", backend: "e1", driver: "local", labels, users: [] }] },
  });
  assert.equal(await takesHost({}), false);
  assert.equal(await takesHost(held({ "com.docker.stack.namespace": "shop" })), false);
  assert.equal(await takesHost(held({})), true, "another's volume");
  assert.equal(await takesHost({ holdings: null }), true, "no engine answers");
  assert.equal(await takesHost({ holdings: { volumes: null } }), true, "an engine lists no volumes");
  assert.equal(await takesHost({ clusters: [{ ...ONE, nodes: ["e1", null] }] }), true, "an unknown node");
  assert.equal(await takesHost({ backends: [{ ...up, state: "away" }] }), true, "a node that is away");
  assert.equal(await takesHost({ backends: [{ ...up, stale: ["volumes"] }] }), true, "a node of old news");
  assert.equal(await takesHost({ clusters: [{ ...ONE, nodes: [] }] }), true, "nodes that nobody told");
});

Deno.test("a label of Docker's own is refused from a file of labels, too", async () => {
  const label = "com.docker.stack.namespace";
  for (
    const [text, more] of [
      ["label_file: ./own.labels", { "own.labels": `${label}=other\n` }],
      [`labels: ["${label}=other"]`, {}],
      [`deploy: { labels: { ${label}: other } }`, {}],
      [`deploy: { labels: ["${label}=other"] }`, {}],
    ] as const
  ) {
    const files = { ...more, "compose.yaml": `${HEAD}  web:\n    image: a\n    ${text}\n` };
    assert.deepEqual(codes((await planOf({ files })).blocked), ["project/reserved-label"], text);
  }
});

Deno.test("a choice between swarms names those that the caller holds", async () => {
  const clusters = [ONE, { ...ONE, id: "s2", name: "hidden", engines: ["e2"], nodes: ["e2"] }];
  const choice = async (scopes?: readonly Scope[]) => {
    const error: unknown = await planOf({ files: FILES, clusters, scopes }).catch((error) => error);
    assert.ok(error instanceof ServiceError && error.code === "invalid_request", String(error));
    return error.remedies.map((one) => one.kind === "plan" ? one.value : one);
  };
  assert.deepEqual(await choice(), ["swarm:one", "swarm:hidden"]);
  assert.deepEqual(await choice(["engine:e1", "project:shop"]), ["swarm:one"]);
  assert.deepEqual(await choice(["project:shop"]), []);
});

Deno.test("each image of a stack is asked for once, and all of them within one time", async () => {
  const units = ["a", "b", "c", "d", "e"];
  const text = units.map((name) => `  ${name}:\n    image: "${name < "c" ? "same" : `slow-${name}`}"\n`).join(
    "",
  );
  const asked: string[] = [];
  const begun = performance.now();
  const { steps, blocked } = await planOf({
    files: { "compose.yaml": HEAD + text },
    request: { pull: "policy" },
    pinningMs: 300,
    digestOf: (image) => {
      asked.push(image);
      return image === "same" ? Promise.resolve("sha256:1") : new Promise<never>(() => {});
    },
  });
  assert.ok(performance.now() - begun < 5_000);
  assert.deepEqual(asked.sort(), ["same", "slow-c", "slow-d", "slow-e"]);
  assert.deepEqual(steps.filter(({ digest }) => digest !== undefined).map(({ target }) => target), [
    "shop_a",
    "shop_b",
  ]);
  assert.deepEqual(codes(blocked), Array(3).fill("swarm/image-not-pinned"));
});
