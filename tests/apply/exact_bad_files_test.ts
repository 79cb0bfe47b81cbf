/**
 * Files and folders that nobody should write: berth plans what Compose makes of them, or says in one sentence why not,
 * and nothing is made by half.
 */
import assert from "node:assert/strict";
import { type ApplyScene, project, scene, service } from "./apply_scene.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { eventually } from "../support/eventually.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { save } from "../streams/live_scene.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const many = (count: number, length: number) =>
  Array.from({ length: count }, (_, n) => `V${n}=${"x".repeat(length)}\n`).join("");

/** An env_file, and the words in which berth may refuse what Compose takes. */
interface BadFile {
  readonly content: Uint8Array;
  readonly refused?: RegExp;
}

const ENV_FILES: Readonly<Record<string, BadFile>> = {
  "10 MB of variables": { content: bytes(many(10_000, 1_000)), refused: /MiB|limit|large|bytes/i },
  "10 MB in one value": {
    content: bytes(`A=${"x".repeat(10_000_000)}\n`),
    refused: /MiB|limit|large|bytes/i,
  },
  "a NUL byte in a value": { content: bytes("A=x\0y\nB=2\n"), refused: /NUL/ },
  "a NUL byte in a name": { content: bytes("A\0B=x\n"), refused: /NAME=value/ },
  "NUL bytes alone": { content: new Uint8Array(4_096), refused: /NAME=value/ },
  "CRLF": { content: bytes("A=1\r\nB=\"two\"\r\n\r\n# c\r\nC='3'\r\nD=\r\n") },
  "CRLF in quotes": { content: bytes('A="one\r\ntwo"\r\nB=2\r\n') },
  "CR alone": { content: bytes("A=1\rB=2\r") },
  "a byte order mark": { content: bytes("\ufeffA=1\nB=2\n") },
  "a byte order mark in the middle": { content: bytes("A=1\n\ufeffB=2\n"), refused: /NAME=value/ },
  "UTF-16": { content: new Uint8Array([0xff, 0xfe, 0x41, 0, 0x3d, 0, 0x31, 0, 0x0a, 0]), refused: /./ },
  "bytes that are no UTF-8": { content: new Uint8Array([0x41, 0x3d, 0xe9, 0x0a]), refused: /./ },
  "export": { content: bytes("export A=1\nexport\tB=2\n  export   C=3\nexport D\nexportE=5\nexport=6\n") },
  "a double quote that never ends": { content: bytes('A=1\nB="two\nC=3\n') },
  "a single quote that never ends": { content: bytes("A=1\nB='two\nC=3\n") },
  "a quote that never ends on the last line": { content: bytes('A=1\nB="') },
  "a quote behind a backslash": { content: bytes('A="one\\"\nB=2\n') },
  "words behind a quote": { content: bytes("A=\"one\" two\nB='one'two\nC=3\n"), refused: /./ },
  "30,000 lines": { content: bytes(many(30_000, 1)), refused: /lines/ },
  "spaces everywhere": { content: bytes(" A = 1 \n\tB\t=\t2\t\n\nC =\n =x\n"), refused: /NAME=value/ },
};

/** Asserts that the plan says why in one short sentence, and that nothing was made. */
async function refusedWhole(scene: ApplyScene, what: string): Promise<string> {
  const plan = await scene.plan();
  const [first] = plan.blocked;
  assert.ok(first !== undefined, `${what} is not refused`);
  for (const { message } of plan.blocked) {
    assert.match(message, /^[^\n\0]{20,400}$/, `${what}: one sentence`);
  }
  assert.equal((await scene.begin(plan)).status, 409, what);
  assert.deepEqual(await scene.ids(), {}, `${what}: nothing is made`);
  const networks = await scene.engine.cli("network", "ls", "--quiet", "--filter", LABEL);
  assert.equal(networks.trim(), "", `${what}: nothing is made`);
  return plan.blocked.map(({ message }) => message).join(" ");
}

/** All of them in the proof, else every third. */
const TRIED = Object.entries(ENV_FILES).filter((_, nth) =>
  Deno.env.get("BERTH_PROOF") === "1" || nth % 3 === 0
);

const LABEL = "label=com.docker.compose.project=bad";
/** Podman shows a container's own id as its HOSTNAME. */
const envOf = async (scene: ApplyScene) =>
  Object.values(await scene.containers())[0]?.env.filter((one) => !one.startsWith("HOSTNAME=")).toSorted();

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test(
    "An env_file with odd bytes gives a container the variables that Compose gives it, or blocks the plan (F126)",
    async (engine) => {
      await scene(engine, "bad", project("bad", [service("app")]), async (scene) => {
        const { berth, workspace, path } = scene;
        const wrong: string[] = [];
        let turn = 0;
        for (const [what, { content, refused }] of TRIED) {
          turn += 1;
          const name = `${turn}.env`;
          await Deno.writeFile(`${path}/${name}`, content);
          await save(
            berth,
            workspace,
            `${path}/compose.yaml`,
            project("bad", [service("app", `env_file: ${name}`)]),
          );
          const complaint = await composeToday(engine.socket, path, "up", "-d");
          const ofCompose = await envOf(scene);
          await scene.clear();
          const plan = await scene.plan();
          if (plan.blocked.length > 0) {
            const words = await refusedWhole(scene, what);
            if (!words.includes(name)) wrong.push(`${what}: the file is not named in ${words}`);
            if (complaint === "" && !refused?.test(words)) {
              wrong.push(`${what}: Compose takes it, berth says ${words}`);
            }
          } else if (complaint !== "") {
            wrong.push(`${what}: Compose says ${complaint.slice(-300)}, and berth takes it`);
          } else {
            const applied = await scene.apply();
            const ofBerth = await envOf(scene);
            if (applied.state !== "done" || JSON.stringify(ofBerth) !== JSON.stringify(ofCompose)) {
              wrong.push(`${what}: ${applied.reason} compose ${ofCompose} berth ${ofBerth}`.slice(0, 2_000));
            }
            await scene.clear();
          }
        }
        assert.deepEqual(wrong, []);
      }, { applyTimes: { judgedMs: 100 } });
    },
    composeOfToday.missing,
  );

  test("A file or a mount whose path is a loop of links blocks the plan with its path (F127)", async (engine) => {
    await scene(engine, "bad", project("bad", [service("app")]), async (scene) => {
      const { path } = scene;
      await Deno.symlink("there", `${path}/here`);
      await Deno.symlink("here", `${path}/there`);
      for (
        const lines of [
          "volumes: ['./here:/x']",
          "volumes: ['./here/below:/x']",
          "volumes: [{ type: bind, source: ./there, target: /x }]",
          "env_file: here",
          "label_file: there",
        ]
      ) {
        await scene.write(project("bad", [service("app", lines)]));
        assert.match(await refusedWhole(scene, lines), /here/, lines);
      }
    });
  });

  test("While a mounted folder is replaced 100 times a second, plans and applies end, and are true afterwards (F127)", async (engine) => {
    await scene(engine, "bad", project("bad", [service("app", "volumes: ['./own:/own']")]), async (scene) => {
      const { path } = scene;
      await Deno.mkdir(`${path}/own`);
      const replacing = new Deno.Command("sh", {
        args: [
          "-c",
          "n=0; while [ -e going ]; do n=$((n+1)); mkdir fresh && echo $n >fresh/n && mv own aside && mv fresh own; " +
          "rm -rf aside; sleep 0.01; done",
        ],
        cwd: path,
        stderr: "null",
      });
      await Deno.writeTextFile(`${path}/going`, "");
      await using going = replacing.spawn();
      const ends: string[] = [];
      try {
        for (let turn = 0; turn < 3; turn++) {
          const plan = await scene.plan();
          const begun = await scene.begin(plan);
          if (begun.status !== 202) {
            assert.ok([409].includes(begun.status), begun.text);
            ends.push(String(begun.status));
            continue;
          }
          const over = await scene.over(begun.body.id);
          assert.notEqual(over.state, "paused", over.reason ?? "");
          assert.match(over.reason ?? "", /^[^\n]{0,400}$/);
          ends.push(over.state);
        }
      } finally {
        await Deno.remove(`${path}/going`);
        await going.status;
      }
      console.log(`applies ended: ${ends.join(", ")}`);
      const last = await Deno.readTextFile(`${path}/own/n`);
      await eventually("nothing is left to do", async () => {
        const plan = await scene.plan();
        if (plan.blocked.length > 0) return null;
        if (plan.steps.length === 0) return true;
        await scene.over((await scene.begin(plan)).body.id);
        return null;
      }, { timeoutMs: 60_000 });
      assert.equal((await engine.cli("exec", "bad-app-1", "cat", "/own/n")).trim(), last.trim());
      assert.deepEqual(Object.keys(await scene.ids()), ["bad-app-1"]);
    });
  });
}
