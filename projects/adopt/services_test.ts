/** Each container is of one service, and no container is put away below the text of another one. */
import assert from "node:assert/strict";
import { type Blank, blankContainer } from "./blank.ts";
import { writeProject } from "./write_project.ts";

let last = 0;
const container = (name: string, over: Partial<Blank> = {}): Blank => ({
  ...blankContainer("app:1"),
  id: String(++last).padStart(64, "a"),
  name,
  ...over,
});
const of = (service: string, number: number, over: Partial<Blank> = {}): Partial<Blank> => ({
  compose: { project: "shop", service, workingDir: "/lost", configFiles: [] },
  labels: { "com.docker.compose.container-number": String(number) },
  ...over,
});

function written(containers: readonly Blank[], name = "shop") {
  const { files, services, refused } = writeProject({
    name,
    kind: "docker",
    defaults: { logDriver: "json-file", runtime: "runc", cgroupMode: "private" },
    bare: null,
    containers,
    networks: [],
    volumes: [],
    nameOf: () => undefined,
    self: null,
    foreign: new Set(),
  });
  return {
    text: files.get("compose.yaml")!,
    services: Object.fromEntries(
      containers.flatMap(({ id, name }) => services.has(id) ? [[name, services.get(id)]] : []),
    ),
    refused: refused.map(({ container, why }) => [container, why]),
  };
}

Deno.test("a container of docker run beside a service of its name is a service of its own", () => {
  const { text, services, refused } = written([
    container("web", { image: "mine:1" }),
    container("shop-web-1", of("web", 1)),
  ]);
  assert.deepEqual(services, { web: "web-2", "shop-web-1": "web" });
  assert.deepEqual(refused, []);
  assert.match(text, /web-2:\n +image: "mine:1"\n[^]* +container_name: web\n/);
  assert.match(text, /web:\n +image: "app:1"\n/);
  assert.doesNotMatch(text, /scale/);
});

Deno.test("replicas that are numbered with either sign are one service of that scale", () => {
  for (const sign of ["-", "_"]) {
    const names = [1, 2].map((number) => ["shop", "web", number].join(sign));
    const { text, refused } = written(names.map((name, at) => container(name, of("web", at + 1))));
    assert.deepEqual(refused, []);
    assert.match(text, /scale: 2\n/);
    assert.doesNotMatch(text, /container_name/);
  }
});

Deno.test("a replica with another text, and a single run of a service, are refused with the reason", () => {
  const { text, services, refused } = written([
    container("shop-web-1", of("web", 1)),
    container("shop-web-2", of("web", 2, { image: "app:0", user: "1" })),
    container("renamed", of("web", 3)),
    container("shop-web-run-1", of("web", 1, { labels: { "com.docker.compose.oneoff": "True" } })),
  ]);
  assert.deepEqual(services, { "shop-web-1": "web" });
  const why =
    'a file gives all containers of the service "web" one text, and it differs from "shop-web-1" in ';
  assert.deepEqual(refused, [
    ["shop-web-run-1", "it is a single run of a service (docker compose run), which no file declares"],
    ["shop-web-2", `${why}image, user`],
    ["renamed", `${why}container_name`],
  ]);
  assert.doesNotMatch(text, /scale/);
});

Deno.test("a project under another name keeps its services, but for those that several containers have", () => {
  const { text, services, refused } = written([
    container(
      "shop-web-1",
      of("web", 1, { labels: { "com.docker.compose.depends_on": "db:service_started:false" } }),
    ),
    container("shop-db-1", of("db", 1)),
    container("shop-job-1", of("job", 1)),
    container("shop-job-2", of("job", 2)),
    container("db"),
    container("named", of("a b", 1)),
  ], "other");
  assert.deepEqual(services, {
    "shop-web-1": "web",
    "shop-db-1": "db",
    "shop-job-1": "shop-job-1",
    "shop-job-2": "shop-job-2",
    db: "db-2",
    named: "named",
  });
  assert.deepEqual(refused, []);
  assert.match(text, /depends_on:\n +db:\n/);
  assert.equal(text.match(/container_name: /g)?.length, 6);
});
