/**
 * The way of a new user with the commands of docs/adopt.md, and of a hostile one: a container of `docker run` becomes a
 * project, real Compose makes it again from the files, and what berth shows or keeps has no secret.
 */
import assert from "node:assert/strict";
import { runBerth } from "../support/berth_process.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { proofEngine } from "../support/shared_engine.ts";
import { workspace } from "../streams/live_scene.ts";
import { AdoptionScene } from "./adoption_scene.ts";
import { Scene } from "./field_scene.ts";
import { recreated } from "./made_again.ts";

/** Each of them in another place, with what YAML, a shell, Compose and `.env` make something of. */
const SECRETS = {
  plain: "correct-horse-battery",
  quoted: `it's "so"$HOME\${X:?}#\`id\``,
  lines: "-----BEGIN PRIVATE KEY-----\nc29tZXRoaW5n\\n$$\n-----END PRIVATE KEY-----\n",
  url: "hunter2hunter2",
  argument: "argued-horse-battery",
  label: "labelled-horse-battery",
};
/** The most that Linux gives a process as one text. */
const LONGEST = 120 * 1024;

/** Names and labels that YAML, paths and Compose make something of. */
const HOSTILE = ["yes", "null", "0o17", "1_000", "no.x", "a..b"];

for (const kind of ["docker", "podman"] as const) {
  const { test } = await proofEngine(kind);

  test(
    "a container of docker run is adopted by the command line, and Compose makes it again with its secrets and its data",
    async (engine) => {
      await using scene = await AdoptionScene.on(engine);
      await using raw = new Scene(engine);
      const { berth } = scene;
      const berthCommand = (...args: string[]) =>
        runBerth(args, { BERTH_URL: berth.url, BERTH_KEY: berth.credential! });
      const flags = [
        ...["-p", "18480:80", "-v", "shopdata:/data", "--restart", "unless-stopped", "-e", "MODE=dark"],
        ...["-e", `DB_PASSWORD=${SECRETS.quoted}`, "-e", `TLS_KEY=${SECRETS.lines}`],
        ...["-e", `DATABASE=postgres://ada:${SECRETS.url}@db/shop`, "--label", `x.token=${SECRETS.label}`],
      ];
      const web = await scene.run("shop-web", ...flags);
      scene.defer(() => engine.ask("DELETE /volumes/shopdata?force=1"));
      await engine.cli("exec", "shop-web", "sh", "-c", "echo kept >/data/file");
      const inside = () =>
        engine.cli("exec", "shop-web", "sh", "-c", "env | sort | grep -v HOSTNAME; cat /data/file");
      const seen = await inside();
      await eventually(
        "it is listed",
        async () => (await berthCommand("ls", "--names")).stdout.includes("shop-web"),
      );

      const drafted = await berthCommand("draft", "shop-web", "--name", "shop");
      const adopted = await berthCommand("adopt", "shop-web", "--name", "shop", "--yes");
      assert.equal(adopted.code, 0, adopted.stderr);
      const plan = await berthCommand("plan", "shop@home");
      assert.equal(plan.code, 0, plan.stdout + plan.stderr);
      assert.equal((await engine.cli("inspect", "-f", "{{.Id}}", "shop-web")).trim(), web.id);
      const answers = [drafted, adopted, plan].map(({ stdout, stderr }) => stdout + stderr).join("");
      await assertNoSecret(scene, answers);
      assert.deepEqual(scene.paths(), ["compose.yaml", "shop/.env", "shop/compose.yaml"]);
      assert.equal((await Deno.stat(`${scene.folder}/shop/.env`)).mode! & 0o777, 0o600);
      const complaint = await composeToday(engine.socket, `${scene.folder}/shop`, "up", "--detach");
      assert.match(complaint, /already in use/, "as docs/adopt.md says");

      await engine.cli("rm", "--force", "shop-web");
      assert.equal(await composeToday(engine.socket, `${scene.folder}/shop`, "up", "--detach"), "");
      assert.equal(await inside(), seen);
      assert.deepEqual(await recreated(engine, raw, `${scene.folder}/shop`, []), []);
      assert.deepEqual(berth.bugs(), []);
    },
    composeOfToday.missing,
  );

  test(
    "hostile names, labels, commands and a megabyte of variables are adopted as they are, and Compose makes the same",
    async (engine) => {
      await using scene = await AdoptionScene.on(engine);
      await using raw = new Scene(engine);
      const { berth } = scene;
      const refs: { backend: string; id: string }[] = [];
      const heavy = Array.from({ length: 10 }, (_, n) => {
        const name = n % 2 === 0 ? `TEXT_${n}` : `TOKEN_${n}`;
        return `${name}=${SECRETS.quoted}${`it's ${n} "\\\n: #`.repeat(LONGEST / 16)}`;
      });
      for (const name of HOSTILE) {
        const body = {
          Image: FIXTURE,
          Cmd: [
            "idle",
            "- x: &a *a",
            "!!js/function",
            "${HOME:?}",
            "$(id)",
            "line\nbreak",
            "\u2028",
            "%",
            "",
            `--password=${SECRETS.argument}`,
          ],
          Env: [
            ...[
              "no=yes",
              "a.b=<<: *x",
              "TAB=\t#",
              "__proto__=1",
              "constructor=x",
              `DB_PASSWORD=${SECRETS.plain}`,
            ],
            ...[`TLS_KEY=${SECRETS.lines}`, `API_TOKEN=${SECRETS.quoted}`, ...name === "yes" ? heavy : []],
          ],
          Labels: {
            ...{
              "<<": "&anchor",
              "on": "~",
              "a: b": "$$",
              "line\nbreak": "x\ny",
              "big": "# ".repeat(5_000),
            },
            ...{ "my.token": SECRETS.label },
          },
        };
        const { status, json } = await engine.ask(`POST /containers/create?name=${name}`, body);
        assert.equal(status, 201, JSON.stringify(json).slice(0, 300));
        scene.defer(() => engine.ask(`DELETE /containers/${name}?force=1`));
        assert.equal((await engine.ask(`POST /containers/${json.Id}/start`)).status, 204);
        refs.push({ backend: kind, id: json.Id });
      }
      const draft = await scene.draft(refs, "hostile");
      assert.equal(draft.status, 200, draft.text.slice(0, 1_000));
      const [{ differences, refused, leftOut }] = draft.body.projects;
      assert.deepEqual([differences, refused], [[], []]);
      const saved = await scene.accept(draft.body.id, {
        name: "hostile",
        folder: "hostile",
        containers: refs,
      });
      assert.equal(saved.status, 201, saved.text.slice(0, 1_000));
      const plan = await scene.plan("hostile");
      assert.deepEqual([plan.body.steps, plan.body.blocked], [[], []]);
      await assertNoSecret(scene, draft.text + saved.text + plan.text);
      assert.deepEqual(await recreated(engine, raw, `${scene.folder}/hostile`, leftOut), []);
      assert.deepEqual(berth.bugs(), []);
    },
    composeOfToday.missing,
  );

  test("a secret that .env cannot hold is named by its variable and refuses its container, and is shown nowhere", async (engine) => {
    await using scene = await AdoptionScene.on(engine);
    const { berth } = scene;
    // Of that many dollars berth does not read what each stands for.
    const secret = `${"it's $x ".repeat(12_000)}\n${SECRETS.plain}`;
    const body = { Image: FIXTURE, Cmd: ["idle"], Env: [`API_TOKEN=${secret}`] };
    const { json } = await engine.ask("POST /containers/create?name=unwritable", body);
    scene.defer(() => engine.ask("DELETE /containers/unwritable?force=1"));
    const refs = [{ backend: kind, id: json.Id }];
    const draft = await scene.draft(refs, "unwritable");
    assert.deepEqual(draft.body.projects[0].refused, [
      { container: "unwritable", why: '".env" cannot hold the value of API_TOKEN' },
    ]);
    const shown = await berth.call("POST /api/workspaces/home/adoptions/draft?reveal=true", {
      containers: refs,
    });
    const [{ files }] = shown.body.projects;
    const compose = files.find(({ path }: { path: string }) => path === "compose.yaml");
    assert.match(compose.text, /API_TOKEN: "\$\{UNWRITABLE_API_TOKEN\}"/);
    assert.ok(!compose.text.includes(SECRETS.plain), "nor where secrets are shown");
    const wish = { name: "unwritable", folder: "unwritable", containers: refs };
    const answer = await scene.accept(draft.body.id, wish);
    assert.deepEqual([answer.status, answer.body.code], [409, "adoption_blocked"], answer.text);
    assert.match(answer.body.title, /API_TOKEN/);
    assert.deepEqual(scene.paths(), ["compose.yaml"]);
    await assertNoSecret(scene, draft.text + answer.text);
    assert.deepEqual(berth.bugs(), []);
  });

  test("labels that claim another project, folder or service give nothing and write nowhere else", async (engine) => {
    await using scene = await AdoptionScene.on(engine);
    const { berth } = scene;
    await workspace(berth, "other", `name: theirs\nservices:\n  web:\n    image: ${FIXTURE}\n`);
    const projects = ["../../etc", "a\nb: c", "x".repeat(3_000), "Ünï", "-", "theirs", "declared"];
    const before = scene.paths();
    for (const [n, project] of projects.entries()) {
      const one = await scene.run(
        `lied-${n}`,
        ...Object.entries({
          project,
          service: "../a: b\n",
          "project.working_dir": "/etc",
          "project.config_files": "/etc/passwd,../../x",
          "container-number": "1",
          "oneoff": "False",
          "depends_on": "nobody:service_healthy:true,a:b:c:d,\n",
        }).flatMap(([name, value]) => ["--label", `com.docker.compose.${name}=${value}`]),
      );
      const draft = await scene.draft([one]);
      assert.equal(draft.status, 200, draft.text.slice(0, 500));
      const [{ name, folder }] = draft.body.projects;
      assert.match(name, /^[a-z0-9][a-z0-9_-]{0,62}$/, "a name that Compose takes");
      assert.doesNotMatch(folder, /\.\.|^\//);
      const answer = await scene.accept(draft.body.id, { name, folder, containers: [one] });
      if (answer.status === 201) {
        assert.deepEqual(scene.paths().filter((path) => !before.includes(path)), [`${folder}/compose.yaml`]);
        const plan = await scene.plan(answer.body.projects[0].group);
        assert.deepEqual(plan.body.steps, [], plan.text);
        for (const { id } of (await berth.call("GET /api/adoptions")).body.items) {
          await berth.call(`DELETE /api/adoptions/${id}`);
        }
        await Deno.remove(`${scene.folder}/${folder}`, { recursive: true });
      } else assert.equal(answer.body.code, "adoption_blocked", answer.text);
      assert.deepEqual(scene.paths(), before);
      await engine.cli("rm", "--force", `lied-${n}`);
    }
    assert.deepEqual(berth.bugs(), []);
  });
}

const { test } = await proofEngine("docker");

test("a berth in a container does not adopt the container that it runs in", async (engine) => {
  const actor = new URL("adoption_itself_actor.ts", import.meta.url).pathname;
  const { denoDir } = JSON.parse(
    new TextDecoder().decode(
      (await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output()).stdout,
    ),
  );
  const project = new URL("../../", import.meta.url).pathname;
  // The programs of this machine at their own places, beside the files that the engine gives each container.
  const seen = ["/usr", "/lib", "/lib64", Deno.execPath(), denoDir, project, engine.socket];
  const flags = ["run", "--rm", "--network", "host", "--name", "itself", "--workdir", project];
  const told = await engine.cli(
    ...flags,
    ...[
      "--tmpfs",
      "/tmp:mode=1777",
      "--env",
      `DENO_DIR=${denoDir}`,
      ...seen.flatMap((path) => ["-v", `${path}:${path}`]),
    ],
    ...[FIXTURE, Deno.execPath(), "run", "-A", "--no-check", "--lock=tests/deno.lock", actor],
    ...["docker", engine.socket, "itself"],
  );
  const answer = JSON.parse(told.trim().split("\n").at(-1)!);
  assert.deepEqual(answer.refused, [{ container: "itself", why: "it is berth itself" }]);
  assert.deepEqual([answer.status, answer.files], [409, ["compose.yaml"]]);
  assert.match(answer.title, /it is berth itself/);
});

/** Asserts that only `.env` has the secrets: neither answers, audit and log, nor any other file of berth or workspace. */
async function assertNoSecret(scene: AdoptionScene, answers: string): Promise<void> {
  const { berth } = scene;
  const adoptions = await berth.call("GET /api/adoptions");
  const audit = await berth.call("GET /api/system/audit?limit=200");
  assert.equal(audit.status, 200);
  const data = `${berth.folder}/data`;
  const kept = [
    ...scene.paths(data).map((path) => `${data}/${path}`),
    ...scene.paths().filter((path) => !path.endsWith(".env")).map((path) => `${scene.folder}/${path}`),
  ];
  assert.ok(kept.length >= 3, "there is something to look at");
  const texts: [string, string][] = [
    ["an answer", answers],
    ["the adoptions", adoptions.text],
    ["the audit log", audit.text],
    ...await Promise.all(
      kept.map(async (path): Promise<[string, string]> => [path, await Deno.readTextFile(path)]),
    ),
  ];
  for (const [where, text] of texts) {
    for (const [name, secret] of Object.entries(SECRETS)) {
      // As it is, and as JSON and YAML write it; the middle of one of several lines.
      const forms = [
        secret,
        JSON.stringify(secret).slice(1, -1),
        ...name === "lines" ? ["c29tZXRoaW5n"] : [],
      ];
      for (const form of forms) assert.ok(!text.includes(form), `the secret "${name}" is in ${where}`);
    }
  }
}
