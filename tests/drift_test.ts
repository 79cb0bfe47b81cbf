/** Projects that a real Compose brought up: what was not edited shows no drift, and each edit shows as itself alone. */
import assert from "node:assert/strict";
import { FIXTURE } from "./engine.ts";
import { engineTests } from "./engine_tests.ts";
import { eventually } from "./eventually.ts";
import { compose, driftOf, serving, workspace } from "./live_scene.ts";

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
      - ./link:/link
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
`;

/** What to edit, in which unit it shows, and as what. */
const EDITS: readonly [string, string, string, Record<string, [string, string]>][] = [
  ["command: []", "command: [other]", "web", { command: ["other", "idle"] }],
  ["./link:", "./elsewhere:", "web", { "mounts./link": ["./elsewhere", "{folder}/link"] }],
  ["../outside:", "../moved:", "web", { "mounts./outside": ["../moved", "{above}/outside"] }],
  ["/scratch", "/more", "web", { "mounts./more": ["tmpfs (anonymous)", "(not mounted)"] }],
  ["tmpfs: /memory", "tmpfs: /less", "web", { "mounts./less": ["tmpfs", "(not mounted)"] }],
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
];

const { test } = await engineTests("docker");

test("a project that Compose brought up shows no drift, and each edit shows as itself alone", async (engine) => {
  await using berth = await serving(engine);
  const above = `${berth.folder}/workspaces`;
  const text = textIn(above);
  await Deno.mkdir(`${above}/outside`);
  await Deno.symlink("outside", `${above}/alias`);
  const { id, path } = await workspace(berth, "unchanged", text);
  await Deno.mkdir(`${path}/target`);
  await Deno.symlink("target", `${path}/link`);
  const failure = await compose(engine, path, "up", "-d");
  if (failure === null) return console.error("NOT RUN: there is no docker-compose on this machine");
  assert.equal(failure, "");
  try {
    await eventually("both run", async () => {
      const { body } = await berth.call(`GET /api/workspaces/${id}/artifacts/groups/unchanged`);
      return body.live.state === "running";
    });
    assert.deepEqual(await driftOf(berth, id, "web"), {});
    assert.deepEqual(await driftOf(berth, id, "beside"), {});

    for (const [before, after, unit, expected] of EDITS) {
      const edited = text.replace(before, after);
      assert.notEqual(edited, text, before);
      const revision = async () => (await berth.call(`GET /api/workspaces/${id}`)).body.revision;
      const old = await revision();
      await Deno.writeTextFile(`${path}/compose.yaml`, edited);
      await eventually("the edit is read", async () => await revision() !== old);
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
});
