/** A container written down says what it is: read back and compared, nothing of it differs. */
import assert from "node:assert/strict";
import type { Model } from "../../artifacts/artifact.ts";
import { stampOf } from "../../projects/adopt/stamp.ts";
import { WRITERS } from "../../projects/adopt/write_service.ts";
import type { Declared } from "../../projects/fields/field.ts";
import { differencesOf, FIELDS } from "../../projects/fields/table.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { FIXTURE } from "../support/engine.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";
import { FILES, projectOf, SAMPLES } from "./field_samples.ts";
import { Scene } from "./field_scene.ts";
import { madeAgain } from "./made_again.ts";
import { written } from "./written_project.ts";

Deno.test("every row of the table of fields can be written down", () => {
  assert.deepEqual([...WRITERS.keys()].sort(), FIELDS.map(({ key }) => key).sort());
});

const declared = (model: Model, label: string): Declared => {
  const group = model.groups[0]!;
  const unit = group.units.find((one) => one.label === label) ?? assert.fail(label);
  return { model, group, unit, service: unit.service! };
};

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);
  const samples = SAMPLES.filter(({ only, refused }) =>
    (only === undefined || only === kind) && refused === undefined
  );

  test(
    "what Compose made of a value of each row is written down so that nothing differs",
    async (engine) => {
      await using scene = new Scene(engine);
      await using folder = await workspaceFolder({
        ...FILES,
        "compose.yaml": projectOf(samples, ({ text, row }) => row === "preStop" ? "" : text),
      });
      assert.equal(await composeToday(engine.socket, folder.path, "create"), "");
      try {
        const containers = await scene.containers();
        const { files, refused, services } = await written(engine, "laws", [...containers.values()]);
        await using adopted = await workspaceFolder(Object.fromEntries(files), "adopted");
        const model = await adopted.read();
        const view = scene.view(containers);
        const wrong = [...containers.values()].flatMap((container) => {
          const of = declared(model, services.get(container.id)!);
          return differencesOf(of, container, view).map(({ field, declared, seen }) => [
            samples[Number(container.compose?.service.slice(1))]?.text,
            field,
            declared,
            seen,
          ]);
        });
        assert.deepEqual(wrong, []);
        assert.deepEqual(refused, []);
      } finally {
        await composeToday(engine.socket, folder.path, "down", "--volumes", "--timeout", "0");
      }
    },
    composeOfToday.missing,
  );

  test("a bare container is written down with three keys, whatever its engine gives by itself", async (engine) => {
    await using scene = new Scene(engine);
    await engine.cli("create", "--name", "bare", FIXTURE);
    try {
      const containers = [...(await scene.containers()).values()];
      const bare = kind === "docker" ? null : await scene.bare();
      const { files, leftOut } = await written(engine, "alone", containers, bare);
      const image = containers[0]!.image;
      assert.equal(
        files.get("compose.yaml"),
        `name: alone\nservices:\n  bare:\n    image: "${image}"\n    network_mode: bridge\n    container_name: bare\n`,
      );
      assert.deepEqual([...files.keys()], ["compose.yaml"]);
      assert.ok(leftOut.every(({ field }) => field !== "defaults"), "the engine's own values are known");
      assert.equal((await engine.ask("GET /containers/json?all=1")).json.length, 1, "no probe is left");
    } finally {
      await engine.cli("rm", "--force", "bare");
    }
  });

  test("values that differ from those of the engine are written, and missing ones are named", async (engine) => {
    await using scene = new Scene(engine);
    const Ulimits = [{ Name: "nofile", Soft: 10, Hard: 20 }, { Name: "core", Soft: 1, Hard: 1 }];
    const asked = { Image: FIXTURE, HostConfig: { Ulimits, PidsLimit: -1 } };
    assert.equal((await engine.ask("POST /containers/create?name=other", asked)).status, 201);
    try {
      const containers = [...(await scene.containers()).values()];
      const bare = await scene.bare();
      const { files, leftOut } = await written(engine, "alone", containers, bare);
      assert.match(files.get("compose.yaml")!, /nofile:\n +soft: 10\n +hard: 20\n/);
      assert.doesNotMatch(files.get("compose.yaml")!, /logging|ipc/);
      const { files: full } = await written(engine, "alone", containers);
      if (kind === "podman") {
        assert.match(full.get("compose.yaml")!, /nproc[^]*logging/, "where it is not known");
      }
      const given = bare!.pidsLimit !== null && containers[0]!.pidsLimit === null;
      assert.equal(leftOut.some(({ field }) => field === "pids_limit"), given);
    } finally {
      await engine.cli("rm", "--force", "other");
    }
  });

  if (kind === "docker") {
    test("a container with links is the same each time that it is read", async (engine) => {
      await using scene = new Scene(engine);
      const others = ["link-a", "link-b", "link-c", "link-d"];
      for (const name of others) await engine.cli("run", "--detach", "--name", name, FIXTURE, "idle");
      const links = others.flatMap((name) => ["--link", `${name}:${name}x`]);
      const id = (await engine.cli("create", "--name", "linked", ...links, FIXTURE)).trim();
      try {
        const stamps = new Set<string>();
        for (let n = 0; n < 20; n++) stamps.add(stampOf(await scene.inspect(id)));
        assert.equal(stamps.size, 1);
      } finally {
        await engine.cli("rm", "--force", "linked", ...others);
      }
    });
  }

  // Podman takes fewer flags, and its laws are held by what Compose makes.
  if (kind === "podman") continue;
  test(
    "hard lines of docker run are written down, and Compose makes the same containers of them",
    async (engine) => {
      await using scene = new Scene(engine);
      const networks = ["hard_front", "hard-back"];
      for (const one of networks) await engine.cli("network", "create", one);
      await engine.cli("volume", "create", "hard.data");
      const run = (name: string, ...args: string[]) =>
        engine.cli("create", "--name", name, ...args.slice(0, -1), FIXTURE, ...args.at(-1)!.split("|"));
      try {
        await run(
          "yes",
          "--network",
          "hard_front",
          "--network-alias",
          "on",
          "--network-alias",
          "null",
          "--hostname",
          "null",
          "idle|$HOME|a b",
        );
        await run(
          "web",
          "-p",
          "127.0.0.1:18480:80",
          "-p",
          "18481:53/udp",
          "--expose",
          "7000",
          "idle|--x=1: #",
        );
        await run(
          "one",
          "-e",
          "PLAIN=a:b # c",
          "-e",
          "DOLLAR=$X ${Y} $$",
          "-e",
          "on=off",
          "-e",
          "N=0x10",
          "idle",
        );
        await run(
          "secrets",
          "-e",
          `DB_PASSWORD=${SECRET}`,
          "-e",
          `API_TOKEN=it's "${"$"}{x}" \\n`,
          "idle|--password|hunter2!",
        );
        await run(
          "words",
          "--label",
          `a"b=c: ${"$"}d`,
          "--label",
          "yes=no",
          "-w",
          "/a b",
          "-u",
          "1:1",
          "idle|line\nbreak|\u2028|\ttab| |",
        );
        await run("linked", "--link", "web:store", "--link", "one", "idle");
        await run("shared", "--network", "container:yes", "--pid", "container:yes", "idle");
        await run(
          "volumes",
          "-v",
          "hard.data:/data:ro",
          "-v",
          "/anonymous",
          "--tmpfs",
          "/mem:size=1m",
          "-v",
          "/tmp:/host:rslave",
          "idle",
        );
        await run("reader", "--volumes-from", "volumes:ro", "idle");
        await run("gone", "--rm", "-P", "--expose", "80", "idle");
        await run("unlabelled", "--security-opt", "label=disable", "idle");
        await run(
          "both",
          "--network",
          "hard-back",
          "--cgroupns",
          "private",
          "--stop-signal",
          "SIGTERM",
          "idle",
        );
        await engine.cli("network", "connect", "--alias", "far", "hard_front", "both");
        await run(
          "limits",
          "-m",
          "65m",
          "--memory-swap",
          "-1",
          "--cpus",
          "0.25",
          "--ulimit",
          "nofile=10:20",
          "--shm-size",
          "1m",
          "idle",
        );
        await run(
          "health",
          "--health-cmd",
          "test $A = 'b'",
          "--health-interval",
          "1500ms",
          "--entrypoint",
          "",
          "idle",
        );
        // The command line sends no name without a value, and Compose does.
        await engine.ask("POST /containers/create?name=unset", {
          Image: FIXTURE,
          Env: ["PATH"],
          Cmd: ["idle"],
          HostConfig: { Runtime: "runc" },
        });
        const { files, wrong, leftOut } = await madeAgain(engine, scene, "hard");
        assert.deepEqual(wrong, []);
        const named = leftOut.filter(({ field }) => field !== "untold").flatMap(({ containers, field }) =>
          containers.map((one) => `${one} ${field}`)
        );
        assert.deepEqual(named.sort(), [
          "gone publishesAll",
          "gone removesItself",
          "reader volumesFrom",
          "unset environment.PATH",
        ]);
        for (const secret of ["correct horse", "it's", "hunter2"]) {
          assert.ok(!files.get("compose.yaml")!.includes(secret), secret);
          assert.ok(files.get(".env")!.includes(secret), secret);
        }
      } finally {
        for (const { id } of await scene.all()) await engine.ask(`DELETE /containers/${id}?force=1&v=1`);
        for (const one of networks) await engine.cli("network", "rm", one);
        await engine.cli("volume", "rm", "hard.data");
      }
    },
    composeOfToday.missing,
  );

  test(
    "a Compose project under another name keeps the names of its containers and what they depend on",
    async (engine) => {
      await using scene = new Scene(engine);
      const image = `image: "${FIXTURE}"\n    command: idle`;
      const text = `services:\n  web:\n    ${image}\n    depends_on: [db]\n  db:\n    ${image}\n`;
      await using lost = await workspaceFolder({ "compose.yaml": text }, "old");
      assert.equal(await composeToday(engine.socket, lost.path, "create"), "");
      try {
        const { files, wrong } = await madeAgain(engine, scene, "shop");
        assert.deepEqual(wrong, []);
        assert.match(
          files.get("compose.yaml")!,
          / +web:\n[^]*depends_on:\n +db:\n +condition: service_started\n/,
        );
      } finally {
        await composeToday(engine.socket, lost.path, "down", "--timeout", "0");
      }
    },
    composeOfToday.missing,
  );
}

/** In two lines, as of a key, with all that a file could take for its own. */
const SECRET = `correct horse\n"battery" 'staple' $x \\ # =`;
