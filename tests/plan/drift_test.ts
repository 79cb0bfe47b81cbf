/** Projects that a real Compose brought up: what was not edited shows no drift, and each edit shows as itself alone. */
import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { compose, composeMissing, driftOf, save, workspace } from "../streams/live_scene.ts";
import { serveEngines } from "../support/service.ts";

/** Everything that the engine or the disk calls otherwise than the file. */
const textIn = (above: string) =>
  `version: "3.9"
services:
  web:
    image: ${FIXTURE}
    command: []
    stop_grace_period: 1s
    volumes:
      - ${above}/alias:/by-link
      - ./link:/up/../link/
      - ../outside:/outside
      - { type: tmpfs, target: /scratch }
    tmpfs: /memory
    ports:
      - "80"
      - "127.0.0.1:0:81"
      - "127.0.0.1:18370-18399:82"
      - "127.0.0.1:18362:80"
      - "127.0.0.1::83"
    healthcheck: { test: ["CMD", "true"], interval: 30s, timeout: 1m30s, retries: 5, start_period: 2s }
  beside:
    image: ${FIXTURE}
    command: [idle]
    stop_grace_period: 1s
    network_mode: "service:web"
  tool:
    image: ${FIXTURE}
    profiles: [tools]
    stop_grace_period: 1s
`;

/** The edits, each with the unit and the difference that it makes. */
const EDITS: readonly [string, string, string, Record<string, [string, string]>][] = [
  ["command: []", "command: [other]", "web", { command: ["other", "idle"] }],
  ["./link:", "./elsewhere:", "web", { "mounts./link": ["./elsewhere", "{folder}/link"] }],
  ["../outside:", "../moved:", "web", { "mounts./outside": ["../moved", "{above}/outside"] }],
  ["/scratch", "/more", "web", {
    "mounts./more": ["tmpfs (anonymous)", "(not mounted)"],
    "mounts./scratch": ["(not mounted)", "tmpfs"],
  }],
  ["tmpfs: /memory", "tmpfs: /less", "web", {
    "mounts./less": ["tmpfs", "(not mounted)"],
    "mounts./memory": ["(not mounted)", "tmpfs"],
  }],
  ["18362:80", "18363:80", "web", { ports: ["127.0.0.1:18363->80/tcp", "127.0.0.1:18362->80/tcp"] }],
  ["18370-18399:", "18371-18399:", "web", {
    ports: ["127.0.0.1:18371-18399->82/tcp", "127.0.0.1:18370-18399->82/tcp"],
  }],
  ['"127.0.0.1::83"', '"127.0.0.2::83"', "web", {
    ports: ["127.0.0.2:any->83/tcp", "127.0.0.1:any->83/tcp"],
  }],
  ['      - "80"\n', "", "web", { ports: ["(not published)", "0.0.0.0:any->80/tcp"] }],
  ["interval: 30s", "interval: 31s", "web", { "healthcheck.interval": ["31s", "30s"] }],
  ["timeout: 1m30s", "timeout: 2m", "web", { "healthcheck.timeout": ["2m", "90s"] }],
  ["retries: 5", "retries: 6", "web", { "healthcheck.retries": ["6", "5"] }],
  ["start_period: 2s", "start_period: 3s", "web", { "healthcheck.start_period": ["3s", "2s"] }],
  ['"service:web"', '"service:beside2"', "beside", { networks: ["service:beside2", "service:web"] }],
  ['"service:web"', "host", "beside", { networks: ["host", "service:web"] }],
  ["profiles: [tools]", "scale: 2", "tool", { replicas: ["2", "1"] }],
];

/** Podman chooses a port when the container is made, shows which, and refuses to choose from a range. */
const PODMANS_OWN = ["18370-18399:", '"127.0.0.1::83"', '      - "80"\n'];

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test(
    "values of an env_file, flags from variables and paths with a slash at the end are compared, too",
    async (engine) => {
      await using berth = await serveEngines({ [engine.kind]: engine });
      const text = `version: "2.4"
services:
  web:
    image: ${FIXTURE}
    command: [idle]
    network_mode: none
    stop_grace_period: 1s
    env_file: [.secrets/web.env, more.env]
    environment: { OWN: set, TOLD: here }
    read_only: "\${RO:-true}"
    working_dir: /srv/x/
    cap_drop: [ALL]
    cap_add: [chown, NET_ADMIN]
    pids_limit: 50
`;
      const { id, path } = await workspace(berth, "files", text);
      const write = (file: string, content: string) => save(berth, id, `${path}/${file}`, content);
      await Deno.mkdir(`${path}/.secrets`);
      await write(".secrets/web.env", "A=1\nB='two words'\nOWN=file\nLATER=early\n");
      await write("more.env", "# said\nLATER=late\nEMPTY=\n");
      const failure = await compose(engine, path, "up", "-d");
      assert.equal(failure, "");
      try {
        await eventually("it runs", async () => {
          const { body } = await berth.call(`GET /api/workspaces/${id}/artifacts/units/web`);
          return body.live.state === "running";
        });
        assert.deepEqual(await driftOf(berth, id, "web"), {});

        await write(".secrets/web.env", "A=2\nB='two words'\nOWN=other\nLATER=changed\nNEW=1\n");
        assert.deepEqual(await driftOf(berth, id, "web"), {
          "environment.A": ["********", "(another value)"],
          "environment.NEW": ["********", "(not set)"],
        });
        const { body: group } = await berth.call(`GET /api/workspaces/${id}/artifacts/groups/files`);
        assert.deepEqual(
          group.live.drift.map(({ field }: { field: string }) => field),
          ["environment.A", "environment.NEW"],
          "a group has the differences of its units",
        );
        await write(
          "compose.yaml",
          text.replace("RO:-true", "RO:-false").replace("50", "51").replace(
            "[.secrets/web.env, more.env]",
            "[]",
          ).replace("chown, NET_ADMIN", "NET_ADMIN, kill"),
        );
        assert.deepEqual(await driftOf(berth, id, "web"), {
          capAdd: ["KILL, NET_ADMIN", "CHOWN, NET_ADMIN"],
          ...Object.fromEntries(
            ["A", "B", "LATER", "EMPTY"].map((name) => [`environment.${name}`, ["(not set)", "********"]]),
          ),
          "limits.pids": ["51", "50"],
          readOnly: ["false", "true"],
        });
      } finally {
        await compose(engine, path, "down", "--timeout", "1");
      }
    },
    composeMissing,
  );

  test(
    "a project that Compose brought up shows no drift, and each edit shows as itself alone",
    async (engine) => {
      await using berth = await serveEngines({ [engine.kind]: engine });
      const above = `${berth.folder}/workspaces`;
      const whole = textIn(above);
      const text = kind === "docker" ? whole : whole.replace(/ +- "127.0.0.1:18370-18399:82"\n/, "");
      await Deno.mkdir(`${above}/outside`);
      await Deno.symlink("outside", `${above}/alias`);
      const { id, path } = await workspace(berth, "unchanged", text);
      await Deno.mkdir(`${path}/target`);
      await Deno.symlink("target", `${path}/link`);
      const failure = await compose(engine, path, "--profile", "tools", "up", "-d");
      assert.equal(failure, "");
      try {
        await eventually("both run", async () => {
          const { body } = await berth.call(`GET /api/workspaces/${id}/artifacts/groups/unchanged`);
          return body.live.state === "running";
        });
        assert.deepEqual(await driftOf(berth, id, "web"), {});
        assert.deepEqual(await driftOf(berth, id, "beside"), {});
        assert.deepEqual(await driftOf(berth, id, "tool"), {}, "its profile was named on the command line");

        for (const [before, after, unit, expected] of EDITS) {
          if (kind === "podman" && PODMANS_OWN.includes(before)) continue;
          const edited = text.replace(before, after);
          assert.notEqual(edited, text, before);
          await save(berth, id, `${path}/compose.yaml`, edited);
          const named = Object.fromEntries(
            Object.entries(expected).map(([field, texts]) => [
              field,
              texts.map((text) => text.replace("{folder}", path).replace("{above}", above)),
            ]),
          );
          assert.deepEqual(await driftOf(berth, id, unit), named, after);
        }
      } finally {
        await Deno.writeTextFile(`${path}/compose.yaml`, text);
        await compose(engine, path, "down", "--timeout", "1");
      }
    },
    composeMissing,
  );
}
