/** Differences settled in the file, beside real containers: one node is another, and every other byte stays. */
import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { lawEngine } from "../support/shared_engine.ts";
import { AdoptionScene } from "./adoption_scene.ts";

const SECRET = "correct-horse-battery";
const FILE = `# The shop, by hand.
name: shop
x-common: &common
  stop_grace_period: 2s # of all
services:
  web:
    image: ${FIXTURE} # as pinned
    container_name: settled-web
    network_mode: bridge
    command: [idle]
    restart: "no"   # for now
    environment:
      - MODE=dark
      - OTHER=\${UNSET:-x}
    ports:
      - "18460:80" # http
      - 18461:81
    stop_grace_period: 1s
    deploy:
      resources: { limits: { memory: 64m } }
    labels: { team: "a", kept: "$$x" }
  db:
    <<: *common
    image: ${FIXTURE}
    container_name: settled-db
    network_mode: bridge
    command: [idle]
  cache:
    <<: *common
    image: ${FIXTURE}
    container_name: settled-cache
    network_mode: bridge
    command: [idle]
`;

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("settling a difference changes one node of the file, and is refused where anything else would change", async (engine) => {
    await using scene = await AdoptionScene.on(engine);
    const { berth } = scene;
    const path = `${scene.folder}/shop/compose.yaml`;
    await Deno.mkdir(`${scene.folder}/shop`);
    await Deno.writeTextFile(path, FILE);
    const of = (service: string) =>
      Object.entries({ project: "shop", service, "project.config_files": path, "container-number": "1" })
        .flatMap((
          [name, value],
        ) => ["--label", `com.docker.compose.${name}=${value}`]);
    const flags = [
      ...of("web"),
      ...["-e", "MODE=light $HOME", "-e", "OTHER=x", "-e", "NEW=a: b"],
      ...["-p", "18462:80", "-p", "18461:81", "--memory", "65m", "--label", "team=b", "--label", "kept=$x"],
      ...["-e", `DB_PASSWORD=${SECRET}`, "--hostname", "shop", "--user", "1"],
    ];
    await scene.run("settled-web", "--restart", "always", ...flags);
    await scene.run("settled-db", ...of("db"), "--stop-timeout", "7");
    await scene.run("settled-cache", ...of("cache"), "--stop-timeout", "7");
    const drift = async (unit: string): Promise<string[]> => {
      const { body } = await berth.call(`GET /api/workspaces/home/artifacts/units/${unit}`);
      return (body.live?.drift ?? []).map(({ field }: { field: string }) => field);
    };
    await eventually("it is compared", async () => (await drift("shop.web")).includes("restart"));
    const settle = async (unit: string, fields: string[], query = "", headers: Record<string, string> = {}) =>
      await berth.call(
        `POST /api/workspaces/home/artifacts/units/${unit}/settle${query}`,
        { container: unit.replace("shop.", "settled-"), fields },
        { headers },
      );
    let text = FILE;
    const settled = async (fields: string[], ...changes: [before: string, after: string][]) => {
      const shown = await settle("shop.web", fields, "?preview=true");
      assert.equal(shown.status, 200, shown.text);
      assert.equal(await Deno.readTextFile(path), text, "a preview saves nothing");
      const untagged = await settle("shop.web", fields);
      assert.equal(untagged.status, 428);
      const saved = await settle("shop.web", fields, "", { "if-match": shown.headers.get("etag")! });
      assert.equal(saved.status, 200, saved.text);
      for (const [before, after] of changes) {
        assert.equal(text.split(before).length, 2, before);
        text = text.replace(before, () => after);
      }
      assert.equal(await Deno.readTextFile(path), text);
      const left = await drift("shop.web");
      assert.deepEqual(fields.filter((field) => left.includes(field)), []);
      assert.deepEqual([...saved.body.left].sort(), left.sort());
    };
    await settled(["restart"], [`restart: "no"   # for now`, "restart: always   # for now"]);
    await settled(["environment.MODE"], ["- MODE=dark", `- "MODE=light $$HOME"`]);
    await settled(["environment.NEW"], [
      `      - OTHER=\${UNSET:-x}\n`,
      `      - OTHER=\${UNSET:-x}\n      - "NEW=a: b"\n`,
    ]);
    await settled(["labels.team"], [`team: "a"`, "team: b"]);
    await settled(["limits.memory"], ["memory: 64m", `memory: "65m"`]);
    await settled(["ports"], [`"18460:80"`, `"18462:80"`]);
    await settled(["user", "hostname"], [
      "    stop_grace_period: 1s\n",
      `    stop_grace_period: 1s\n    user: "1"\n    hostname: shop\n`,
    ]);

    const refused = async (unit: string, field: string, why: RegExp) => {
      const answer = await settle(unit, [field], "?preview=true");
      assert.deepEqual([answer.status, answer.body.code], [422, "cannot_settle"], answer.text);
      assert.match(answer.body.title, why);
      assert.equal(await Deno.readTextFile(path), text);
    };
    assert.deepEqual(await drift("shop.web"), ["environment.DB_PASSWORD"]);
    await refused("shop.web", "environment.DB_PASSWORD", /looks like a secret/);
    await refused("shop.web", "restart", /no such difference/);
    await refused("shop.db", "stopGracePeriod", /"shop.cache" would change as well/);

    const again = await settle("shop.web", ["environment.DB_PASSWORD"], "?preview=true");
    assert.doesNotMatch(again.text, new RegExp(SECRET));
    // Podman has no update of a policy, so another container takes the place.
    await engine.cli("rm", "--force", "settled-web");
    await scene.run("settled-web", ...flags);
    await eventually("the change is seen", async () => (await drift("shop.web")).includes("restart"));
    const shown = await settle("shop.web", ["restart"], "?preview=true");
    assert.deepEqual(shown.body.changes, [{
      line: 11,
      before: "    restart: always   # for now",
      after: "",
    }]);
    await Deno.writeTextFile(path, text += "# later\n");
    const late = await settle("shop.web", ["restart"], "", { "if-match": shown.headers.get("etag")! });
    assert.deepEqual([late.status, late.body.code], [412, "file_changed"], late.text);
    const viewer = await berth.key("viewer");
    const denied = await viewer.call(
      "POST /api/workspaces/home/artifacts/units/shop.web/settle?preview=true",
      {
        container: "settled-web",
        fields: ["restart"],
      },
    );
    assert.equal(denied.status, 403);
    assert.equal(await Deno.readTextFile(path), text);
    assert.deepEqual(berth.bugs(), []);
  });

  test("a difference whose place others share is refused, and no byte of any file changes", async (engine) => {
    await using scene = await AdoptionScene.on(engine);
    const { berth } = scene;
    const service = (name: string, more: string) =>
      `  ${name}:\n    image: ${FIXTURE}\n    container_name: shared-${name}\n    network_mode: bridge\n    command: [idle]\n    ${more}\n`;
    const files: Readonly<Record<string, string>> = {
      "shop/compose.yaml": `name: shop\nx-policy: &policy "no"\ninclude: [inc.yaml]\nservices:\n` +
        service("one", "restart: *policy") + service("two", "restart: *policy") +
        service("base", 'restart: "no"') +
        "  child:\n    extends: { service: base }\n    container_name: shared-child\n",
      "shop/inc.yaml": `services:\n${service("inc", 'restart: "no"')}`,
      "more/compose.yaml": "name: more\ninclude: [../shop/inc.yaml]\n",
      "two/compose.yaml": `name: two\nservices:\n${service("both", 'restart: "no"')}`,
      "two/compose.override.yaml": 'services:\n  both:\n    restart: "on-failure:2"\n',
    };
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(`${scene.folder}/${path.split("/")[0]}`, { recursive: true });
      await Deno.writeTextFile(`${scene.folder}/${path}`, text);
    }
    for (
      const [project, name] of [["shop", "one"], ["shop", "base"], ["shop", "inc"], ["two", "both"]] as const
    ) {
      const labels = Object.entries({
        project,
        service: name,
        "project.config_files": `${scene.folder}/${project}/compose.yaml`,
        "container-number": "1",
      }).flatMap(([label, value]) => ["--label", `com.docker.compose.${label}=${value}`]);
      await scene.run(`shared-${name}`, ...labels, "--restart", "always");
    }
    const settle = (name: string) =>
      berth.call(`POST /api/workspaces/home/artifacts/units/shop.${name}/settle?preview=true`, {
        container: `shared-${name}`,
        fields: ["restart"],
      });
    for (
      const [name, why] of [
        ["one", /"shop.two" would change as well/],
        ["base", /"shop.child" would change as well/],
        ["inc", /"more.inc" would change as well/],
      ] as const
    ) {
      const answer = await eventually(`${name} differs`, async () => {
        const one = await settle(name);
        return /no such difference|has no container/.test(one.text) ? null : one;
      });
      assert.deepEqual([answer.status, answer.body.code], [422, "cannot_settle"], answer.text);
      assert.match(answer.body.title, why);
    }
    // Of a key that two files set, the one that decides is changed.
    const both = await eventually("both differs", async () => {
      const one = await berth.call("POST /api/workspaces/home/artifacts/units/two.both/settle?preview=true", {
        container: "shared-both",
        fields: ["restart"],
      });
      return one.status === 200 ? one : null;
    });
    assert.equal(both.body.path, "two/compose.override.yaml");
    for (const [path, text] of Object.entries(files)) {
      assert.equal(await Deno.readTextFile(`${scene.folder}/${path}`), text);
    }
    assert.deepEqual(berth.bugs(), []);
  });
}
