/** Two engines and two workspaces, of which callers with scopes see parts. */
import assert from "node:assert/strict";
import { eventually } from "./eventually.ts";
import { inspected, ScriptedWorld } from "./scripted_world.ts";
import { serveEngines, type TestCaller, type TestService } from "./service.ts";

/** A container of a world: with a Compose project and service, labels, and what it uses. */
export interface Made {
  readonly id: string;
  readonly name: string;
  readonly project?: string;
  readonly labels?: Record<string, string>;
  readonly volume?: string;
}

/** The objects of one engine. */
export interface Has {
  readonly containers: readonly Made[];
  readonly volumes: Record<string, Record<string, string>>;
  readonly networks: Record<string, Record<string, string>>;
  readonly images: readonly string[];
}

export const PROJECT = "com.docker.compose.project";
export const NOTHING: Has = { containers: [], volumes: {}, networks: {}, images: [] };
const hex = (digit: string) => digit.repeat(64);

export const SHOP_WEB: Made = { id: hex("a"), name: "shop-web", project: "shop", volume: "shop_data" };
export const SHOP_DB: Made = { id: hex("b"), name: "shop-db", project: "shop", labels: { team: "web" } };
const TOOL: Made = { id: hex("c"), name: "tool", labels: { team: "web" }, volume: "shop_data" };
export const BLOG_WEB: Made = { id: hex("d"), name: "blog-web", project: "blog", volume: "plain" };
const SHOP_FAR: Made = { id: hex("e"), name: "shop-far", project: "shop" };
/** Of a name that another one has, too: whoever sees one of them alone meets no ambiguity. */
export const TWIN: Made = { id: `${hex("a").slice(0, 8)}${hex("f").slice(8)}`, name: "shop-db" };

/** Of a project that a workspace names, too, and started from elsewhere. */
export const STRAY: Made = { id: hex("9"), name: "rest-idle", project: "rest" };

export const ONE: Has = {
  containers: [SHOP_WEB, SHOP_DB, TOOL],
  volumes: { shop_data: { [PROJECT]: "shop" }, plain: {} },
  networks: { shop_default: { [PROJECT]: "shop" }, other: { [PROJECT]: "blog" } },
  images: ["web:1", "tool:1"],
};
export const TWO: Has = {
  containers: [BLOG_WEB, SHOP_FAR, TWIN, STRAY],
  volumes: { plain: {}, blog_data: { [PROJECT]: "blog", team: "web" } },
  networks: { blog_default: { [PROJECT]: "blog" } },
  images: ["blog:1"],
};

/** Two projects in one workspace, and one in another; the first two know of each other. */
export const FILES = {
  "all/shop/compose.yaml":
    `name: shop\nservices:\n  web:\n    image: web:1\n    ports: ["8080:80"]\n    depends_on: [db]\n  db:\n    image: db:1\n    container_name: shop-db\n`,
  "all/blog/compose.yaml": `name: blog\nservices:\n  web:\n    image: blog:1\n    ports: ["8080:80"]\n`,
  "rest/compose.yaml": `name: rest\nservices:\n  idle:\n    image: idle:1\n`,
};
export type Path = keyof typeof FILES;

/** `folder` is where the files lie that its projects were started from. */
export function worldOf({ containers, volumes, networks, images }: Has, folder = "/gone"): ScriptedWorld {
  const networkIds = new Map(Object.keys(networks).map((name) => [name, idOf(name)]));
  const made = new Map(containers.map((one) => [one.id, container(one, folder)]));
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

export const idOf = (name: string) =>
  [...new TextEncoder().encode(name)].map((one) => one.toString(16)).join("").padEnd(64, "0").slice(0, 64);

function container(
  { id, name, project, labels = {}, volume }: Made,
  folder: string,
): Record<string, unknown> {
  const compose = project === undefined ? {} : {
    [PROJECT]: project,
    ...(project === "rest"
      ? {}
      : { "com.docker.compose.project.config_files": `${folder}/all/${project}/compose.yaml` }),
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
export async function berthOf(
  engines: Record<string, Has>,
  files: readonly Path[],
  stack: AsyncDisposableStack,
): Promise<{ readonly berth: TestService; readonly worlds: Record<string, ScriptedWorld> }> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-test-" }));
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const worlds = Object.fromEntries(
    Object.entries(engines).map(([name, has]) => [name, stack.use(worldOf(has, `${folder}/workspaces`))]),
  );
  const berth = stack.use(await serveEngines(worlds, { folder, keepsCaller: true }));
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
  return { berth, worlds };
}

export async function keyOn(berth: TestService, on: string, role = "viewer"): Promise<TestCaller> {
  const made = await berth.call("POST /api/settings/api-keys", { name: on, grants: [{ role, on: [on] }] });
  assert.equal(made.status, 201, made.text);
  return berth.as(made.body.key);
}
