/** The results that continuous integration reads from a run of the tests. */
import assert from "node:assert/strict";
import { parse } from "yaml";
import { audit } from "../../.ci/audit.ts";
import { Failures } from "../../.ci/failures.ts";
import { refusalOf } from "../../.ci/subjects.ts";
import { testFiles, timedTest } from "../../.ci/tests.ts";
import { LONG, LONG_NAMES } from "../proof/long.ts";
import { shareOf } from "../proof/share.ts";
import { sources } from "./sources.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

Deno.test("timedTest() reads the time of a test, and nothing from other lines", () => {
  const lines: [string, unknown][] = [
    ["./tests/a_test.ts => it works (docker) ... ok (1m2s)", { file: "./tests/a_test.ts", seconds: 62 }],
    ["./tests/a_test.ts => it breaks ... FAILED (250ms)", { file: "./tests/a_test.ts", seconds: 0.25 }],
    ["./tests/a_test.ts => it has steps ... the first ... ok (3s)", null],
    ["./tests/a_test.ts => it is skipped ... ignored (0ms)", null],
    ["something else ... ok (3s)", null],
  ];
  for (const [line, read] of lines) assert.deepEqual(timedTest(line), read, line);
});

Deno.test("testFiles() reads how many tests of each file ran, failed and were skipped", () => {
  const xml = `<testsuites name="deno test" tests="5" failures="2" errors="0" time="1.0">
    <testsuite name="./a_test.ts" tests="4" disabled="1" errors="1" failures="1"><testcase name="x"></testcase></testsuite>
    <testsuite name="./b_test.ts" tests="1" disabled="0" errors="0" failures="0"></testsuite>
</testsuites>`;
  assert.deepEqual(testFiles(xml), [
    { name: "./a_test.ts", tests: 4, failed: 2, skipped: 1 },
    { name: "./b_test.ts", tests: 1, failed: 0, skipped: 0 },
  ]);
});

Deno.test("Failures reads which files failed, also of files in groups and of tests that a helper registers", () => {
  const read = (text: string) => {
    const failures = new Failures();
    for (const line of text.split("\n")) failures.read(line);
    return failures.isUnsaid ? null : [...failures.files];
  };
  const own = "./tests/a_test.ts => it works (docker) ... FAILED (1s)\n";
  const ofOwn = "it works (docker) => ./tests/support/shared_engine.ts:49:12\n";
  const inGroup = "../tmp/run/plan-1.ts => it counts ... FAILED (1s)\n";
  const summary = "\n FAILURES \n\n";
  assert.deepEqual(read(`${own}${summary}${ofOwn}`), ["./tests/a_test.ts"]);
  assert.deepEqual(read(`${inGroup}${summary}it counts => ./tests/b_test.ts:3:6\n`), ["./tests/b_test.ts"]);
  assert.deepEqual(
    read(`${own}${inGroup}${summary}${ofOwn}it counts => ./tests/b_test.ts:3:6\n`),
    ["./tests/a_test.ts", "./tests/b_test.ts"],
  );
  assert.equal(read(`${own}${inGroup}${summary}${ofOwn}it counts => ./tests/support/each.ts:3:6\n`), null);
  const sameName = "../tmp/run/plan-1.ts => it works (docker) ... FAILED (1s)\n";
  assert.equal(read(`${own}${sameName}${summary}${ofOwn}${ofOwn}`), null, "the second one is nobody's");
  assert.equal(read(`${own}Uncaught error from ../tmp/run/plan-1.ts FAILED\n${summary}${ofOwn}`), null);
  assert.deepEqual(read("Uncaught error from ./tests/a_test.ts FAILED\n"), ["./tests/a_test.ts"]);
  assert.deepEqual(read("./tests/a_test.ts => it works ... ok (1s)\n"), []);
});

Deno.test("what a file leaves to \`deno task proof\` is run by it", async () => {
  const proof = await Deno.readTextFile(new URL("../proof/proof.ts", import.meta.url)) +
    JSON.stringify(LONG);
  const less =
    /\b(?:lawEngine|proofEngine|assertFitsAll)\(|\bget\("BERTH_(?:PROOF|TEST_(?:KILLS|EDITS|ROUNDS|EVERY))"\)/;
  const missing: string[] = [];
  for await (const path of sources("tests/")) {
    const [, room = "", name = ""] = /^tests\/(\w+)\/(\w+)_test\.ts$/.exec(path) ?? [];
    if (name === "" || !less.test(await Deno.readTextFile(new URL(`../../${path}`, import.meta.url)))) {
      continue;
    }
    const names = [`"${path}"`, `"${room}/${name}"`, ...(room === "page" ? [`"${name}"`] : [])];
    if (!names.some((one) => proof.includes(one))) missing.push(path);
  }
  assert.deepEqual(missing, [], "name these in tests/proof/proof.ts");
});

Deno.test("each long test that \`deno task proof\` runs alone is there, and no other one begins like it", async () => {
  const missing = new Set([...Object.keys(LONG), ...LONG_NAMES]);
  const others: string[] = [];
  for await (const path of sources("tests/")) {
    missing.delete(path);
    const text = await Deno.readTextFile(new URL(`../../${path}`, import.meta.url));
    for (const name of path === "tests/proof/long.ts" ? [] : LONG_NAMES) {
      if (!text.includes(`"${name}`) && !text.includes(`\`${name}`)) continue;
      missing.delete(name);
      if (!LONG[path]?.includes(name)) others.push(`${path}: ${name}`);
    }
  }
  assert.deepEqual([[...missing], others], [[], []]);
});

Deno.test("the shares of the proof are all of it, each file once", () => {
  const all = Array.from({ length: 11 }, (_, at) => at);

  const shares = ["1/4", "2/4", "3/4", "4/4"].map((share) => shareOf(all, share));

  assert.deepEqual(shares.flat().toSorted((a, b) => a - b), all);
  assert.deepEqual(shareOf(all, "1/1"), all);
  for (const wrong of ["", "0/4", "5/4", "1", "1/4/2"]) {
    assert.throws(() => shareOf(all, wrong), /2\/4/, wrong);
  }
});

interface Job {
  readonly strategy?: {
    readonly matrix: {
      readonly share?: readonly string[];
      readonly include?: readonly { readonly part: string; readonly share: string }[];
    };
  };
  readonly steps: readonly { readonly run?: string; readonly env?: Readonly<Record<string, string>> }[];
}

Deno.test("no workflow takes tests that could not run for tests that passed, and each takes all of the proof", async () => {
  const ran: string[] = [];
  for (const name of ["ci", "nightly", "release"]) {
    const { jobs } = parse(await Deno.readTextFile(`${ROOT}.github/workflows/${name}.yml`));
    for (const { steps, strategy } of Object.values<Job>(jobs)) {
      const tests = steps.find(({ run = "" }) => run.startsWith(".ci/"));
      if (tests === undefined) continue;
      ran.push(`${name}: ${tests.run}`);
      assert.equal(tests.env?.["BERTH_TEST_ENGINES_REQUIRED"], "1", `${name}: ${tests.run}`);
      if (tests.run === ".ci/run") continue;
      const { include, share } = strategy!.matrix;
      const shares = share ?? include!.flatMap(({ part, share }) => part === "proof" ? [share] : []);
      assert.ok(shares.length > 0, `${name}: ${tests.run}`);
      assert.deepEqual(shares, shares.map((_, at) => `${at + 1}/${shares.length}`), `${name}: ${tests.run}`);
    }
  }
  assert.deepEqual(ran, [
    "ci: .ci/run",
    'nightly: .ci/nightly "$PART"',
    "release: .ci/run",
    "release: .ci/nightly proof",
  ]);
});

Deno.test("packages that cannot be installed end a workflow, and are said on any other machine", async () => {
  const bin = await Deno.makeTempDir({ prefix: "berth-prepare-" });
  try {
    const programs = {
      "id": "echo 0",
      "apt-get": "exit 100",
      "dpkg-query": "exit 1",
      "npx": "true",
      "unshare": "exit 1",
    };
    for (const [name, line] of Object.entries(programs)) {
      await Deno.writeTextFile(`${bin}/${name}`, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    }
    for (const required of ["", "1"]) {
      const { code, stdout } = await new Deno.Command("bash", {
        args: ["-euo", "pipefail", "-c", ". .ci/prepare; echo the tests begin"],
        cwd: ROOT,
        env: { PATH: `${bin}:${Deno.env.get("PATH")}`, BERTH_TEST_ENGINES_REQUIRED: required },
        stdin: "null",
      }).output();
      const said = new TextDecoder().decode(stdout);
      assert.match(said, /cannot install all of them/);
      assert.deepEqual([code, said.includes("the tests begin")], required === "1" ? [1, false] : [0, true]);
    }
  } finally {
    await Deno.remove(bin, { recursive: true });
  }
});

const HOLE = {
  id: 1,
  url: "https://example.org/hole",
  title: "A hole",
  severity: "high",
  vulnerable_versions: "<1000.0.0",
  cwe: [],
  cvss: { score: 9, vectorString: "" },
};

Deno.test("a known hole in a package is red, and a registry that does not answer is red in CI alone (R60)", async () => {
  let holes = {};
  await using registry = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json(holes),
  );
  const at = (port: number, mustAnswer = false) =>
    audit(mustAnswer, { NPM_CONFIG_REGISTRY: `http://127.0.0.1:${port}` });
  assert.equal(await at(registry.addr.port, true), true);

  holes = { hono: [HOLE] };
  assert.equal(await at(registry.addr.port), false);
  assert.equal(await at(1), true);
  assert.equal(await at(1, true), false);
});

Deno.test("A commit's subject is refused if it is too long or a list", () => {
  assert.equal(refusalOf("Keep the log of a stalled engine"), null);
  assert.equal(refusalOf("é".repeat(72)), null);
  assert.equal(refusalOf("x".repeat(73)), "73 characters, at most 72");
  assert.match(refusalOf("Keep the log; mend the list") ?? "", /one change/);
});
