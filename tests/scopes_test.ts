/** Who holds scopes is answered as by a berth that has only those things. */
import assert from "node:assert/strict";
import { eventually } from "./eventually.ts";
import { inspected, ScriptedWorld } from "./scripted_world.ts";
import { serveEngines, type TestCaller, type TestService } from "./service.ts";

/** A container of a world: with a Compose project and service, labels, and what it uses. */
interface Made {
  readonly id: string;
  readonly name: string;
  readonly project?: string;
  readonly labels?: Record<string, string>;
  readonly volume?: string;
}

/** What one engine has. */
interface Has {
  readonly containers: readonly Made[];
  readonly volumes: Record<string, Record<string, string>>;
  readonly networks: Record<string, Record<string, string>>;
  readonly images: readonly string[];
}

const PROJECT = "com.docker.compose.project";
const NOTHING: Has = { containers: [], volumes: {}, networks: {}, images: [] };
const hex = (digit: string) => digit.repeat(64);

const SHOP_WEB: Made = { id: hex("a"), name: "shop-web", project: "shop", volume: "shop_data" };
const SHOP_DB: Made = { id: hex("b"), name: "shop-db", project: "shop", labels: { team: "web" } };
const TOOL: Made = { id: hex("c"), name: "tool", labels: { team: "web" }, volume: "shop_data" };
const BLOG_WEB: Made = { id: hex("d"), name: "blog-web", project: "blog", volume: "plain" };
const SHOP_FAR: Made = { id: hex("e"), name: "shop-far", project: "shop" };
/** Of a name that another one has, too: whoever sees one of them alone meets no ambiguity. */
const TWIN: Made = { id: `${hex("a").slice(0, 8)}${hex("f").slice(8)}`, name: "shop-db" };

const ONE: Has = {
  containers: [SHOP_WEB, SHOP_DB, TOOL],
  volumes: { shop_data: { [PROJECT]: "shop" }, plain: {} },
  networks: { shop_default: { [PROJECT]: "shop" }, other: { [PROJECT]: "blog" } },
  images: ["web:1", "tool:1"],
};
const TWO: Has = {
  containers: [BLOG_WEB, SHOP_FAR, TWIN],
  volumes: { plain: {}, blog_data: { [PROJECT]: "blog", team: "web" } },
  networks: { blog_default: { [PROJECT]: "blog" } },
  images: ["blog:1"],
};

/** Two projects in one workspace, and one in another; the first two know of each other. */
const FILES = {
  "all/shop/compose.yaml":
    `name: shop\nservices:\n  web:\n    image: web:1\n    ports: ["8080:80"]\n    depends_on: [db]\n  db:\n    image: db:1\n    container_name: shop-db\n`,
  "all/blog/compose.yaml": `name: blog\nservices:\n  web:\n    image: blog:1\n    ports: ["8080:80"]\n`,
  "rest/compose.yaml": `name: rest\nservices:\n  idle:\n    image: idle:1\n`,
};
type Path = keyof typeof FILES;

function worldOf({ containers, volumes, networks, images }: Has): ScriptedWorld {
  const networkIds = new Map(Object.keys(networks).map((name) => [name, idOf(name)]));
  const made = new Map(containers.map((one) => [one.id, container(one)]));
  const volume = (name: string) => ({ Name: name, Driver: "local", Scope: "local", Labels: volumes[name] });
  const network = (name: string) => ({ Id: networkIds.get(name), Name: name, Labels: networks[name] });
  const image = (tag: string) => ({ Id: `sha256:${idOf(tag)}`, RepoTags: [tag], Size: 1 });
  const answers = new Map<string, unknown>([
    ["/volumes", { Volumes: Object.keys(volumes).map(volume) }],
    ...Object.keys(volumes).map((name) => [`/volumes/${name}`, volume(name)] as const),
    ["/networks", Object.keys(networks).map(network)],
    ...Object.keys(networks).flatMap((name) => [
      [`/networks/${name}`, network(name)] as const,
      [`/networks/${networkIds.get(name)}`, network(name)] as const,
    ]),
    ["/images/json", images.map(image)],
    ...images.flatMap((tag) => [
      [`/images/${encodeURIComponent(tag)}/json`, image(tag)] as const,
      [`/images/${encodeURIComponent(tag)}/history`, []] as const,
    ]),
    ["/system/df", {
      Images: images.map(image),
      Containers: containers.map(({ id, name }) => ({ Id: id, Names: [`/${name}`], SizeRw: 5 })),
      Volumes: Object.keys(volumes).map(volume),
      BuildCache: [],
    }],
    ...containers.map(({ id }) =>
      [`/containers/${id}/top`, { Titles: ["PID"], Processes: [["1"]] }] as const
    ),
  ]);
  return new ScriptedWorld({
    containers: made,
    override: (_request, path) => answers.has(path) ? Response.json(answers.get(path)) : undefined,
  });
}

const idOf = (name: string) =>
  [...new TextEncoder().encode(name)].map((one) => one.toString(16)).join("").padEnd(64, "0").slice(0, 64);

function container({ id, name, project, labels = {}, volume }: Made): Record<string, unknown> {
  const compose = project === undefined ? {} : {
    [PROJECT]: project,
    "com.docker.compose.service": name.slice(name.indexOf("-") + 1),
  };
  const plain = inspected(id, name);
  return {
    ...plain,
    Config: { ...plain["Config"] as Record<string, unknown>, Labels: { ...labels, ...compose } },
    Mounts: volume === undefined ? [] : [{ Type: "volume", Name: volume, Source: "/v", Destination: "/d" }],
  };
}

/** A berth over these engines and files, whose owners are known. */
async function berthOf(
  engines: Record<string, Has>,
  files: readonly Path[],
  stack: AsyncDisposableStack,
): Promise<TestService> {
  const worlds = Object.fromEntries(
    Object.entries(engines).map(([name, has]) => [name, stack.use(worldOf(has))]),
  );
  const berth = stack.use(await serveEngines(worlds));
  for (const path of files) {
    const whole = `${berth.folder}/workspaces/${path}`;
    await Deno.mkdir(whole.slice(0, whole.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(whole, FILES[path]);
  }
  for (const name of new Set(files.map((path) => path.split("/")[0]))) {
    const made = await berth.call("POST /api/workspaces", { path: `${berth.folder}/workspaces/${name}` });
    assert.equal(made.status, 201, made.text);
  }
  await eventually("owners are known", async () => {
    const { items } = (await berth.call("GET /api/containers")).body;
    return items.every((one: { compose: unknown; workspace: unknown }) =>
      one.compose === null || one.workspace !== null || files.length === 0
    );
  });
  return berth;
}

/** What stands for each parameter: everything that is anywhere, by each of its names, and what is nowhere. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  containers: [...ONE.containers, ...TWO.containers].flatMap(({ id, name }) => [id, id.slice(0, 8), name]),
  volumes: ["shop_data", "plain", "blog_data"],
  networks: ["shop_default", "other", "blog_default"].flatMap((name) => [name, idOf(name)]),
  images: ["web:1", "tool:1", "blog:1"],
  workspaces: ["all", "rest"],
  groups: ["shop", "blog", "rest"],
  units: ["shop.web", "shop.db", "blog.web", "web", "rest.idle"],
  cards: [],
};

/** Queries that ask for more than the plain answer. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  "/containers": ["workspace=all", "workspace=rest", "backend=one", "backend=two", "project=blog", "q=shop"],
  "/volumes": ["unused=true", "backend=one", "backend=two", "q=plain"],
  "/networks": ["unused=true", "backend=two"],
  "/images": ["unused=true", "backend=two"],
  "/system/disk-usage": ["type=containers", "type=volumes", "backend=two"],
  "/workspaces/{id}/artifacts": ["kind=unit", "format=ndjson"],
  "/workspaces/{id}/artifacts/dag": ["live=true", "group=shop", "group=blog", "format=mermaid"],
};

/** Every `GET` that answers at once and asks for a permission, with everything put in. */
async function requests(berth: TestService): Promise<{ path: string; route: string; subject: string }[]> {
  const { body } = await berth.call("GET /api/openapi.json");
  const found: { path: string; route: string; subject: string }[] = [];
  for (const [route, { get }] of Object.entries<Record<string, Record<string, unknown>>>(body.paths)) {
    if (get === undefined || get["x-websocket"] === true || get["x-subject"] === undefined) continue;
    if (/logs|audit|units$/.test(route) || get["x-subject"] === "everything") continue;
    let paths = [route];
    for (const [whole] of route.matchAll(/\/(\w+)\/\{\w+(?:\.\.\.)?\}/g)) {
      const kind = whole.split("/")[1]!;
      const values = [...VALUES[kind] ?? assert.fail(`no values for ${route}`), "nowhere"];
      paths = paths.flatMap((path) => values.map((value) => path.replace(whole, `/${kind}/${value}`)));
    }
    for (const path of paths) {
      const queries = QUERIES[route.slice("/api".length)] ?? [];
      for (const query of ["", ...queries.map((one) => `?${one}`)]) {
        found.push({ path: path + query, route, subject: String(get["x-subject"]) });
      }
    }
  }
  return found;
}

interface Case {
  readonly on: string;
  /** All that is in scope. */
  readonly engines: Record<string, Has>;
  readonly files: readonly Path[];
  /** What a berth with these engines and workspaces would tell, and who holds the scope is not told. */
  readonly untold: RegExp;
}

/** What is about engines as a whole, and engines that show nothing. */
const ENGINES = "images|system/(info|backends|disk-usage)|(volumes|networks)\\?backend=";
const only = (has: Has, keep: (one: Made) => boolean, more: Partial<Has> = {}): Has => ({
  ...NOTHING,
  containers: has.containers.filter(keep),
  ...more,
});

const CASES: readonly Case[] = [
  { on: "engine:one", engines: { one: ONE }, files: [], untold: /workspace=all/ },
  {
    on: "project:shop",
    engines: {
      one: only(ONE, ({ project }) => project === "shop", {
        volumes: { shop_data: ONE.volumes["shop_data"]! },
        networks: { shop_default: ONE.networks["shop_default"]! },
      }),
      two: only(TWO, ({ project }) => project === "shop"),
    },
    files: ["all/shop/compose.yaml"],
    untold: new RegExp(`^/api/(${ENGINES}|workspaces($|/\\w+$))`),
  },
  {
    on: "workspace:all",
    engines: {
      one: only(ONE, ({ project }) => project !== undefined),
      two: only(TWO, (one) => one !== TWIN),
    },
    files: ["all/shop/compose.yaml", "all/blog/compose.yaml"],
    untold: new RegExp(`^/api/(${ENGINES})`),
  },
  {
    on: "label:team=web",
    engines: {
      one: only(ONE, ({ labels }) => labels !== undefined),
      two: only(TWO, () => false, { volumes: { blog_data: TWO.volumes["blog_data"]! } }),
    },
    files: [],
    untold: new RegExp(`^/api/(${ENGINES}|containers\\?(backend=two|workspace=all))`),
  },
];

for (const { on, engines, files, untold } of CASES) {
  Deno.test(`whoever may look on ${on} is answered as by a berth that has nothing else`, async () => {
    await using stack = new AsyncDisposableStack();
    const whole = await berthOf({ one: ONE, two: TWO }, Object.keys(FILES) as Path[], stack);
    const part = await berthOf(engines, files, stack);
    const scoped = await keyOn(whole, on);
    const viewer = await part.key("viewer");
    const wrong: string[] = [];
    let told = 0;
    const all = await requests(whole);
    for (const { path } of all.filter(({ path }) => !untold.test(path))) {
      const [got, due] = [await answerOf(scoped, path, whole), await answerOf(viewer, path, part)];
      if (got !== due) wrong.push(`${path}\n  got ${got.slice(0, 400)}\n  due ${due.slice(0, 400)}`);
      if (got.startsWith("200")) told++;
    }
    console.log(`${on}: ${all.length} requests, ${told} with an answer, ${wrong.length} differ`);
    assert.deepEqual(wrong, []);
    assert.ok(told > 10, `${told} answers`);
    assert.deepEqual(whole.bugs(), []);
  });
}

async function keyOn(berth: TestService, on: string, role = "viewer"): Promise<TestCaller> {
  const made = await berth.call("POST /api/settings/api-keys", { name: on, grants: [{ role, on: [on] }] });
  assert.equal(made.status, 201, made.text);
  return berth.as(made.body.key);
}

/** Without what is of the moment, or of the machine. */
async function answerOf(caller: TestCaller, path: string, berth: TestService): Promise<string> {
  const { status, text } = await caller.call(`GET ${path}`);
  const plain = text.replaceAll(berth.folder, "<folder>")
    .replace(/"(requestId|createdAt|startedAt|measuredAt|address)":"[^"]*"/g, '"$1":"-"')
    .replace(/"default":(true|false)/g, '"default":"-"')
    .replace(/"durationMs":[\d.]+/g, '"durationMs":0')
    // To whom a container belongs is said by itself.
    .replace(/"workspace":(null|\{"id":"\w+","unit":[^}]*\})(?=,"backend"|\}$)/g, '"workspace":"-"')
    // A single engine says itself that it has no such thing.
    .replace(/: (no engine that is up has it|engine \\"\w+\\" says \\"No such container:\\")/, ": -");
  return `${status} ${plain}`;
}
