/** Plans on real engines: nothing where nothing is to be done, and for each edit the steps that follow from it. */
import assert from "node:assert/strict";
import type { Plan } from "../../projects/plan/plan_shape.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { save, workspace } from "../streams/live_scene.ts";
import { serveEngines, startService, type TestCaller, type TestService } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";

/** The steps, as `kind target`, and what they depend on. */
const steps = ({ steps }: Plan) =>
  steps.map(({ kind, target, ifChanged }) => `${kind} ${target}${ifChanged ? ` if ${ifChanged}` : ""}`);
const codes = (list: Plan["blocked"]) => list.map(({ code }) => code).sort();

async function planOf(caller: TestCaller, id: string, group: string, body: unknown = {}): Promise<Plan> {
  const answer = await caller.call(`POST /api/workspaces/${id}/artifacts/groups/${group}/plan`, body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

const service = (lines: string) => `
    image: ${FIXTURE}
    command: [idle]
    stop_grace_period: 1s
${lines.split("\n").filter((line) => line !== "").map((line) => `    ${line}\n`).join("")}`;

/** Without systemd Podman checks the health of nobody, and Compose would wait for ever. */
const shop = (name: string, kind: string) =>
  `name: ${name}
services:
  db:${
    service("volumes: ['data:/data']\nmem_limit: 64m\nhealthcheck: { test: ['CMD', 'true'], interval: 1s }")
  }
  web:${
    service(
      `depends_on: { db: { condition: ${
        kind === "docker" ? "service_healthy" : "service_started"
      }, restart: true } }\nenvironment: { COLOUR: red }\nlabels: { tier: front }\nscale: 2`,
    )
  }
  side:${service("network_mode: 'service:db'")}
  job:${service("").replace("[idle]", '["true"]')}
  tool:${service("profiles: [tools]")}
networks:
  default: {}
volumes: { data: {} }
`;

/** Values that no container is made with, and that Compose hashes: their field and line. */
const UNHASHED = [
  ["deploy:\n  update_config:\n    delay: soon", "deploy.update_config.delay", 9],
  ["attach: maybe", "attach", 7],
  ["deploy: { resources: { reservations: { cpus: some } } }", "deploy.resources.reservations.cpus", 7],
] as const;

/** Every container made anew, should its image be another one. */
const REFRESHED = (name: string, kind: string): readonly string[] => [
  `image.pull ${FIXTURE}`,
  `container.swap ${name}-db-1 if 1`,
  ...kind === "docker" ? ["wait db: service_healthy if 1"] : [],
  ...["web-1", "web-2", "side-1", "job-1"].map((one) => `container.swap ${name}-${one} if 1`),
];

/** The steps that follow from a new container of `db`. */
const REPLACED = (name: string, kind: string): readonly string[] => [
  `container.swap ${name}-db-1`,
  ...kind === "docker" ? ["wait db: service_healthy"] : [],
  `container.restart ${name}-web-1`,
  `container.restart ${name}-web-2`,
  `container.swap ${name}-side-1`,
];

/** An edit of the file, what is asked, and the steps that follow. */
type Edit = readonly [before: string, after: string, body: unknown, expected: readonly string[]];

const EDITS = (name: string, kind: string): readonly Edit[] => [
  ["red", "blue", {}, [`container.swap ${name}-web-1`, `container.swap ${name}-web-2`]],
  ["scale: 2", "scale: 3", {}, [`container.create ${name}-web-3`, `container.start ${name}-web-3`]],
  ["scale: 2", "scale: 1", {}, [`container.stop ${name}-web-2`, `container.remove ${name}-web-2`]],
  ["['data:/data']", "['data:/other']", {}, [
    ...REPLACED(name, kind),
  ]],
  [
    "mem_limit: 64m",
    "mem_limit: 65m",
    {},
    kind === "docker" ? [`container.update ${name}-db-1`] : REPLACED(name, kind),
  ],
  ["mem_limit: 64m", "mem_limit: 64m", { rerun: ["job"] }, [`container.start ${name}-job-1`]],
  ["mem_limit: 64m", "mem_limit: 64m", { units: ["tool"] }, [
    `container.create ${name}-tool-1`,
    `container.start ${name}-tool-1`,
  ]],
  ["mem_limit: 64m", "mem_limit: 64m", { action: "down" }, [
    `container.remove ${name}-job-1`,
    `container.stop ${name}-side-1`,
    `container.remove ${name}-side-1`,
    `container.stop ${name}-web-1`,
    `container.remove ${name}-web-1`,
    `container.stop ${name}-web-2`,
    `container.remove ${name}-web-2`,
    `container.stop ${name}-db-1`,
    `container.remove ${name}-db-1`,
    `network.remove ${name}_default`,
  ]],
  ["mem_limit: 64m", "mem_limit: 64m", { action: "down", units: ["web"] }, [
    ...["web-1", "web-2"].flatMap((
      one,
    ) => [`container.stop ${name}-${one}`, `container.remove ${name}-${one}`]),
  ]],
  ["mem_limit: 64m", "mem_limit: 64m", { action: "stop" }, [
    ...["side-1", "web-1", "web-2", "db-1"].map((one) => `container.stop ${name}-${one}`),
  ]],
  ["mem_limit: 64m", "mem_limit: 64m", { action: "stop", units: ["db"] }, [`container.stop ${name}-db-1`]],
  ["mem_limit: 64m", "mem_limit: 64m", { action: "restart" }, [
    ...["db-1", "web-1", "web-2", "side-1"].map((one) => `container.restart ${name}-${one}`),
  ]],
  ["mem_limit: 64m", "mem_limit: 64m", { action: "restart", units: ["db"] }, [
    ...["db-1", "side-1"].map((one) => `container.restart ${name}-${one}`),
  ]],
  ["mem_limit: 64m", "mem_limit: 64m", { units: ["db"], recreate: "always" }, [
    ...["db-1", "side-1"].map((one) => `container.swap ${name}-${one}`),
  ]],
  ["mem_limit: 64m", "mem_limit: 64m", { pull: "always" }, REFRESHED(name, kind)],
  ["mem_limit: 64m", "mem_limit: 64m\n    pull_policy: always", { pull: "never" }, []],
  ["tier: front }", "tier: front }\n    pull_policy: always", {}, [
    `image.pull ${FIXTURE}`,
    ...["web-1", "web-2"].map((one) => `container.swap ${name}-${one} if 1`),
  ]],
  ["tier: front }", "tier: front }\n    pull_policy: every_1s", {}, [
    `image.pull ${FIXTURE}`,
    ...["web-1", "web-2"].map((one) => `container.swap ${name}-${one} if 1`),
  ]],
  // Podman does not tell when it had an image.
  [
    "tier: front }",
    "tier: front }\n    pull_policy: daily",
    {},
    kind === "docker" ? [] : [
      `image.pull ${FIXTURE}`,
      ...["web-1", "web-2"].map((one) => `container.swap ${name}-${one} if 1`),
    ],
  ],
  ["networks:\n  default: {}", "networks:\n  default: { internal: true }", { units: ["tool"] }, [
    ...["db-1", "web-1", "web-2"].map((one) => `container.stop ${name}-${one}`),
    `network.remove ${name}_default`,
    `network.create ${name}_default`,
    ...["db-1", "job-1", "web-1", "web-2"].map((one) => `network.connect ${name}-${one}`),
    ...["db-1", "web-1", "web-2"].map((one) => `container.start ${name}-${one}`),
    `container.create ${name}-tool-1`,
    `container.start ${name}-tool-1`,
    `container.restart ${name}-side-1`,
  ]],
  ["networks:\n  default: {}", "networks:\n  default: { internal: true }", {}, [
    ...["db-1", "web-1", "web-2"].map((one) => `container.stop ${name}-${one}`),
    `network.remove ${name}_default`,
    `network.create ${name}_default`,
    ...["db-1", "job-1", "web-1", "web-2"].map((one) => `network.connect ${name}-${one}`),
    ...["db-1", "web-1", "web-2"].map((one) => `container.start ${name}-${one}`),
    ...kind === "docker" ? ["wait db: service_healthy"] : [],
    `container.restart ${name}-side-1`,
  ]],
];

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("a project that does not run is brought up in an order that works, each step with a reason and a need", async (engine) => {
    await using berth = await serveEngines({ [engine.kind]: engine });
    const { id } = await workspace(berth, `absent-${kind}`, shop("absent", "docker"));

    const plan = await planOf(berth, id, "absent");

    assert.deepEqual(plan.blocked, []);
    assert.deepEqual(steps(plan), [
      "network.create absent_default",
      "volume.create absent_data",
      "container.create absent-db-1",
      "container.start absent-db-1",
      "wait db: service_healthy",
      "container.create absent-web-1",
      "container.start absent-web-1",
      "container.create absent-web-2",
      "container.start absent-web-2",
      "container.create absent-side-1",
      "container.start absent-side-1",
      "container.create absent-job-1",
      "container.start absent-job-1",
    ]);
    for (const { n, after, why, needs } of plan.steps) {
      assert.ok(why.length > 0 && needs.length > 0 && after.every((before) => before < n), String(n));
    }
    const [network, volume] = plan.steps;
    assert.deepEqual(plan.steps[2]?.after, [network?.n, volume?.n]);
    assert.deepEqual(plan.steps[5]?.after, [network?.n], "made while the database starts");
    assert.deepEqual(plan.steps[6]?.after, [5, 6], "started when it is healthy");
    assert.deepEqual(plan.missing, []);
    const again = await berth.call(`GET /api/plans/${plan.id}`);
    assert.deepEqual(again.body, plan);
    assert.equal((await berth.call("GET /api/plans/none")).body.code, "plan_not_found");
    const viewer = await berth.key("viewer");
    const refused = await viewer.call(`POST /api/workspaces/${id}/artifacts/groups/absent/plan`, {});
    assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"]);
  });

  test(
    "what Compose brought up gives an empty plan, and each edit the steps that follow from it",
    async (engine) => {
      await using berth = await serveEngines({ [engine.kind]: engine });
      const name = `plan${kind}`;
      const text = shop(name, kind);
      const { id, path } = await workspace(berth, name, text);
      assert.equal(await composeToday(engine.socket, path, "up", "-d"), "");
      try {
        await eventually("the job has ended, and the rest runs", async () => {
          const { body } = await berth.call(`GET /api/workspaces/${id}/artifacts/units/job`);
          const db = await berth.call(`GET /api/workspaces/${id}/artifacts/units/db`);
          return body.live.state === "completed" && db.body.live.state === "running";
        });
        const empty = await planOf(berth, id, name);
        assert.deepEqual([empty.blocked, steps(empty), empty.unchanged], [[], [], 5]);
        assert.deepEqual(codes(empty.warnings), ["project/completed"]);
        const { basis } = await planOf(berth, id, name);
        assert.deepEqual(basis, empty.basis, "two plans of one state are made from the same");

        assert.equal((await berth.call(`POST /api/plans/${empty.id}/check`)).status, 204);
        const moved = async () => {
          const { status, body } = await berth.call(`POST /api/plans/${empty.id}/check`);
          return [status, body.code, body.errors];
        };

        for (const [before, after, body, expected] of EDITS(name, kind)) {
          const edited = text.replace(before, after);
          if (edited !== text) await save(berth, id, `${path}/compose.yaml`, edited);
          const plan = await planOf(berth, id, name, body);
          assert.deepEqual([codes(plan.blocked), steps(plan)], [[], expected], after);
          if (edited !== text) {
            assert.notEqual(plan.basis.declared, empty.basis.declared);
            await save(berth, id, `${path}/compose.yaml`, text);
          }
        }
        const swap = await edited(berth, id, path, text.replace("tier: front", "tier: back"), name);
        assert.deepEqual(swap.steps[0]?.why, [{
          code: "field",
          field: "labels.tier",
          declared: "back",
          seen: "front",
          at: {
            file: "compose.yaml",
            path: ["services", "web", "labels", "tier"],
            range: swap.steps[0]?.why[0]?.code === "field" ? swap.steps[0].why[0].at.range : null,
          },
        }]);
        assert.deepEqual(await moved(), [409, "plan_stale", [{
          path: "file compose.yaml",
          message: "has changed since",
        }]]);
        await save(berth, id, `${path}/compose.yaml`, `# a remark\n${text}`);
        assert.equal((await moved())[0], 204, "a remark is nothing that is carried out");
        await save(berth, id, `${path}/compose.yaml`, text);
        await engine.cli("stop", `${name}-web-1`, "--time", "1");
        const stopped = await eventually("the stop is seen", async () => {
          const plan = await planOf(berth, id, name, { rerun: ["web"] });
          return plan.steps.length > 0 ? plan : null;
        });
        assert.deepEqual(steps(stopped), [`container.start ${name}-web-1`]);
        assert.notEqual(stopped.basis.observed, empty.basis.observed);
        assert.deepEqual(await moved(), [409, "plan_stale", [{
          path: `container ${name}-web-1`,
          message: "has changed since",
        }]]);
      } finally {
        await Deno.writeTextFile(`${path}/compose.yaml`, text);
        await composeToday(engine.socket, path, "down", "--volumes", "--timeout", "1");
      }
    },
    composeOfToday.missing,
  );

  test("what nobody may decide blocks the plan, each with its reason and place", async (engine) => {
    await using berth = await serveEngines({ [engine.kind]: engine });
    const blockedBy = async (name: string, text: string, files: Record<string, string> = {}) => {
      const { id, path } = await workspace(berth, name, text);
      for (const [file, content] of Object.entries(files)) await save(berth, id, `${path}/${file}`, content);
      const plan = await planOf(berth, id, name);
      await berth.call(`DELETE /api/workspaces/${id}`);
      for (const { location } of plan.blocked) assert.notEqual(location, null);
      return plan.blocked.map(({ code, location }) => `${code}:${location?.range.start.line}`).sort();
    };
    const one = (name: string, lines: string) => `name: ${name}\nservices:\n  web:${service(lines)}`;

    assert.deepEqual(await blockedBy("whole", one("whole", "")), []);
    assert.deepEqual(await blockedBy("unset", one("unset", "user: ${NOBODY_SAID}")), [
      "project/unknown-variable:7",
    ]);
    assert.deepEqual(await blockedBy("half", `include: [gone.yaml]\n${one("half", "")}`), [
      "project/incomplete:1",
    ]);
    assert.deepEqual(await blockedBy("linked", one("linked", "links: [nobody]")), ["ref/unknown-link:7"]);
    assert.deepEqual(await blockedBy("lent", one("lent", "volumes_from: [nobody]")), [
      "ref/unknown-volumes-from:7",
    ]);
    for (const key of ["pid", "ipc", "network_mode"]) {
      assert.deepEqual(await blockedBy(`joins${key}`, one(`joins${key}`, `${key}: 'service:nobody'`)), [
        "ref/unknown-namespace:7",
      ]);
    }
    const crowded = "ports: ['1-40000:1-40000', '1-40000:1-40000/udp']";
    assert.deepEqual(await blockedBy("crowded", one("crowded", crowded)), ["project/unknown-value:7"]);
    assert.deepEqual(
      await blockedBy("pathed", one("pathed", "volumes: [{ type: volume, source: ./a, target: /a }]")),
      ["compose/bad-mount:7"],
    );
    assert.deepEqual(
      await blockedBy("cipher", one("cipher", "environment: { A: 'ENC[AES256_GCM,data:x]', B: 'is ENC[' }")),
      ["project/encrypted:7"],
    );
    assert.deepEqual(
      await blockedBy("cipherfile", one("cipherfile", "env_file: a.env"), {
        "a.env": "B=1\nA=ENC[AES256,data:x]\n",
      }),
      ["project/encrypted:2"],
    );
    assert.deepEqual(
      await blockedBy("reserved", one("reserved", "labels: { com.docker.compose.project: other }")),
      ["project/reserved-label:7"],
    );
    assert.deepEqual(await blockedBy("swarm", one("swarm", "pre_start: [{ command: [x] }]")), [
      "compose/field-not-supported:7",
    ]);
    for (
      const [name, line, code] of [
        ["unclosed", 'A="never', "project/unreadable-file:1"],
        ["untold", "A=${NOBODY_SAID:?say it}", "project/unknown-value:1"],
      ] as const
    ) {
      assert.deepEqual(await blockedBy(name, one(name, "env_file: a.env"), { "a.env": `${line}\n` }), [code]);
    }
    const copied = (name: string, lines = "") =>
      one(name, `secrets: [key, word]\nconfigs: [page]\n${lines}`) +
      "secrets: { key: { environment: KEY }, word: { environment: WORD } }\nconfigs: { page: { content: 'hello' } }\n";
    assert.deepEqual(await blockedBy("copied", copied("copied"), { ".env": "KEY=1\nWORD=2\n" }), []);
    assert.deepEqual(await blockedBy("wordless", copied("wordless"), { ".env": "KEY=1\n" }), [
      "project/unknown-variable:7",
    ]);
    assert.deepEqual(
      await blockedBy("sealed", copied("sealed", "read_only: true"), { ".env": "KEY=1\nWORD=2\n" }),
      ["project/read-only:7", "project/read-only:7", "project/read-only:8"],
    );
    assert.deepEqual(
      await blockedBy("lost", `${one("lost", "secrets: [key]")}secrets: { key: { file: ./gone } }\n`),
      ["project/absent-file:8"],
    );
    const absent = "volumes: [{ type: bind, source: ./gone, target: /x, bind: { create_host_path: false } }]";
    assert.deepEqual(await blockedBy("bare", one("bare", absent)), ["project/absent-file:7"]);
    assert.deepEqual(await blockedBy("made", one("made", "volumes: ['./gone:/x']")), []);
    assert.deepEqual(
      await blockedBy("young", one("young", "volumes: [{ type: image, source: x, target: /x }]")),
      engine.kind === "podman" || await tooOld(engine, "1.48") ? ["project/engine-cannot:7"] : [],
    );
    assert.deepEqual(await blockedBy("isolated", one("isolated", "isolation: hyperv")), [
      "project/engine-cannot:7",
    ]);
    assert.deepEqual(await blockedBy("hooked", one("hooked", "pre_stop: [{ command: [] }]")), [
      "project/unknown-hook:7",
    ]);
    assert.deepEqual(await blockedBy("several", one("several", "container_name: one\nscale: 2")), [
      "compose/container-name-with-scale:7",
      "project/name-of-several:7",
    ]);
    assert.deepEqual(
      await blockedBy(
        "outside",
        `${one("outside", "networks: [far]")}networks: { far: { external: true } }\n`,
      ),
      ["project/external-missing:8"],
    );
    assert.deepEqual(
      await blockedBy("circle", `${one("circle", "depends_on: [two]")}  two:${service("depends_on: [web]")}`),
      ["project/circle:1"],
    );
    const resources = (name: string, text: string) =>
      `${one(name, "networks: [n]\nvolumes: ['own:/own']")}${text}`;
    assert.deepEqual(
      await blockedBy(
        "lost-parts",
        resources(
          "lost-parts",
          "networks: { n: { driver_opts: { a: '${NOBODY_SAID}' } } }\nvolumes: { own: { labels: ['a=${NOBODY_SAID}'] } }\n",
        ),
      ),
      ["project/unknown-variable:10", "project/unknown-variable:9"],
    );
    assert.deepEqual(await blockedBy("homely", one("homely", "volumes: ['~/data:/data']")), [
      "project/unknown-value:7",
    ]);
    const twin = await workspace(berth, "twin-a", one("twin", ""));
    assert.deepEqual(await blockedBy("twin", one("twin", "")), ["project/same-name:1"]);
    await berth.call(`DELETE /api/workspaces/${twin.id}`);
  });

  test("a plan warns of the field because of which Compose would not recognise a container", async (engine) => {
    await using berth = await serveEngines({ [engine.kind]: engine });
    const warningsOf = async (name: string, lines: string) => {
      const text = `name: ${name}\nservices:\n  web:${service(lines)}`;
      const { id, path } = await workspace(berth, name, text);
      await save(
        berth,
        id,
        `${path}/berth.yaml`,
        "rules: { compose/bad-duration: off, schema/invalid: off }\n",
      );
      const { blocked, warnings } = await planOf(berth, id, name);
      await berth.call(`DELETE /api/workspaces/${id}`);
      assert.deepEqual(blocked, []);
      return warnings.map(({ code, message, location }) =>
        [code, /because of "([^"]*)"/.exec(message)?.[1], location?.range.start.line] as const
      );
    };
    for (const [n, [lines, field, line]] of UNHASHED.entries()) {
      assert.deepEqual(await warningsOf(`unhashed-${n}`, lines), [["project/no-hash", field, line]]);
    }
    assert.deepEqual(await warningsOf("hashed", "deploy: { update_config: { delay: 10s } }"), []);
  });

  test("a forged label, a match by guess and berth itself block the plan (F91)", async (engine) => {
    await using berth = await serveEngines({ [engine.kind]: engine });
    const name = `forged${kind}`;
    const { id, path } = await workspace(berth, name, `name: ${name}\nservices:\n  web:${service("")}`);
    const made: string[] = [];
    const run = async (container: string, folder: string | null, more: Record<string, string> = {}) => {
      const labels = {
        "com.docker.compose.project": name,
        "com.docker.compose.service": "web",
        "com.docker.compose.oneoff": "False",
        ...(folder !== null && {
          "com.docker.compose.project.working_dir": folder,
          "com.docker.compose.project.config_files": `${folder}/compose.yaml`,
        }),
        ...more,
      };
      const words = Object.entries(labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]);
      await engine.cli("create", ...words, "--name", container, "--network", "none", FIXTURE, "idle");
      made.push(container);
    };
    const blocked = async (count: number) =>
      await eventually("the container is seen", async () => {
        const { body } = await berth.call(`GET /api/containers?q=${name}`);
        return body.items.length === count ? codes((await planOf(berth, id, name)).blocked) : null;
      });
    try {
      await run(`${name}-once`, path, { "com.docker.compose.oneoff": "True" });
      assert.deepEqual(await blocked(1), [], "a one-off container is nobody's business");
      await run(`${name}-elsewhere`, "/etc");
      assert.deepEqual(await blocked(2), ["project/foreign-container"]);
      await run(`${name}-guess`, null);
      assert.deepEqual(await blocked(3), ["project/foreign-container", "project/guess"]);
      await run(`${name}-self`, path, { "dev.berth.self": "1" });
      assert.deepEqual(await blocked(4), ["project/foreign-container", "project/guess", "project/self"]);
    } finally {
      for (const container of made) await engine.cli("rm", "--force", container).catch(() => {});
    }
  });

  test("a container that has the name of one to make blocks the plan, and leaves it when it is gone", async (engine) => {
    await using berth = await serveEngines({ [engine.kind]: engine });
    const name = `taken${kind}`;
    const { id } = await workspace(
      berth,
      name,
      `name: ${name}\nservices:\n  web:${service(`container_name: ${name}-fixed`)}  job:${service("")}`,
    );
    const seen = async (count: number) =>
      await eventually("the containers are seen", async () => {
        const { body } = await berth.call(`GET /api/containers?q=${name}`);
        return body.items.length === count ? await planOf(berth, id, name) : null;
      });
    const held = [`${name}-fixed`, `${name}-job-1`];
    try {
      const free = await seen(0);
      assert.deepEqual(codes(free.blocked), []);
      for (const one of held) await engine.cli("create", "--name", one, "--network", "none", FIXTURE, "idle");
      const taken = await seen(2);
      assert.deepEqual(codes(taken.blocked), ["project/name-taken", "project/name-taken"]);
      const told = new Map(taken.blocked.map(({ subject, location }) => [subject, location]));
      assert.equal(told.get(`unit:${name}.web`)?.range?.start.line, 7, "where container_name is written");
      assert.equal((await berth.call(`POST /api/plans/${taken.id}/apply`, {})).body.code, "plan_blocked");
      const names = (await engine.cli("ps", "--all", "--format", "{{.Names}}")).split("\n");
      assert.deepEqual(names.filter((one) => one.startsWith(name)).sort(), held, "nothing was made");
    } finally {
      for (const one of held) await engine.cli("rm", "--force", one).catch(() => {});
    }
    assert.deepEqual(codes((await seen(0)).blocked), []);
  });

  test("the engine's own network has two names, which are no difference", async (engine) => {
    await using berth = await serveEngines({ [engine.kind]: engine });
    const name = `bridged${kind}`;
    const text = (mode: string) =>
      `name: ${name}\nservices:\n  web:${service(`container_name: ${name}\nnetwork_mode: ${mode}`)}`;
    const { id, path } = await workspace(berth, name, text("bridge"));
    const labels = {
      "com.docker.compose.project": name,
      "com.docker.compose.service": "web",
      "com.docker.compose.project.working_dir": path,
      "com.docker.compose.project.config_files": `${path}/compose.yaml`,
    };
    const words = Object.entries(labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]);
    await engine.cli("create", "--stop-timeout", "1", ...words, "--name", name, FIXTURE, "idle");
    const kinds = async () =>
      await eventually("the container is seen", async () => {
        const { steps } = await planOf(berth, id, name);
        return steps.some(({ kind }) => kind === "container.create") ? null : steps.map(({ kind }) => kind);
      });
    try {
      assert.deepEqual(await kinds(), ["container.start"]);
      await save(berth, id, `${path}/compose.yaml`, text("default"));
      assert.deepEqual(await kinds(), ["container.start"]);
      await save(berth, id, `${path}/compose.yaml`, text("none"));
      assert.deepEqual(await kinds(), ["container.swap"], "another network is a difference");
    } finally {
      await engine.cli("rm", "--force", name).catch(() => {});
    }
  });

  test("an engine that hangs, and a secret that changed after the plan, are told by their names", async (engine) => {
    await using berth = await serveEngines({ [engine.kind]: engine });
    const name = `told${kind}`;
    const text = `name: ${name}\nservices:\n  web:${
      service("secrets: [key]")
    }secrets: { key: { file: ./key } }\n`;
    const { id, path } = await workspace(berth, name, text);
    await Deno.writeTextFile(`${path}/key`, "one");
    await save(berth, id, `${path}/compose.yaml`, `# with its secret\n${text}`);
    const made = await planOf(berth, id, name);
    assert.deepEqual(made.blocked, []);
    assert.equal((await berth.call(`POST /api/plans/${made.id}/check`)).status, 204);
    await Deno.writeTextFile(`${path}/key`, "two");
    const moved = await berth.call(`POST /api/plans/${made.id}/check`);
    assert.deepEqual([moved.status, moved.body.errors], [409, [{
      path: "secret key",
      message: "has changed since",
    }]]);

    await engine.pause();
    await using _resuming = { [Symbol.asyncDispose]: () => engine.resume() };
    const answer = await eventually("it is known to hang", async () => {
      const answer = await berth.call(`POST /api/workspaces/${id}/artifacts/groups/${name}/plan`, {});
      return answer.status === 503 ? answer : null;
    });
    assert.equal(answer.body.code, "engine_unavailable");
    assert.match(answer.body.title, new RegExp(`"${kind}".*has not answered since`));
  });

  test("orphans are a warning, and go only when that is asked", async (engine) => {
    await using berth = await serveEngines({ [engine.kind]: engine });
    const name = `orphan${kind}`;
    const { id, path } = await workspace(berth, name, `name: ${name}\nservices:\n  web:${service("")}`);
    await orphan(engine, name, path);
    try {
      const plan = await eventually("it is seen", async () => {
        const plan = await planOf(berth, id, name, { units: [] });
        return plan.warnings.length > 0 ? plan : null;
      });
      assert.deepEqual([codes(plan.warnings), steps(plan)], [["project/orphan"], []]);
      const removed = await planOf(berth, id, name, { units: [], orphans: "remove" });
      assert.deepEqual(steps(removed), [`container.remove ${name}-ghost-1`]);
      const needs = removed.steps.flatMap(({ needs }) => needs);
      const subject = { engine: kind, workspace: id, project: name };
      assert.deepEqual(needs, [{ permission: "containers:remove", subject }]);
      const operator = await berth.key("operator");
      assert.deepEqual((await planOf(operator, id, name, { units: [], orphans: "remove" })).missing, needs);
    } finally {
      await engine.cli("rm", "--force", `${name}-ghost-1`).catch(() => {});
    }
  });
}

async function tooOld(engine: TestEngine, version: string): Promise<boolean> {
  const { json } = await engine.ask("GET /version");
  const [now, needed] = [json.ApiVersion, version].map((one: string) => Number(one.split(".")[1]));
  return now! < needed!; // both are of the first API
}

async function edited(
  berth: TestService,
  id: string,
  path: string,
  text: string,
  name: string,
): Promise<Plan> {
  await save(berth, id, `${path}/compose.yaml`, text);
  return await planOf(berth, id, name);
}

async function orphan(engine: TestEngine, name: string, path: string): Promise<void> {
  const labels = {
    "com.docker.compose.project": name,
    "com.docker.compose.service": "ghost",
    "com.docker.compose.project.working_dir": path,
    "com.docker.compose.project.config_files": `${path}/compose.yaml`,
  };
  const words = Object.entries(labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]);
  await engine.cli("create", ...words, "--name", `${name}-ghost-1`, "--network", "none", FIXTURE, "idle");
}

Deno.test("an engine that is away is told by its name, and a service without engines says so", async () => {
  await using berth = await serveEngines({ nas: { socket: "/nowhere/berth-test.sock" } });
  const { id } = await workspace(berth, "away", "name: away\nservices:\n  web: { image: nginx:1.27 }\n");
  const answer = await berth.call(`POST /api/workspaces/${id}/artifacts/groups/away/plan`, {});
  assert.deepEqual([answer.status, answer.body.code], [503, "engine_unavailable"]);
  assert.match(answer.body.title, /"nas"/);
  const unknown = await berth.call(`POST /api/workspaces/${id}/artifacts/groups/away/plan`, { backend: "x" });
  assert.deepEqual([unknown.status, unknown.body.code], [400, "invalid_request"]);

  await using alone = await startService({});
  const other = await workspace(alone, "alone", "name: alone\nservices:\n  web: { image: nginx:1.27 }\n");
  const none = await alone.call(`POST /api/workspaces/${other.id}/artifacts/groups/alone/plan`, {});
  assert.ok([400, 503].includes(none.status), none.text);
});
