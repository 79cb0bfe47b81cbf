/** Rules of a stack's plan that need no engine to be seen. */
import assert from "node:assert/strict";
import type { Holder, Scope } from "../../core/access.ts";
import { ServiceError } from "../../core/error.ts";
import type { Wire } from "../../engines/calls/wire.ts";
import { notHeld } from "../../projects/apply/not_held.ts";
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
/** The network that every stack has, as it is declared without a word. */
const DEFAULT_NETWORK = inStack("shop_default", "shop", { Driver: "overlay" });
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

Deno.test("A digest that the file changes is a reason of its own, beside every other change", async () => {
  const image = (of: string) => `lan.example/web:1@sha256:${of.repeat(64)}`;
  const ContainerSpec = { Image: image("0"), Env: ["MODE=old"] };
  const files = (of: string) => ({
    "berth.yaml": "stacks: { shop: shop }\n",
    "compose.yaml": `${HEAD}  web:\n    image: ${image(of)}\n    environment: { MODE: new }\n`,
  });
  const swarm = { services: [inStack("shop_web", "shop", { TaskTemplate: { ContainerSpec } })] };
  const fields = async (of: string) => {
    const { steps } = await planOf({ files: files(of), swarm });
    return steps.flatMap(({ why }) => why).flatMap((one) => one.code === "field" ? [one.field] : [])
      .filter((field) => field === "image" || field.startsWith("environment."));
  };
  assert.deepEqual(await fields("1"), ["environment.MODE", "image"], "only then the new one is posted");
  assert.deepEqual(await fields("0"), ["environment.MODE"]);
});

Deno.test("The plan of a stack warns of an update that the swarm paused, with the swarm's masked words", async () => {
  const files = { ...FILES, "berth.yaml": "stacks: { shop: shop }\n" };
  const TaskTemplate = {
    ContainerSpec: { Image: "a:latest" },
    Networks: [{ Target: "shop_default", Aliases: ["web"] }],
  };
  const planned = async (State: string) => {
    const UpdateStatus = { State, Message: "update paused: --password=canary was refused" };
    const web = { ...inStack("shop_web", "shop", { TaskTemplate }), UpdateStatus };
    return await planOf({ files, swarm: { services: [web], networks: [DEFAULT_NETWORK] } });
  };
  const { steps, unchanged, warnings: [warning] } = await planned("paused");
  assert.deepEqual([steps, unchanged, warning?.code], [[], 1, "swarm/update-paused"]);
  assert.match(warning?.message ?? "", /"shop_web" \(update paused: --password=\*+ was refused\)/);
  assert.deepEqual((await planned("completed")).warnings, []);
});

Deno.test("A secret that was rotated twice stays the one of its content", async () => {
  const files = {
    "berth.yaml": "stacks: { shop: shop }\n",
    ".env": "PW=third\n",
    "compose.yaml": `${HEAD}  web:\n    image: a\n    secrets: [pw]\nsecrets: { pw: { environment: PW } }\n`,
  };
  const secret = (name: string, digest: string) =>
    inStack(name, "shop", {
      Labels: { "com.docker.stack.namespace": "shop", "dev.berth.content": digest },
    });
  const uses = (SecretName: string) => {
    const Secrets = [{ SecretName, File: { Name: "pw", UID: "0", GID: "0", Mode: 0o444 } }];
    return inStack("shop_web", "shop", { TaskTemplate: { ContainerSpec: { Secrets } } });
  };
  const changes = async (secrets: Wire[], service: Wire) => {
    const { steps } = await planOf({ files, swarm: { secrets, services: [service] } });
    return steps.flatMap(({ kind, target, why }) => [
      ...kind.startsWith("secret.") ? [`${kind} ${target}`] : [],
      ...why.flatMap((one) => one.code === "field" && one.field.startsWith("secrets.") ? [one.field] : []),
    ]);
  };
  const [made = ""] = await changes([secret("shop_pw", "first")], uses("shop_pw"));
  const name = made.replace("secret.create ", "");
  const digest = name.replace("shop_pw-", "");
  const second = secret("shop_pw-0000000f", "0000000f");
  assert.match(name, /^shop_pw-\w+$/);
  assert.deepEqual(await changes([second, secret(name, digest)], uses(name)), [
    "secret.remove shop_pw-0000000f",
  ], "the first one is gone");
  assert.deepEqual(await changes([second, secret(name, "another")], uses("shop_pw-0000000f")), [
    "secret.create shop_pw",
    "secrets.pw",
  ], "its name alone says nothing of its content");
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

Deno.test("a label by which Docker, Compose or berth knows its own is refused wherever a stack writes it", async () => {
  for (const label of ["com.docker.stack.namespace", "com.docker.compose.project", "dev.berth.workspace"]) {
    await refuses(label);
  }
});

async function refuses(label: string): Promise<void> {
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
  for (const kind of ["networks", "volumes", "configs"]) {
    const more = kind === "configs" ? "content: c, " : "";
    const made = `${kind}: { it: { ${more}labels: { ${label}: other } } }\n`;
    const use = kind === "volumes" ? "it:/d" : "it";
    const files = { "compose.yaml": `${HEAD}  web:\n    image: a\n    ${kind}: ["${use}"]\n${made}` };
    assert.deepEqual(codes((await planOf({ files })).blocked), ["project/reserved-label"], kind);
  }
}

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

const STACK = "com.docker.stack.namespace";
/** An object of the stack that was applied from this workspace. */
const from = (workspace: string, name: string) => {
  const Labels = { [STACK]: "shop", "dev.berth.workspace": workspace };
  return inStack(name, "shop", { Labels });
};

Deno.test("a scope on a workspace holds what was applied from it, and no stack that others deployed", async () => {
  const files = {
    "berth.yaml": "stacks: { shop: shop }\n",
    "key": "k",
    "compose.yaml": `${HEAD}  web:\n    image: b\n    secrets: [key]\nsecrets: { key: { file: ./key } }\n`,
  };
  const operatorOn = (scope: Scope): Holder => ({
    permissions: [],
    grants: [{ role: "operator", permissions: ["projects:apply", "removeContainer"], on: [scope] }],
  });
  const refused = async (swarm: Record<string, readonly Wire[]>, scope: Scope, action = "up") => {
    const { steps } = await planOf({ files, swarm, request: { action, orphans: "remove" } });
    assert.notEqual(steps.length, 0);
    const holder = operatorOn(scope);
    return steps.flatMap(({ kind, target, needs }) =>
      notHeld(holder, needs).length > 0 ? [`${kind} ${target}`] : []
    );
  };
  const lists = (workspace: string) => ({
    services: [from(workspace, "shop_web"), from(workspace, "shop_old")],
    networks: [from(workspace, "shop_default")],
    secrets: [from(workspace, "shop_key")],
  });
  const up = ["service.update shop_web", "service.wait shop_web", "service.remove shop_old"];
  const down = ["service.remove shop_web", "service.remove shop_old"]
    .concat(["secret.remove shop_key", "network.remove shop_default"]);
  assert.deepEqual(await refused(lists("w1"), "workspace:w1"), []);
  assert.deepEqual(await refused(lists("w1"), "workspace:w1", "down"), []);
  for (
    const others of [lists("w2"), { ...lists("w1"), services: [inStack("shop_web"), inStack("shop_old")] }]
  ) {
    assert.deepEqual(await refused(others, "workspace:w1"), up);
    assert.deepEqual(await refused(others, "project:shop"), []);
  }
  assert.deepEqual(await refused(lists("w2"), "workspace:w1", "down"), down);
  // Its own service may not have what is another's, and joins no stack of another.
  const secret = { ...lists("w1"), secrets: [inStack("shop_key")] };
  assert.deepEqual(await refused(secret, "workspace:w1"), ["service.update shop_web"]);
  const joined = await refused({ ...lists("w1"), services: [inStack("shop_old")] }, "workspace:w1");
  assert.deepEqual(joined, [
    "service.create shop_web",
    "service.wait shop_web",
    "service.remove shop_old",
  ]);
  assert.deepEqual(await refused({}, "workspace:w1"), [], "a stack that is nobody's");
});

Deno.test("a network that the caller does not see is not the stack's own", async () => {
  const files = {
    "berth.yaml": "stacks: { shop: shop }\n",
    "compose.yaml": `${HEAD}  web:\n    image: a\n    networks: [net]\nnetworks: { net: { name: lan } }\n`,
  };
  const takesNetwork = async (networks: readonly Wire[], scopes?: readonly Scope[]) => {
    const { steps } = await planOf({ files, swarm: { networks }, scopes });
    return steps.flatMap(({ kind, needs }) => kind === "service.create" ? needs : [])
      .filter(({ permission }) => permission === "useNetwork").map(({ subject }) => subject.project);
  };
  const mine: Scope[] = ["project:shop", "workspace:w1"];
  assert.deepEqual(await takesNetwork([], mine), []);
  assert.deepEqual(await takesNetwork([inStack("lan")], mine), []);
  assert.deepEqual(await takesNetwork([inStack("lan", "crm")], mine), [null]);
  assert.deepEqual(await takesNetwork([inStack("lan", "crm")]), ["crm"]);
});

Deno.test("a plan of a stack warns of a volume that an earlier stack of its name has left, where a new service gets it", async () => {
  const files = {
    "compose.yaml": `${HEAD}  db:\n    image: a\n    volumes: [data:/data]\nvolumes: { data: }\n`,
  };
  const held = (labels: Record<string, string>, backend = "e1") => ({
    volumes: [{ name: "shop_data", backend, driver: "local", labels }] as never,
  });
  const left = { "com.docker.stack.namespace": "shop" };
  const { warnings } = await planOf({ files, holdings: held(left) });
  assert.deepEqual(warnings.map(({ code, location }) => [code, location?.range.start.line]), [[
    "swarm/left-volume",
    7,
  ]]);
  assert.match(warnings[0]!.message, /"shop_data".*"shop_db"/);
  assert.deepEqual((await planOf({ files, holdings: held(left, "elsewhere") })).warnings, []);
  assert.deepEqual(
    (await planOf({ files, holdings: held({}) })).warnings,
    [],
    "needs the right to hosts instead",
  );
  const swarm = { services: [inStack("shop_db")] };
  const said = { ...files, "berth.yaml": "stacks: { shop: shop }\n" };
  assert.deepEqual(
    (await planOf({ files: said, holdings: held(left), swarm })).warnings,
    [],
    "it has it already",
  );
  const Mounts = [{ Type: "volume", Source: "shop_data", Target: "/data" }];
  const db = inStack("shop_other", "shop", { TaskTemplate: { ContainerSpec: { Mounts } } });
  assert.deepEqual(
    (await planOf({ files: said, holdings: held(left), swarm: { services: [db] } })).warnings
      .filter(({ code }) => code === "swarm/left-volume"),
    [],
    "another service of the stack has it",
  );
});
