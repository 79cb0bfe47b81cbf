/**
 * Files and folders that are replaced while a container mounts them: berth says so wherever the container reads another
 * one. `BERTH_TEST_MOUNTS=all` tries every way of replacing.
 */
import assert from "node:assert/strict";
import { ApplyScene, project, service } from "./apply_scene.ts";
import type { TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { lawEngine } from "../support/shared_engine.ts";

/** A way of replacing, as it is done to `one.conf` and the folder `conf` below a folder. */
interface Way {
  /** Before the container starts. */
  readonly before?: (at: string) => Promise<void>;
  readonly file: (at: string) => Promise<void>;
  readonly folder: (at: string) => Promise<void>;
  /** The expected states of file and folder: with berth there at the start, and started afterwards. */
  readonly expected: readonly [file: States, folder: States];
}
type States = readonly [present: string | null, afterwards: string | null];

const REPLACED = ["replaced", "replaced"] as const;
const DELETED = ["deleted", "deleted"] as const;
/** The same file with a new text: only berth at the start can tell it from an older file that was moved there. */
const WRITTEN = ["changedSince", "maybeReplaced"] as const;
/** Entries of a folder changed, and so did its time. */
const SAME_FOLDER = [null, "maybeReplaced"] as const;

const OLD = "old\n";
const NEW = "new words\n";
const write = (path: string, text = NEW) => Deno.writeTextFile(path, text);
const run = async (command: string, cwd: string) => {
  const { success, stderr } = await new Deno.Command("sh", { args: ["-ec", command], cwd }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
};
const GIT = "git -c user.name=a -c user.email=a@example.org -c init.defaultBranch=main";
/** A history of two texts, of which the first is checked out; `other` has no folder. */
const history = (at: string) =>
  run(
    `${GIT} init -q . && ${GIT} add . && ${GIT} commit -qm one && ` +
      `printf 'new words\\n' >one.conf && printf 'new words\\n' >conf/a && ${GIT} commit -qam two && ${GIT} branch two && ` +
      `${GIT} rm -qr conf && ${GIT} commit -qm none && ${GIT} branch none && ${GIT} checkout -q main~2`,
    at,
  );

const WAYS: Readonly<Record<string, Way>> = {
  vim: {
    // Keeps the old file under another name until the new one is written.
    file: async (at) => {
      await Deno.rename(`${at}/one.conf`, `${at}/one.conf~`);
      await write(`${at}/one.conf`);
      await Deno.remove(`${at}/one.conf~`);
    },
    folder: (at) => write(`${at}/conf/a`),
    expected: [REPLACED, [null, null]],
  },
  sed: {
    file: (at) => run("sed -i s/old/'new words'/ one.conf", at),
    folder: (at) => run("sed -i s/old/'new words'/ conf/a", at),
    expected: [REPLACED, SAME_FOLDER],
  },
  mv: {
    file: (at) => run("echo new words >fresh && mv fresh one.conf", at),
    folder: (at) => run("mkdir fresh && echo new words >fresh/a && mv conf aside && mv fresh conf", at),
    expected: [REPLACED, REPLACED],
  },
  checkout: {
    before: history,
    file: (at) => run(`${GIT} checkout -q two`, at),
    folder: (at) => run(`${GIT} checkout -q none && ${GIT} checkout -q two`, at),
    expected: [REPLACED, REPLACED],
  },
  pull: {
    before: async (at) => {
      await history(at);
      await run(
        `git clone -q --bare . ${at}.git && ${GIT} reset -q --hard && git remote add up ${at}.git`,
        at,
      );
    },
    file: (at) => run(`${GIT} pull -q up two`, at),
    folder: (at) => run(`${GIT} pull -q up two`, at),
    expected: [REPLACED, SAME_FOLDER],
  },
  rsync: {
    // Writes beside it, keeps the time of the source, and renames.
    file: (at) => run("echo new words >.one.Xy && touch -d '1 day ago' .one.Xy && mv .one.Xy one.conf", at),
    folder: (at) => run("echo new words >conf/.a.Xy && mv conf/.a.Xy conf/a", at),
    expected: [REPLACED, SAME_FOLDER],
  },
  inplace: {
    file: (at) => run("echo new words >one.conf && touch -d '1 day ago' one.conf", at),
    folder: (at) => run("echo new words >conf/a && touch -d '1 day ago' conf/a", at),
    expected: [[null, "maybeReplaced"], [null, null]],
  },
  cp: {
    file: (at) => run("echo new words >fresh && cp fresh one.conf", at),
    folder: (at) => run("echo new words >fresh && cp fresh conf/a", at),
    expected: [WRITTEN, [null, null]],
  },
  editor: {
    file: async (at) => {
      await write(`${at}/.one.tmp`);
      await Deno.rename(`${at}/.one.tmp`, `${at}/one.conf`);
    },
    folder: async (at) => {
      await write(`${at}/conf/.a.tmp`);
      await Deno.rename(`${at}/conf/.a.tmp`, `${at}/conf/a`);
    },
    expected: [REPLACED, SAME_FOLDER],
  },
  exchange: {
    // Older than the container: no birth time tells of it.
    before: (at) => run("mkdir spare && echo new words >spare/a && echo new words >spare.conf", at),
    file: (at) => run("mv one.conf aside.conf && mv spare.conf one.conf", at),
    folder: (at) => run("mv conf aside && mv spare conf", at),
    expected: [["replaced", "maybeReplaced"], ["replaced", "maybeReplaced"]],
  },
  delete: {
    file: (at) => Deno.remove(`${at}/one.conf`),
    folder: (at) => Deno.remove(`${at}/conf`, { recursive: true }),
    expected: [DELETED, DELETED],
  },
  "delete-create": {
    file: (at) => run("rm one.conf && echo new words >one.conf", at),
    folder: (at) => run("rm -r conf && mkdir conf && echo new words >conf/a", at),
    expected: [REPLACED, REPLACED],
  },
};

const chosen = Deno.env.get("BERTH_TEST_MOUNTS") === "all"
  ? Object.keys(WAYS)
  : ["sed", "mv", "cp", "exchange", "delete"];
const KINDS = ["file", "folder"] as const;
type Kind = typeof KINDS[number];
const MOUNTS = {
  file: { source: "one.conf", target: "/etc/one.conf", read: "/etc/one.conf" },
  folder: { source: "conf", target: "/etc/app", read: "/etc/app/a" },
} as const;
const cases = chosen.flatMap((way) => KINDS.map((kind) => ({ way, kind, unit: `${way}-${kind}` })));

for (const engineKind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(engineKind);

  test("a mount that reads another file than the one that is there is never called as written", async (engine) => {
    await using berth = await serveEngines({ here: engine });
    const name = `ways${engineKind}`;
    const lines = ({ kind, unit }: typeof cases[number]) =>
      `volumes: ['./${unit}/${MOUNTS[kind].source}:${MOUNTS[kind].target}']`;
    const scene = await ApplyScene.on(
      engine,
      berth,
      name,
      project(name, cases.map((one) => service(one.unit, lines(one)))),
    );
    for (const { way, unit } of cases) {
      await Deno.mkdir(`${scene.path}/${unit}/conf`, { recursive: true });
      await write(`${scene.path}/${unit}/one.conf`, OLD);
      await write(`${scene.path}/${unit}/conf/a`, OLD);
      await WAYS[way]!.before?.(`${scene.path}/${unit}`);
    }
    await pastTheSecond();
    const applied = await scene.apply();
    assert.equal(applied.state, "done", applied.reason ?? "");
    assert.deepEqual(
      await statesOf(berth, scene.workspace),
      {},
      "nothing is said before anything is replaced",
    );
    await pastTheSecond();
    for (const { way, kind, unit } of cases) await WAYS[way]![kind](`${scene.path}/${unit}`);

    await using later = await serveEngines({ here: engine }, { roots: [`${berth.folder}/workspaces`] });
    const { body } = await later.call("POST /api/workspaces", { path: scene.path });
    const seen = async () =>
      [await statesOf(berth, scene.workspace), await statesOf(later, body.id)] as const;
    const expected = ([0, 1] as const).map((when) =>
      Object.fromEntries(cases.flatMap(({ way, kind, unit }) => {
        const state = WAYS[way]!.expected[KINDS.indexOf(kind)]![when];
        return state === null ? [] : [[unit, state]];
      }))
    );
    await eventually("the states are told", async () => {
      assert.deepEqual(await seen(), expected);
      return true;
    });
    await isTrue(engine, scene, cases, await seen());
  });

  test("a plan restarts the container that reads a replaced file, and asks for a deleted one", async (engine) => {
    await using berth = await serveEngines({ here: engine });
    const name = `stale${engineKind}`;
    const long = (reload: string) =>
      "volumes: [{ type: bind, source: ./two.conf, target: /etc/two.conf, x-berth: { reload: " + reload +
      " } }]";
    const scene = await ApplyScene.on(
      engine,
      berth,
      name,
      project(name, [
        service(
          "web",
          "volumes: ['./one.conf:/etc/one.conf:ro', '/etc/localtime:/etc/localtime:ro', '/proc:/host']",
        ),
        service("restarts", long("restart")),
        service("ignores", long("ignore")),
      ]),
    );
    const file = `${scene.path}/one.conf`;
    await write(file, OLD);
    await write(`${scene.path}/two.conf`, OLD);
    assert.equal((await scene.apply()).state, "done");
    assert.deepEqual((await scene.plan()).steps, []);

    await run("echo new words >fresh && mv fresh one.conf && echo new words >two.conf", scene.path);
    const plan = await scene.plan();
    assert.deepEqual(
      plan.steps.map(({ kind, target, why }) => [kind, target, why.map(({ code }) => code)]),
      [
        ["container.restart", `${name}-web-1`, ["staleMount"]],
        ["container.restart", `${name}-restarts-1`, ["staleMount"]],
      ],
    );
    const { body } = await berth.call(`GET /api/workspaces/${scene.workspace}/artifacts/units/web`);
    assert.equal(body.live.verdict, "differs");
    const [{ field, mount, location }] = body.live.drift;
    assert.deepEqual([field, mount.state, location.range.start.line], [
      "mounts./etc/one.conf",
      "replaced",
      7,
    ]);
    assert.ok(Date.parse(mount.replacedAt) > Date.parse(mount.startedAt));
    assert.equal((await scene.apply()).state, "done");
    assert.equal(await engine.cli("exec", `${name}-web-1`, "cat", "/etc/one.conf"), NEW.trim());
    assert.deepEqual((await scene.plan()).steps, []);

    await run("rm one.conf && ln -s one.conf one.conf", scene.path);
    const blocked = await scene.plan();
    assert.deepEqual(blocked.blocked.map(({ code }) => code), ["project/absent-file"]);
    assert.equal((await scene.begin(blocked)).status, 409);
    assert.deepEqual([...await Deno.readLink(file)].join(""), "one.conf", "nothing was made in its place");
  });

  test("after a restart of the engine nothing is said of files that nobody replaced", async (engine) => {
    if (engine.sandbox === null) return; // Somebody's own engine is not ours to stop.
    await using berth = await serveEngines({ here: engine });
    const name = `reboot${engineKind}`;
    const scene = await ApplyScene.on(
      engine,
      berth,
      name,
      project(name, [
        service("web", "restart: always\nvolumes: ['./one.conf:/etc/one.conf', './conf:/etc/app']"),
      ]),
    );
    await write(`${scene.path}/one.conf`, OLD);
    await Deno.mkdir(`${scene.path}/conf`);
    await pastTheSecond();
    assert.equal((await scene.apply()).state, "done");
    await engine.kill();
    await engine.start();
    await eventually("the engine is up again", async () => {
      const { body } = await berth.call("GET /api/system/backends");
      return body.items[0].state === "up";
    });
    // Podman's containers come up with its system, which a test does not have.
    if (engineKind === "podman") await engine.cli("start", `${name}-web-1`).catch(() => {});
    await eventually("the container runs as written", async () => {
      const { body } = await berth.call(`GET /api/workspaces/${scene.workspace}/artifacts/units/web`);
      return body.live.verdict === "asWritten" && body.live.remarks === undefined;
    });
  });

  test("berth's own editor names the containers that still read the text before", async (engine) => {
    await using berth = await serveEngines({ here: engine });
    const name = `edited${engineKind}`;
    const text = project(name, [
      service("web", "volumes: ['./compose.yaml:/etc/compose.yaml:ro']"),
      service("other", "volumes: ['.:/all:ro']"),
    ]);
    const scene = await ApplyScene.on(engine, berth, name, text);
    assert.equal(
      (await berth.call(`PUT /api/workspaces/${scene.workspace}`, { editable: true })).status,
      200,
    );
    assert.equal((await scene.apply()).state, "done");
    const route = `/api/workspaces/${scene.workspace}/files/compose.yaml`;
    const headers = { "if-match": (await berth.call(`GET ${route}`)).headers.get("etag")! };

    const saved = await berth.call(`PUT ${route}`, { text: `${text}# more\n` }, { headers });
    assert.equal(saved.status, 200, saved.text);
    assert.deepEqual(saved.body.staleIn, [
      { container: `${name}-web-1`, target: "/etc/compose.yaml", group: name, unit: `${name}.web` },
    ]);
    assert.deepEqual(
      (await scene.plan({ units: [`${name}.web`] })).steps.map(({ kind, target }) => [kind, target]),
      [["container.restart", `${name}-web-1`]],
    );
  });

  test("a file that is replaced 100 times a second is said to be replaced, and no request fails", async (engine) => {
    await using berth = await serveEngines({ here: engine });
    const name = `often${engineKind}`;
    const text = project(name, [
      service("web", "volumes: ['./one.conf:/etc/one.conf:ro', './conf:/etc/app']"),
    ]);
    const scene = await ApplyScene.on(engine, berth, name, text);
    await write(`${scene.path}/one.conf`, OLD);
    await Deno.mkdir(`${scene.path}/conf`);
    assert.equal((await scene.apply()).state, "done");
    const replaced = run(
      "for i in $(seq 200); do echo $i >fresh; mv fresh one.conf; mkdir next; mv conf last; mv next conf; rm -r last; " +
        "sleep 0.01; done",
      scene.path,
    );
    let isOver = false;
    void replaced.finally(() => isOver = true);
    while (!isOver) {
      const { status } = await berth.call(`GET /api/workspaces/${scene.workspace}/artifacts/units/web`);
      assert.equal(status, 200);
    }
    await replaced;
    await eventually("both are told", async () => {
      const { body } = await berth.call(`GET /api/workspaces/${scene.workspace}/artifacts/units/web`);
      return body.live.drift.map(({ mount }: { mount?: { state: string } }) => mount?.state).join() ===
        "replaced,replaced";
    });
    assert.deepEqual((await scene.plan()).steps.map(({ kind }) => kind), ["container.restart"]);
  });
}

/** Times of changes are told in whole seconds. */
async function pastTheSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1_000);
  await eventually("the next second but one", () => Math.floor(Date.now() / 1_000) > second + 1);
}

async function statesOf(berth: TestService, workspace: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { unit } of cases) {
    const { body } = await berth.call(`GET /api/workspaces/${workspace}/artifacts/units/${unit}`);
    for (const { mount } of [...body.live.drift ?? [], ...body.live.remarks ?? []]) {
      if (mount !== undefined) found[unit] = mount.state;
    }
  }
  return found;
}

/** A container that reads something else than is there is told as such, and at least as doubtful. */
async function isTrue(
  engine: TestEngine,
  scene: ApplyScene,
  tried: readonly { readonly kind: Kind; readonly unit: string }[],
  seen: readonly Record<string, string>[],
): Promise<void> {
  for (const { kind, unit } of tried) {
    const { source, read } = MOUNTS[kind];
    const host = kind === "file" ? `${scene.path}/${unit}/${source}` : `${scene.path}/${unit}/${source}/a`;
    const there = await Deno.readTextFile(host).catch(() => null);
    const inside = await engine.cli("exec", `${scene.name}-${unit}-1`, "cat", read).catch(() => null);
    for (const states of seen) {
      const state = states[unit];
      if (there === null || inside?.trim() !== there.trim()) {
        assert.ok(["replaced", "deleted", "maybeReplaced"].includes(state ?? ""), `${unit}: ${state}`);
      } else assert.ok(!["replaced", "deleted"].includes(state ?? ""), `${unit}: ${state}`);
    }
  }
}
