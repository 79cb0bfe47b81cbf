/** The commands that speak to a running berth, on a real engine. */
import assert from "node:assert/strict";
import { type Ended, runBerth } from "../support/berth_process.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { MESSY, messy } from "../plan/messy_project.ts";
import { save, workspace } from "../streams/live_scene.ts";
import { type ServiceOptions, startService, type TestService } from "../support/service.ts";

const { test } = await sharedEngine("docker");
const MAIN = new URL("../../main.ts", import.meta.url).pathname;

async function serviceOn(engine: TestEngine, options: ServiceOptions = {}): Promise<TestService> {
  const engines = [{ name: engine.kind, url: `unix://${engine.socket}` }];
  const berth = await startService({ ...options, engines });
  await eventually(
    "the engine was read",
    async () => (await berth.call("GET /api/health/ready")).status === 200,
  );
  return berth;
}

const of = (berth: TestService) => (...args: string[]): Promise<Ended> =>
  runBerth(args, { BERTH_URL: berth.url, BERTH_KEY: berth.credential! });

/** The same with something on its standard input. */
const fed = (berth: TestService, input: Uint8Array<ArrayBuffer>, ...args: string[]): Promise<Ended> =>
  runBerth(args, { BERTH_URL: berth.url, BERTH_KEY: berth.credential! }, input);

test("berth ls shows a table, names or JSON, and keeps to a state", async (engine) => {
  await using berth = await serviceOn(engine);
  await engine.cli("run", "-d", "--name", "web", "-p", "127.0.0.1:8080:80", FIXTURE);
  await engine.cli("run", "--name", "job", FIXTURE, "sh", "-c", "exit 3").catch(() => {});
  const ls = of(berth);
  await eventually("both are listed", async () => (await ls("ls", "--names")).stdout === "job\nweb\n");

  const table = await ls("ls");
  assert.deepEqual([table.code, table.stderr], [0, ""]);
  const rows = table.stdout.trimEnd().split("\n").map((line) => line.split(/ {2,}/));
  assert.deepEqual(rows, [
    ["NAME", "STATE", "IMAGE", "PROJECT", "PORTS", "ENGINE"],
    ["job", "exited (3)", FIXTURE, "–", "–", "docker"],
    ["web", "running", FIXTURE, "–", "local:8080→80", "docker"],
  ]);
  assert.ok(!table.stdout.includes("\x1b"), "no colour where nobody looks");
  assert.equal((await ls("ls", "--state", "running", "--names")).stdout, "web\n");
  const { items } = JSON.parse((await ls("ls", "--json")).stdout);
  assert.deepEqual(items.map(({ name }: { name: string }) => name), ["job", "web"]);
});

test("berth logs prints each line to the stream it was written to, and JSON with cursors", async (engine) => {
  await using berth = await serviceOn(engine);
  await engine.cli(
    "run",
    "--name",
    "talker",
    FIXTURE,
    "sh",
    "-c",
    "echo one; echo two >&2; sleep 0.2; echo three",
  );
  const logs = of(berth);
  await eventually("it is listed", async () => (await logs("ls", "--names")).stdout.includes("talker"));

  const plain = await logs("logs", "talker");
  assert.deepEqual([plain.code, plain.stdout, plain.stderr], [0, "one\nthree\n", "two\n"]);
  assert.equal((await logs("logs", "-n", "1", "talker")).stdout, "three\n");
  assert.match((await logs("logs", "-t", "-n1", "talker").catch(() => plain)).stderr, /no option "-n1"/);
  assert.match((await logs("logs", "-t", "-n", "1", "talker")).stdout, /^20\d\d-\S+Z three\n$/);
  const [first] = (await logs("logs", "--json", "talker")).stdout.split("\n");
  assert.ok(JSON.parse(first!).cursor.length > 0);
});

test("echo hi | berth exec web cat answers hi, whatever the size, with the command's exit code", async (engine) => {
  await using berth = await serviceOn(engine);
  await engine.cli("run", "-d", "--name", "poet", FIXTURE);
  await eventually("it is listed", async () => (await of(berth)("ls", "--names")).stdout.includes("poet"));

  const hi = await fed(berth, new TextEncoder().encode("hi\n"), "exec", "poet", "cat");
  assert.deepEqual([hi.code, hi.stdout, hi.stderr], [0, "hi\n", ""]);
  const large = await fed(berth, new Uint8Array(5_000_000), "exec", "poet", "wc", "-c");
  assert.equal(large.stdout.trim(), "5000000");
  const failed = await of(berth)("exec", "poet", "sh", "-c", "echo no >&2; exit 7");
  assert.deepEqual([failed.code, failed.stderr.trim() || failed.stdout.trim()], [7, "no"]);
  const user = await of(berth)("exec", "-u", "guest", "-w", "/tmp", "poet", "sh", "-c", "id -un; pwd");
  assert.equal(user.stdout, "guest\n/tmp\n");

  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", new URL("../../main.ts", import.meta.url).pathname, "exec", "poet", "yes"],
    env: { BERTH_URL: berth.url, BERTH_KEY: berth.credential! },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel(); // as `head` does
  const said = await new Response(child.stderr).text();
  assert.deepEqual([(await child.status).code, said], [1, ""]);
});

test("berth folders names the allowed folders and those of containers, with the setting that one lacks", async (engine) => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  const [home, stacks] = [`${base}/home`, `${base}/stacks`];
  await Deno.mkdir(`${home}/shop`, { recursive: true });
  await using berth = await serviceOn(engine, { roots: [home] });
  const folders = of(berth);
  for (const [name, folder] of [["shop", `${home}/shop`], ["blog", `${stacks}/blog`]] as const) {
    await engine.cli(
      ...["run", "-d", "--name", name],
      ...["project", "service"].flatMap((key) => ["--label", `com.docker.compose.${key}=${name}`]),
      ...["--label", `com.docker.compose.project.working_dir=${folder}`, FIXTURE],
    );
  }
  const setting = `BERTH_ROOTS=${home}:${stacks}/blog`;
  const ofBase = async () => {
    const { places, ...rest } = JSON.parse((await folders("folders", "--json")).stdout);
    return { ...rest, places: places.filter(({ path }: { path: string }) => path.startsWith(base)) };
  };
  await eventually("both are suggested", async () => (await ofBase()).places.length === 2);

  assert.deepEqual(await ofBase(), {
    roots: [home],
    containers: 2,
    places: [
      { path: `${home}/shop`, projects: ["shop"], total: 1, allowed: true, setting: null },
      { path: `${stacks}/blog`, projects: ["blog"], total: 1, allowed: false, setting },
    ],
  });
  const table = (await folders("folders")).stdout.split("\n").map((line) => line.split(/ {2,}/));
  const row = (path: string) => table.find(([first]) => first === path)?.[1];
  assert.deepEqual([row("FOLDER"), row(home), row(`${home}/shop`), row(`${stacks}/blog`)], [
    ...["MAY BE REGISTERED", "yes, as all folders below", "yes", `with ${setting}`],
  ]);

  const viewer = await berth.key("viewer");
  const refused = await runBerth(["folders"], { BERTH_URL: berth.url, BERTH_KEY: viewer.credential! });
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  await Deno.remove(base, { recursive: true });
});

test("berth ls, logs and exec say in one sentence what is wrong", async (engine) => {
  await using berth = await serviceOn(engine);
  const none = await of(berth)("logs", "nobody");
  assert.equal(none.code, 1);
  assert.match(none.stderr, /^berth: berth has no container, .*"nobody"\n$/);
  assert.equal((await of(berth)("exec", "nobody", "true")).code, 125);

  const home = await Deno.makeTempDir({ prefix: "berth-home-" });
  try {
    const plain = { XDG_CONFIG_HOME: `${home}/config`, BERTH_URL: berth.url };
    assert.deepEqual(await runBerth(["ls"], plain).then(({ code, stderr }) => [code, stderr]), [
      64,
      `berth: There is no key for ${berth.url}: run "berth login ${berth.url}", or set BERTH_KEY\n`,
    ]);
    assert.match(
      (await runBerth(["ls"], { ...plain, BERTH_KEY: "berth_no_such" })).stderr,
      /^berth: http:\S+ does not accept the key: run "berth login http:\S+" with another one\n$/,
    );
    assert.match(
      (await runBerth(["ls"], { ...plain, BERTH_URL: "http://127.0.0.1:9", BERTH_KEY: "berth_a_b" })).stderr,
      /^berth: Cannot reach http:\/\/127\.0\.0\.1:9: is berth running there\? /,
    );
    assert.match(
      (await runBerth(["ls"], { ...plain, BERTH_URL: "nas", BERTH_KEY: "k" })).stderr,
      /not an address/,
    );
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});

Deno.test("berth login keeps a good key in a file for its owner alone, and sends it nowhere else", async () => {
  await using berth = await startService();
  await using other = await startService();
  const home = await Deno.makeTempDir({ prefix: "berth-home-" });
  const env = { XDG_CONFIG_HOME: `${home}/config`, BERTH_KEY: "", BERTH_URL: "" };
  const login = async (key: string) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", MAIN, "login", berth.url],
      env,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(`${key}\n`));
    await writer.close();
    return await child.output();
  };
  try {
    assert.equal((await login("berth_no_such")).code, 1);
    await assert.rejects(Deno.stat(`${home}/config/berth/login.json`), "a refused key is not kept");

    assert.equal((await login(berth.credential!)).code, 0);
    assert.equal((await Deno.stat(`${home}/config/berth/login.json`)).mode! & 0o777, 0o600);
    assert.equal((await runBerth(["ls", "--names"], env)).code, 0, "its address is remembered, too");
    const elsewhere = await runBerth(["ls"], { ...env, BERTH_URL: other.url });
    assert.match(elsewhere.stderr, /^berth: There is no key for /);

    await Deno.chmod(`${home}/config/berth/login.json`, 0o644);
    assert.match((await runBerth(["ls"], env)).stderr, /others may read it; allow its owner alone/);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});

test("berth plan says what would be done, in three forms, and by its exit code", async (engine) => {
  await using berth = await serviceOn(engine);
  const text =
    `name: planned\nservices:\n  web:\n    image: ${FIXTURE}\n    user: "1|<b>"\n    network_mode: none\n`;
  const { path } = await workspace(berth, "planned", text);
  const plan = of(berth);

  const absent = await plan("plan", path);
  assert.deepEqual([absent.code, absent.stderr], [2, ""]);
  assert.equal(
    absent.stdout,
    "planned on docker: 2 steps, 0 unchanged\n   1  create planned-web-1\n      it does not exist yet\n" +
      "   2  start planned-web-1\n      it does not exist yet\n",
  );
  const labels = {
    "com.docker.compose.project": "planned",
    "com.docker.compose.service": "web",
    "com.docker.compose.container-number": "1",
    "com.docker.compose.project.working_dir": path,
    "com.docker.compose.project.config_files": `${path}/compose.yaml`,
  };
  const words = Object.entries(labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]);
  await engine.cli("run", "-d", "--name", "planned-web-1", "--network", "none", ...words, FIXTURE);
  try {
    const comment = await eventually("it is seen", async () => {
      const found = await plan("plan", path, "--format", "markdown");
      return found.stdout.includes("replace") ? found : null;
    });
    assert.equal(comment.code, 2);
    assert.match(
      comment.stdout,
      /^\| 1 \| replace \(interrupts\) \| planned-web-1 \| .*1&#124;&#60;b&#62;, compose\.yaml:5:11 \|$/m,
    );
    await save(berth, "planned", `${path}/compose.yaml`, text.replace(/ {4}user.*\n/, ""));
    const none = await plan("plan", "planned", "--group", "planned", "--format", "json");
    assert.deepEqual([none.code, JSON.parse(none.stdout).plans[0].steps], [0, []]);
    const stop = await plan("plan", "planned", "--action", "stop");
    assert.deepEqual(
      [stop.code, /stop planned-web-1 \(interrupts\)\n {6}it was asked for/.test(stop.stdout)],
      [2, true],
    );
    const pull = await plan("plan", "planned", "--pull", "always");
    assert.match(pull.stdout, /replace planned-web-1 \(interrupts\), only if step 1 brings another image\n/);
    await save(berth, "planned", `${path}/compose.yaml`, text.replace("1|<b>", "${NOBODY}"));
    assert.equal((await plan("plan", path)).code, 1);
    const nowhere = await plan("plan", "nowhere");
    assert.deepEqual([nowhere.code, nowhere.stdout], [1, ""]);
    assert.match(nowhere.stderr, /no project and no folder "nowhere"/);
  } finally {
    await engine.cli("rm", "--force", "planned-web-1");
  }
});

test("berth plan of a folder asks once for all of its projects", async (engine) => {
  await using berth = await serviceOn(engine);
  const { path } = await workspace(berth, "many", `name: many\nservices:\n  web:\n    image: ${FIXTURE}\n`);
  for (const name of ["one", "two"]) {
    await Deno.mkdir(`${path}/${name}`);
    await Deno.writeTextFile(
      `${path}/${name}/compose.yaml`,
      `name: ${name}\nservices:\n  web:\n    image: ${FIXTURE}\n`,
    );
  }
  const planned = async () => {
    const { items } = (await berth.call("GET /api/system/audit?limit=50")).body;
    return items.map(({ action }: { action: string }) => action).filter((action: string) =>
      /plan/.test(action)
    );
  };

  const all = await of(berth)("plan", "many", "--format", "json");
  assert.deepEqual([all.code, JSON.parse(all.stdout).plans.map(({ group }: { group: string }) => group)], [
    2,
    ["many", "one", "two"],
  ], all.stderr);
  assert.match(all.stderr, /"many" is a folder with 3 projects; many@\S+ is the one alone/);
  assert.deepEqual(await planned(), ["POST /api/workspaces/{id}/plans"]);
  const one = await of(berth)("plan", "many", "--group", "two");
  assert.match(one.stdout, /^two on docker: /);
});

test("berth plan names the flag that does something about a message, and the flag does it", async (engine) => {
  await using berth = await startService({
    engines: [
      { name: "docker", url: `unix://${engine.socket}` },
      { name: "nas", url: "unix:///nowhere/berth-test.sock" },
    ],
  });
  await using project = await messy(engine, berth, "messy");
  const plan = of(berth);
  const shown = await eventually("all of it is seen", async () => {
    const { stdout } = await plan("plan", project.path);
    return MESSY.every(({ flag }) => stdout.includes(flag)) ? stdout : null;
  });
  const FLAG = /^ {2}(?:note|blocked): (.*) \(.*\); use (--\S+) (\S+)$/gm;
  const found = [...shown.matchAll(FLAG)].map(([, message, ...flags]) => ({ message: message!, flags }));
  assert.deepEqual(found.map(({ flags }) => flags.join(" ")).sort(), [
    "--action restart",
    "--orphans remove",
    "--rerun job",
  ]);
  for (const { message, flags } of found) {
    const again = await plan("plan", project.path, ...flags);
    assert.ok(!again.stdout.includes(message), `${flags.join(" ")}:\n${again.stdout}`);
    assert.equal(again.code, 2, again.stdout);
  }
  await project.never();
  const absent = await plan("plan", project.path, "--pull", "never");
  assert.match(absent.stdout, /blocked: The image .*; leave --pull out\n/);
  const volumes = await plan("plan", project.path, "--volume", "messy_data");
  assert.match(
    volumes.stderr,
    /only when the project is taken down; leave --volume out or use --action down\n$/,
  );
  for (const name of ["--engine", "--backend"]) {
    const away = await plan("plan", project.path, name, "nas");
    assert.equal(away.code, 4);
    assert.match(away.stderr, /"nas" is not available: .*; use --engine docker\n$/);
  }
  const anew = await plan("plan", project.path, "--unit", "still", "--recreate", "always", "--no-in-place");
  assert.match(anew.stdout, /replace messy-still-1/);
  assert.ok(!anew.stdout.includes("messy-web-1"), anew.stdout);
});

test("berth apply does what its plan shows, tells each step, and says by its exit code how it ended", async (engine) => {
  await using berth = await serviceOn(engine);
  const text = `name: applied\nservices:\n  web:\n    image: ${FIXTURE}\n    command: [idle]\n` +
    "    network_mode: none\n    stop_grace_period: 1s\n    volumes: ['data:/data']\nvolumes: { data: {} }\n";
  const { path } = await workspace(berth, "applied", text);
  const apply = of(berth);
  try {
    const unasked = await apply("apply", path);
    assert.equal(unasked.code, 64);
    assert.match(unasked.stderr, /say "--yes"/);
    const up = await apply("apply", path, "--yes");
    assert.deepEqual([up.code, up.stderr], [0, ""]);
    const told = up.stdout.split("\n").slice(-6);
    assert.deepEqual(told, [
      "running create applied-web-1",
      "done    create applied-web-1",
      "running start applied-web-1",
      "done    start applied-web-1",
      "done",
      "",
    ]);
    const again = await apply("apply", "applied", "--yes");
    assert.deepEqual([again.code, again.stdout], [0, "applied on docker: nothing to do, 1 unchanged\n"]);

    await save(
      berth,
      "applied",
      `${path}/compose.yaml`,
      text.replace("[idle]", "[sh, -c, 'echo why; exit 4']"),
    );
    const broken = await apply("apply", path, "--yes");
    assert.equal(broken.code, 1);
    assert.match(broken.stdout, /applied-web-1 \| why/);
    assert.match(broken.stderr, /ended with code 4; the old container serves again/);
    const kept = await apply("plan", path, "--action", "down");
    assert.match(kept.stdout, /^ {2}the volume applied_data stays$/m);
    const lost = await apply("plan", path, "--action", "down", "--volume", "applied_data");
    assert.match(lost.stdout, /remove volume applied_data \(with all its data\)$/m);
    const down = await apply(
      ...["apply", path, "--yes", "--action", "down", "--volume", "applied_data", "--json"],
    );
    assert.equal(down.code, 0);
    const events = down.stdout.trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(events.at(-1), { kind: "end", state: "done", reason: null });
    assert.equal((await engine.ask("GET /volumes/applied_data")).status, 404);
  } finally {
    await engine.cli("rm", "--force", "applied-web-1").catch(() => {});
  }
});

test("berth plan, apply and logs take a project by its id or name, and one of its services", async (engine) => {
  await using berth = await serviceOn(engine);
  const service = (name: string) =>
    `  ${name}:\n    image: ${FIXTURE}\n    command: [sh, -c, 'echo ${name} one; sleep 0.3; echo ${name} two; sleep 60']\n` +
    "    network_mode: none\n    stop_grace_period: 1s\n";
  const text = `name: pair\nservices:\n${service("a")}${service("b")}`;
  const { id } = await workspace(berth, "whole", text);
  const berthDoes = of(berth);
  const names = async () => {
    const said = await engine.cli("ps", "--all", "--filter", "name=pair", "--format", "{{.Names}}");
    return said.trim().split("\n").filter((name) => name !== "");
  };
  try {
    for (const word of ["pair", `pair@${id}`]) {
      const planned = await berthDoes("plan", word);
      assert.match(planned.stdout, /^pair on docker: 4 steps/, planned.stderr);
    }
    const one = await berthDoes("plan", "pair/b");
    assert.deepEqual([one.code, /pair-a-1/.test(one.stdout), /create pair-b-1/.test(one.stdout)], [
      2,
      false,
      true,
    ]);
    const short = await berthDoes("apply", "pair/b", "--yes");
    assert.deepEqual([short.code, short.stdout], [64, ""]);
    assert.ok(short.stderr.includes(`with "--yes", say "pair@${id}/b"`), short.stderr);
    assert.deepEqual(await names(), []);
    assert.equal((await berthDoes("apply", `pair@${id}/b`, "--yes")).code, 0);
    assert.deepEqual(await names(), ["pair-b-1"]);
    assert.equal((await berthDoes("apply", `pair@${id}`, "--yes")).code, 0);
    const lines = await eventually("both have written both", async () => {
      const { stdout } = await berthDoes("logs", "pair", "-t");
      return stdout.match(/ two$/gm)?.length === 2 ? stdout.trimEnd().split("\n") : null;
    });
    const told = lines.map((line) => line.split(" | "));
    assert.deepEqual(told.map(([, rest]) => rest!.slice(rest!.indexOf(" ") + 1)).sort(), [
      ...["a one", "a two", "b one", "b two"],
    ]);
    assert.ok(told.every(([name, rest]) => name === `pair-${rest!.split(" ")[1]}-1`), lines.join("\n"));
    const times = told.map(([, rest]) => rest!.split(" ")[0]!.slice(0, 23));
    assert.deepEqual(times, times.toSorted());
    assert.equal((await berthDoes("logs", "pair/a")).stdout, "a one\na two\n");
    const nobody = await berthDoes("logs", "pair/nobody");
    assert.deepEqual([nobody.code, nobody.stdout], [64, ""]);
  } finally {
    await engine.cli("rm", "--force", "pair-a-1", "pair-b-1").catch(() => {});
  }
});

test("berth apply says which container does not stay up, how to read its log, and exits with code 1", async (engine) => {
  await using berth = await serviceOn(engine, { applyTimes: { judgedMs: 3_000 } });
  const text = `name: looped\nservices:\n  web:\n    image: ${FIXTURE}\n    command: [sh, -c, 'exit 4']\n` +
    "    network_mode: none\n    restart: always\n";
  const { path } = await workspace(berth, "looped", text);
  try {
    const { code, stdout, stderr } = await of(berth)("apply", path, "--yes");
    assert.equal(code, 1);
    assert.match(stdout, /^done {4}start looped-web-1: Container "looped-web-1" keeps restarting/m);
    assert.match(stdout, /^done, but 1 container keeps restarting\n$/m);
    assert.equal(stderr, "berth: done, but 1 container keeps restarting\n  berth logs looped-web-1\n");
  } finally {
    await engine.cli("rm", "--force", "looped-web-1").catch(() => {});
  }
});

test("berth draft prints what runs, and writes new files with their secrets for their owner alone", async (engine) => {
  await using berth = await serviceOn(engine);
  await workspace(berth, "home", "services: {}\n");
  const secret = "correct-horse-battery";
  await engine.cli("create", "--name", "kept", "-e", `DB_PASSWORD=${secret}`, "--rm", FIXTURE, "idle");
  const folder = await Deno.makeTempDir();
  try {
    const draft = of(berth);
    await eventually("it is listed", async () => (await draft("ls", "--names")).stdout.includes("kept"));

    const printed = await draft("draft", "kept");
    assert.equal(printed.code, 0, printed.stderr);
    assert.match(printed.stdout, /container_name: kept/);
    assert.ok(!(printed.stdout + printed.stderr).includes(secret));
    assert.match(printed.stderr, /removesItself/, "what no file can say is said");

    const written = await draft("draft", "kept", "--into", `${folder}/shop`);
    assert.equal(written.code, 0, written.stderr);
    assert.ok(!(written.stdout + written.stderr).includes(secret));
    const env = await Deno.readTextFile(`${folder}/shop/.env`);
    assert.equal(env, `KEPT_DB_PASSWORD='${secret}'\n`);
    assert.equal((await Deno.stat(`${folder}/shop/.env`)).mode! & 0o777, 0o600);
    assert.ok(!(await Deno.readTextFile(`${folder}/shop/compose.yaml`)).includes(secret));

    await Deno.remove(`${folder}/shop/.env`);
    const again = await draft("draft", "kept", "--into", `${folder}/shop`);
    assert.deepEqual(
      [again.code, [...Deno.readDirSync(`${folder}/shop`)].length],
      [64, 1],
      "nothing half written",
    );
    assert.equal((await draft("draft", "nobody")).code, 64);
  } finally {
    await engine.cli("rm", "--force", "kept");
    await Deno.remove(folder, { recursive: true });
  }
});

test("berth adopt asks, takes containers over with their files, and refuses a taken name", async (engine) => {
  await using berth = await serviceOn(engine);
  await workspace(berth, "home", "name: taken\nservices:\n  web:\n    image: none\n");
  await berth.call("PUT /api/workspaces/home", { editable: true });
  await engine.cli("run", "-d", "--name", "adoptee", "-e", "DB_PASSWORD=hunter2-hunter2", FIXTURE, "idle");
  const folder = `${berth.folder}/workspaces/home`;
  try {
    const adopt = of(berth);
    await eventually("it is listed", async () => (await adopt("ls", "--names")).stdout.includes("adoptee"));
    const unasked = await adopt("adopt", "adoptee");
    assert.deepEqual([unasked.code, /say "--yes"/.test(unasked.stderr)], [64, true], unasked.stderr);
    const taken = await adopt("adopt", "adoptee", "--name", "taken", "--yes");
    assert.deepEqual([taken.code, /choose another name/.test(taken.stderr)], [2, true], taken.stderr);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["compose.yaml"]);

    const done = await adopt("adopt", "adoptee", "--name", "theirs", "--into", "apps/theirs", "--yes");
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stdout, /^theirs@home has adoptee now$/m);
    assert.doesNotMatch(done.stdout + done.stderr, /hunter2/);
    assert.equal((await Deno.stat(`${folder}/apps/theirs/.env`)).mode! & 0o777, 0o600);
    const plan = await adopt("plan", "theirs@home");
    assert.equal(plan.code, 0, plan.stdout);
    assert.equal(
      (await adopt("adopt", "adoptee", "--name", "twice", "--yes")).code,
      2,
      "it has a project now",
    );
  } finally {
    await engine.cli("rm", "--force", "adoptee");
  }
});
