/** Three projects on a real engine for the page: what is broken, what differs, what nobody wrote, and much that is well. */
import type { TestEngine } from "../support/engine.ts";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { compose } from "../streams/live_scene.ts";
import { serveEngines, type ServiceOptions, startService, type TestService } from "../support/service.ts";

const SHOP = (image: string) =>
  `# The shop. Ask ada before you change the database:
# it takes its data along when it moves to another
# version, and that is not undone by going back.
version: "2.4"

volumes:
  data:

services:
  # Orders and customers
  db:
    image: ${image}
    command: [idle]
    stop_grace_period: 1s
    environment:
      POSTGRES_PASSWORD: correct-horse-9182
      POSTGRES_DB: shop
    volumes: ["data:/var/lib/postgresql/data"]
  web:
    image: caddy:2
    command: [sh, -c, "sleep 0.4; exit 137"]
    restart: always
    ports: ["127.0.0.1:18480:80"]
    depends_on: [db]
  worker:
    image: caddy:2
    command: [sh, -c, "i=0; while [ $$i -lt 40 ]; do i=$$((i+1)); echo job $$i done in $$((i*3)) ms; done; exec idle"]
    stop_grace_period: 1s
    depends_on: [db]
  migrate:
    image: ${image}
    command: ["true"]
`;

const BLOG = (limit: string) =>
  `version: "2.4"
services:
  app:
    image: ghost:5
    command: [idle]
    stop_grace_period: 1s
    depends_on: [cache]
  cache:
    image: redis:7
    command: [idle]
    stop_grace_period: 1s
${limit}  mailer:
    image: caddy:2
    command: [idle]
`;

const INFRA = `version: "2.4"
services:
${
  ["proxy", "dns", "metrics", "registry"].map((name) =>
    `  ${name}:\n    image: caddy:2\n    command: [idle]\n    stop_grace_period: 1s\n`
  ).join("")
}`;

/** The texts of each project: what is brought up, and what is written afterwards. */
const TEXTS = {
  shop: [SHOP("postgres:16"), SHOP("postgres:17")],
  blog: [BLOG(""), BLOG("    mem_limit: 256m\n")],
  infra: [INFRA, INFRA],
} as const;

export type Project = keyof typeof TEXTS;
export const PROJECTS = Object.keys(TEXTS) as readonly Project[];

export const IMAGES = ["postgres:16", "postgres:17", "redis:7", "ghost:5", "caddy:2"];

/** The folders of the projects, and what runs of them; afterwards the files say something else than what runs. */
export async function seed(
  engine: TestEngine,
  folder: string,
  projects: readonly Project[] = PROJECTS,
): Promise<void> {
  await Promise.all(IMAGES.map((image) => engine.cli("tag", FIXTURE, image)));
  await Promise.all([
    engine.cli("run", "-d", "--name", "legacy-cron", "caddy:2", "idle"),
    ...projects.map(async (name) => {
      const [first, then] = TEXTS[name];
      const file = `${folder}/${name}/compose.yaml`;
      await Deno.mkdir(`${folder}/${name}`, { recursive: true });
      await Deno.writeTextFile(file, first);
      const only = name === "blog" ? ["app", "cache"] : [];
      const complaint = await compose(engine, `${folder}/${name}`, "up", "-d", ...only);
      if (complaint !== "") throw new Error(complaint);
      await Deno.writeTextFile(file, then);
    }),
  ]);
}

/** A berth beside that engine, with the folders of these projects registered. */
export async function startScene(
  engine: TestEngine,
  folder: string,
  { projects = PROJECTS, ...options }: ServiceOptions & { readonly projects?: readonly Project[] } = {},
): Promise<TestService> {
  const berth = options.setup === false // nobody can ask yet how the engine is doing
    ? await startService({
      roots: [folder],
      engines: [{ name: "docker", url: `unix://${engine.socket}` }],
      ...options,
    })
    : await serveEngines({ docker: engine }, { roots: [folder], ...options });
  for (const name of projects) await berth.call("POST /api/workspaces", { path: `${folder}/${name}` });
  if (projects.includes("shop")) {
    await eventually("the shop's database is compared", async () => {
      const { body } = await berth.call("GET /api/workspaces/shop/artifacts/units/db");
      return body.live?.drift?.length > 0;
    });
  }
  return berth;
}
