/** Lines of `docker run` as projects: what Compose makes of the text is what Docker makes of the line. */
import assert from "node:assert/strict";
import { ServiceError } from "../../core/error.ts";
import { fromRun } from "../../projects/adopt/from_run.ts";
import { RUN_FLAGS } from "../../projects/adopt/run_flags.ts";
import { shellWords } from "../../projects/adopt/shell_words.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import { FIXTURE } from "../support/engine.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { startService } from "../support/service.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";
import { rawDifferences, rawOf } from "./raw_container.ts";

const LINES = [
  `docker run -d --name ran ${FIXTURE} idle`,
  `docker run -itd --name ran -p 18450:80 -p 127.0.0.1:18451:53/udp --expose 7000 ${FIXTURE} idle`,
  `sudo docker run --name=ran --restart=on-failure:3 -e A=b -e 'C=d e $X "q"' -l "ab=c: d" ${FIXTURE} idle -x '$HOME' ""`,
  `docker container run --name ran \\\n  -m 65m --memory-swap -1 --cpus=0.25 --ulimit nofile=10:20 --shm-size 1m \\\n  ${FIXTURE} idle`,
  `docker run --name ran -v ran-data:/data:ro -v /tmp:/host:rslave --tmpfs /mem:size=1m -v /anonymous ${FIXTURE} idle`,
  `docker run --name ran --mount type=bind,src=/tmp,dst=/x,readonly -w "/a b" -u 1:1 --entrypoint /bin/sh ${FIXTURE} -c id`,
  `docker run --name ran --health-cmd "test $A = 'b'" --health-interval 1500ms --health-retries 2 ${FIXTURE} idle`,
  `docker run --name ran --network none --cap-add NET_ADMIN --cap-drop MKNOD --read-only --init ${FIXTURE} idle`,
  `docker run --name ran --add-host a:10.0.0.1 --dns 10.0.0.2 --hostname h --pid host --stop-timeout 5 --stop-signal INT ${FIXTURE} idle`,
  `docker run --name ran -e DB_PASSWORD="it's \\"\\$x\\" \\\\n" --log-driver json-file --log-opt max-size=1m ${FIXTURE} idle`,
  `docker run --name ran --health-interval 5s --health-retries 9 --init=false -it=false ${FIXTURE} idle`,
  `docker run --name ran --device /dev/null:rw --device /dev/zero:/dev/nil --device /dev/full:/dev/f:r ${FIXTURE} idle`,
  `docker run --name ran --device vendor.com/net=one --device vendor.com/net=all ${FIXTURE} idle`,
];

const { test } = await sharedEngine("docker");

test(
  "Compose makes of the text what Docker makes of the line",
  async (engine) => {
    for (const line of LINES) {
      const { files, unknown } = fromRun(line);
      assert.deepEqual(unknown, [], line);
      const { words } = shellWords(line);
      const args = words.slice(words.indexOf("run") + 1).filter((word) => word !== "-d");
      const id = (await engine.cli("create", ...args.map((word) => word === "-itd" ? "-it" : word))).trim();
      const raw = await rawOf(engine, id, new Map());
      await engine.ask(`DELETE /containers/${id}?force=1&v=1`);
      await using folder = await workspaceFolder(Object.fromEntries(files), "ran");
      try {
        assert.equal(await composeToday(engine.socket, folder.path, "create", "--pull", "never"), "", line);
        const made = await rawOf(engine, (await engine.ask("GET /containers/ran/json")).json.Id, new Map());
        const wrong = rawDifferences(raw, made).map((name) => [name, raw[name], made[name]]);
        assert.deepEqual(wrong, [], line);
      } finally {
        await composeToday(engine.socket, folder.path, "down", "--volumes", "--timeout", "0");
      }
    }
  },
  composeOfToday.missing,
);

Deno.test("every flag that Docker's help names is known, and what no file can say is listed", async () => {
  const help = await new Deno.Command("docker", { args: ["run", "--help"] }).output().catch(() => null);
  const text = new TextDecoder().decode(help?.stdout);
  const named = [...text.matchAll(/^ +(?:-\w, )?--([a-z0-9-]+)/gm)].map(([, name]) => name!);
  assert.deepEqual(named.filter((name) => !Object.hasOwn(RUN_FLAGS, name) && name !== "help"), []);

  const { unknown, notes, name } = fromRun(
    "docker run --rm -P --env-file x.env -e HOME --cpuset-mems=0 --network front -v $PWD/data:/data ghcr.io/o/web:1",
  );
  assert.equal(name, "web");
  assert.deepEqual(unknown, ["--rm", "-P", "--env-file x.env", "-e HOME", "--cpuset-mems=0"]);
  assert.match(notes.join("\n"), /\$PWD\/data[^]*expands no variables[^]*network "front" must be there/);
});

Deno.test("what a shell would expand to a path is a folder, and a flag that is switched off is not taken for on", () => {
  const text = (flags: string) => fromRun(`docker run --name web ${flags} app`);
  for (const source of ["$PWD/data", "`pwd`/data", "$(pwd)", "$DATA", "data/of/web"]) {
    const { files, notes } = text(`-v '${source}:/data'`);
    const compose = files.get("compose.yaml")!;
    assert.ok(compose.includes(`./${source.replaceAll("$", "$$$$")}:/data`), compose);
    assert.doesNotMatch(compose, /^volumes:/m);
    assert.match(notes.join(), /starts at the project's folder now/);
  }
  assert.deepEqual(text("-v ${DATA:-/srv}:/data").unknown, ["-v ${DATA:-/srv}:/data"]);
  assert.match(text("--init=false").files.get("compose.yaml")!, /init: false\n/);
  assert.doesNotMatch(text("--privileged --privileged=f -t=0").files.get("compose.yaml")!, /privileged|tty/);
  assert.deepEqual(text("--rm=false -P=false").unknown, []);
  assert.deepEqual(text("--device a:b:r:w").unknown, ["--device a:b:r:w"]);
  assert.throws(() => text("--init=no"), /"--init" is true or false, and not "no"/);
});

Deno.test("what is no line of docker run is refused with the word that is wrong", () => {
  for (
    const [line, why] of [
      ["docker ps", /no line of "docker run"/],
      ["", /no line/],
      ["docker run", /names no image/],
      ["docker run -d", /names no image/],
      ["docker run --nmae web nginx", /does not know the flag "--nmae"/],
      ["docker run -Z nginx", /does not know the flag "-Z"/],
      ["docker run --name", /"--name" has no value/],
      ["docker run 'nginx", /a quote has no end/],
      ["docker run --__proto__ x nginx", /does not know the flag/],
    ] as const
  ) {
    assert.throws(
      () => fromRun(line),
      (error) => error instanceof ServiceError && error.code === "line_refused" && why.test(error.message),
      line,
    );
  }
});

Deno.test("POST /api/artifacts/from-run answers with the text, and saves nothing", async () => {
  await using berth = await startService({});
  const answer = await berth.call("POST /api/artifacts/from-run", {
    command: "docker run -d --name web -e API_TOKEN=hunter2-hunter2 -p 8080:80 nginx:1.27",
  });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.body.files.map(({ path }: { path: string }) => path), [".env", "compose.yaml"]);
  assert.match(answer.body.files[1].text, /"?8080:80"?/);
  assert.doesNotMatch(answer.body.files[1].text, /hunter2/);
  const refused = await berth.call("POST /api/artifacts/from-run", { command: "docker ps" });
  assert.deepEqual([refused.status, refused.body.code], [422, "line_refused"]);
  assert.deepEqual(berth.bugs(), []);
});
