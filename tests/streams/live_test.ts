/** Running containers beside declared units: Compose's own labels on real engines. */
import assert from "node:assert/strict";
import type { Diagnostic } from "../../artifacts/report/report_shape.ts";
import { FIXTURE } from "../support/engine.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { compose, composeMissing, driftOf, workspace } from "./live_scene.ts";
import { serveEngines, startService } from "../support/service.ts";

const unit = (more: string, command = "[idle]") => `
    image: ${FIXTURE}
    command: ${command}
    network_mode: none
    stop_grace_period: 1s${
  more.split("\n").filter((line) => line !== "").map((line) => `\n    ${line}`).join("")
}
`;

/** The labels that Compose gives a container, and what `unit` says of its end. */
function labels(project: string, service: string, folder: string, file = `${folder}/compose.yaml`): string[] {
  return Object.entries({
    "com.docker.compose.project": project,
    "com.docker.compose.service": service,
    "com.docker.compose.project.working_dir": folder,
    "com.docker.compose.project.config_files": file,
    "com.docker.compose.container-number": "1",
    "com.docker.compose.oneoff": "False",
  }).flatMap(([key, value]) => ["--label", `${key}=${value}`]).concat("--stop-timeout", "1");
}

const codes = (report: { diagnostics: Diagnostic[] }, prefix: string) =>
  report.diagnostics.filter(({ code }) => code.startsWith(prefix)).map((
    { code, subject },
  ) => [code, subject]);

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("a workspace registered just now owns its containers in the very next answer", async (engine) => {
    await using berth = await serveEngines({ [engine.kind]: engine });
    const path = `${berth.folder}/workspaces/owner-${kind}`;
    const options = [...labels(`owner-${kind}`, "web", path), "--name", `owner-${kind}`, "--network", "none"];
    await engine.cli("create", ...options, FIXTURE, "idle");
    try {
      await eventually("the container is listed", async () => {
        const { body } = await berth.call(`GET /api/containers?q=owner-${kind}`);
        return body.items.length === 1;
      });
      const { id } = await workspace(berth, `owner-${kind}`, `services:\n  web:${unit("")}`);

      const listed = await berth.call(`GET /api/containers?workspace=${id}`);

      assert.equal(listed.status, 200, listed.text);
      assert.deepEqual(listed.body.items.map((item: { workspace: unknown }) => item.workspace), [
        { id, unit: `owner-${kind}.web` },
      ]);
    } finally {
      await engine.cli("rm", "--force", `owner-${kind}`).catch(() => {});
    }
  });

  test("the first list and the first detail after a start know whose a container is", async (engine) => {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-test-" }));
    const engines = [{ name: engine.kind, url: `unix://${engine.socket}` }];
    try {
      let admin = "";
      let id = "";
      {
        await using berth = await startService({ folder });
        admin = berth.admin!; // the first start makes one
        id = (await workspace(berth, `first-${kind}`, `services:\n  web:${unit("")}`)).id;
      }
      const place = labels(`first-${kind}`, "web", `${folder}/workspaces/first-${kind}`);
      await engine.cli("create", ...place, "--name", `first-${kind}`, "--network", "none", FIXTURE, "idle");
      for (const route of [`/api/containers?q=first-${kind}`, `/api/containers/first-${kind}`]) {
        await using berth = await startService({ folder, admin, engines });
        await eventually("the engine is up", async () => {
          const { body } = await berth.call("GET /api/system/backends");
          return body.items[0].state === "up";
        });
        const { body } = await berth.call(`GET ${route}`);
        assert.deepEqual((body.items?.[0] ?? body).workspace, { id, unit: `first-${kind}.web` }, route);
      }
    } finally {
      await engine.cli("rm", "--force", `first-${kind}`).catch(() => {});
      await Deno.remove(folder, { recursive: true });
    }
  });

  test(
    "what Compose started is joined, a job that ended well is completed, and an edit shows as drift",
    async (engine) => {
      await using berth = await serveEngines({ [engine.kind]: engine });
      const text = `services:
  web:${unit("environment: { COLOUR: red }\nrestart: unless-stopped")}
  job:${unit("", '["true"]')}
  late:${unit("")}
`;
      const { id, path } = await workspace(berth, `compose-${kind}`, text);
      // Debian's Compose is of the first generation: it knows no `name:`.
      await Deno.writeTextFile(`${path}/.env`, "COMPOSE_PROJECT_NAME=shop\n");
      const failure = await compose(engine, path, "up", "-d", "web", "job");
      assert.equal(failure, "");
      try {
        await eventually("the job has ended", async () => {
          const { body } = await berth.call(`GET /api/workspaces/${id}/artifacts/units/job`);
          return body.live.state === "completed";
        });
        const web = await berth.call(`GET /api/workspaces/${id}/artifacts/units/web`);
        assert.deepEqual(
          [web.body.live.state, web.body.live.desired, web.body.live.match, web.body.live.containers.length],
          ["running", 1, { by: "configFiles", confidence: "certain" }, 1],
        );
        assert.deepEqual(web.body.live.drift, []);
        assert.deepEqual(await driftOf(berth, id, "job"), {});
        const dag = await berth.call(`GET /api/workspaces/${id}/artifacts/dag?live=true`);
        const states = dag.body.nodes.map((
          node: { id: string; live?: { state: string } },
        ) => [node.id, node.live?.state]);
        assert.deepEqual(states, [
          ["group:shop", "degraded"],
          ["unit:shop.job", "completed"],
          ["unit:shop.late", "absent"],
          ["unit:shop.web", "running"],
        ]);

        await Deno.writeTextFile(
          `${path}/compose.yaml`,
          text.replace(FIXTURE, "berth-fixture:2").replace("red", "blue").replace("unless-stopped", "always"),
        );
        const drift = await eventually("the edit is seen", async () => {
          const drift = await driftOf(berth, id, "web");
          return "image" in drift ? drift : null;
        });
        assert.deepEqual(drift, {
          image: ["berth-fixture:2", FIXTURE],
          "environment.COLOUR": ["********", "(another value)"],
          restart: ["always", "unless-stopped"],
        });
        const report = await berth.call(`POST /api/workspaces/${id}/artifacts/validate?live=true`);
        const found = report.body.diagnostics.find(({ code }: Diagnostic) => code === "live/drift");
        assert.deepEqual([found.subject, found.location.range.start.line], ["unit:shop.web", 3]);
        assert.deepEqual(codes(report.body, "live/not-running"), [["live/not-running", "unit:shop.late"]]);
        assert.equal(report.body.valid, true);
        assert.deepEqual(
          codes((await berth.call(`POST /api/workspaces/${id}/artifacts/validate`)).body, "live/"),
          [],
        );

        const projects = await berth.call("GET /api/system/tool-projects");
        const own = projects.body.items.find(({ group }: { group: string }) => group === "shop");
        assert.deepEqual([own.workspace.id, own.project, own.status, own.backend], [
          id,
          "shop",
          "degraded",
          kind,
        ]);
        assert.deepEqual(
          own.services.map(({ name, running }: { name: string; running: number }) => [name, running]),
          [
            ["web", 1],
            ["job", 0],
            ["late", 0],
          ],
        );
      } finally {
        await compose(engine, path, "down", "--timeout", "1");
      }
    },
    composeMissing,
  );

  test("each field that differs is named with what is declared and what runs, and nothing that agrees", async (engine) => {
    await using berth = await serveEngines({ [engine.kind]: engine });
    const declared = unit(
      `user: "1000"
working_dir: /srv
hostname: front
container_name: drift-${kind}
entrypoint: ["/bin/busybox"]
privileged: false
read_only: true
cap_add: [NET_ADMIN]
cap_drop: [CHOWN]
mem_limit: 64m
labels: { tier: front, api.token: abc }
environment: { PASSWORD: one, MISSING: x }
healthcheck: { test: [CMD, "true"] }
restart: on-failure:3
volumes: ["./html:/html:ro", "cache:/cache"]
ports: ["127.0.0.1:18080:80", "9000"]`,
      '["sh", "-c", "sleep 1"]',
    ).replace("network_mode: none", "network_mode: bridge");
    const { id, path } = await workspace(
      berth,
      `drift-${kind}`,
      `name: drift\nservices:\n  web:${declared}volumes:\n  cache:\n`,
    );
    await Deno.mkdir(`${path}/html`);
    const create = (...options: string[]) =>
      engine.cli("create", ...labels("drift", "web", path), ...options);
    await create(
      ...["--name", `drift-${kind}`, "--user", "1000", "--workdir", "/srv", "--hostname", "front"],
      ...["--entrypoint", "/bin/busybox", "--read-only", "--cap-add", "NET_ADMIN", "--cap-drop", "CHOWN"],
      ...["--memory", "64m", "--label", "tier=front", "--label", "api.token=abc"],
      ...["--env", "PASSWORD=one", "--env", "MISSING=x", "--restart", "on-failure:3", "--network", "bridge"],
      ...["--volume", `${path}/html:/html:ro`, "--volume", "drift_cache:/cache"],
      ...["--publish", "127.0.0.1:18080:80", "--publish", "9000"],
      ...[FIXTURE, "sh", "-c", "sleep 1"],
    );
    try {
      const agreeing = await eventually("the container is seen", async () => {
        const { body } = await berth.call(`GET /api/workspaces/${id}/artifacts/units/web`);
        return body.live.containers.length === 1 ? await driftOf(berth, id, "web") : null;
      });
      // The command line cannot set a check as a list of words, as Compose does.
      assert.deepEqual(Object.keys(agreeing), ["healthcheck"]);

      await engine.cli("rm", `drift-${kind}`);
      await create(
        ...[
          "--name",
          `other-${kind}`,
          "--env",
          "PASSWORD=two",
          "--label",
          "tier=back",
          "--label",
          "api.token=x",
        ],
        ...["--memory", "32m", "--network", "none", "--volume", "drift_other:/cache", "--privileged"],
        ...[FIXTURE, "idle"],
      );
      const differing = await eventually("the other container is seen", async () => {
        const drift = await driftOf(berth, id, "web");
        return drift.name === undefined ? null : drift;
      });
      assert.deepEqual(differing, {
        capAdd: ["NET_ADMIN", "(none)"],
        capDrop: ["CHOWN", differing.capDrop![1]], // Podman drops one of its own where all are given
        command: ['sh -c "sleep 1"', "idle"],
        entrypoint: ["/bin/busybox", "(none)"],
        "environment.MISSING": ["********", "(not set)"],
        "environment.PASSWORD": ["********", "(another value)"],
        healthcheck: ["CMD true", "NONE"],
        hostname: ["front", differing.hostname![1]],
        "labels.api.token": ["********", "********"],
        "labels.tier": ["front", "back"],
        "limits.memory": ["67108864 bytes", "33554432 bytes"],
        "mounts./cache": ["drift_cache", "drift_other"],
        "mounts./html": ["bind ./html", "(not mounted)"],
        name: [`drift-${kind}`, `other-${kind}`],
        networks: ["bridge", "none"],
        ports: ["0.0.0.0:any->9000/tcp", "(not published)"],
        privileged: ["false", "true"],
        readOnly: ["true", "false"],
        restart: ["on-failure:3", "no"],
        user: ["1000", "(none)"],
        workingDir: ["/srv", differing.workingDir![1]],
      });
    } finally {
      await engine.cli("rm", "--force", "--volumes", `other-${kind}`).catch(() => {});
      await engine.cli("rm", "--force", "--volumes", `drift-${kind}`).catch(() => {});
    }
  });

  test("orphans, a renamed project, a file that is gone and a taken name are told", async (engine) => {
    await using berth = await serveEngines({ [engine.kind]: engine });
    const { id, path } = await workspace(
      berth,
      `orphans-${kind}`,
      `name: new\nservices:\n  web:${unit("")}\nnetworks:\n  out: { external: true, name: nowhere }\n`,
    );
    const run = (name: string, ...options: string[]) =>
      engine.cli("run", "--detach", "--name", name, "--network", "none", ...options, FIXTURE, "idle");
    const gone = `${path}/compose.yaml,${path}/compose.prod.yaml`;
    await run(`orphan-web-${kind}`, ...labels("old", "web", path, gone));
    await run(`orphan-ghost-${kind}`, ...labels("old", "ghost", path, gone));
    await run(
      `orphan-once-${kind}`,
      ...labels("old", "once", path),
      "--label",
      "com.docker.compose.oneoff=True",
    );
    try {
      const found = await eventually("both are seen", async () => {
        const { body } = await berth.call(`POST /api/workspaces/${id}/artifacts/validate?live=true`);
        const found = codes(body, "live/").map(([code]) => code).sort();
        return found.includes("live/orphan-container") ? found : null;
      });
      assert.deepEqual(found, ["live/config-file-gone", "live/orphan-container", "live/renamed"]);
      const { body } = await berth.call(`POST /api/workspaces/${id}/artifacts/validate?live=true`);
      assert.deepEqual(codes(body, "ref/external-missing"), [["ref/external-missing", "network:.nowhere"]]);
      const orphan = body.diagnostics.find(({ code }: Diagnostic) => code === "live/orphan-container");
      assert.equal(orphan.data.service, "ghost");
      // Lists of containers know whose they are.
      const owned = await eventually("the list knows the owner", async () => {
        const { body } = await berth.call(`GET /api/containers?q=orphan-web-${kind}`);
        return body.items[0]?.workspace;
      });
      assert.deepEqual(owned, { id, unit: "new.web" });
    } finally {
      for (const name of ["web", "ghost", "once"]) {
        await engine.cli("rm", "--force", `orphan-${name}-${kind}`).catch(() => {});
      }
    }
  });
}
