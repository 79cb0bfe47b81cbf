/** An unkind world for photographs: 21 projects, 150 containers of strangers, warnings in plans, an engine that is away. */
import { compose } from "../streams/live_scene.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";

const WELL = [
  ...["adguard", "audiobookshelf", "calibre", "freshrss", "gitea", "grafana", "home-assistant", "immich"],
  ...["jellyfin", "mealie", "miniflux", "nextcloud", "ntfy", "paperless-ngx", "vaultwarden"],
];
const OTHER = [
  "a-project-whose-name-is-so-long-that-nobody-would-type-it",
  "changed",
  "crashing",
  "not-started",
  "partly",
  "variables",
];
const STRANGERS = 150;

const service = (name: string, lines = "", command = "[idle]") =>
  `  ${name}:\n    image: ${FIXTURE}\n    command: ${command}\n    stop_grace_period: 1s\n    network_mode: none\n${lines}`;

const text = (services: string) => `version: "2.4"\nservices:\n${services}`;

/** The files that are brought up, and those that are written afterwards. */
function filesOf(name: string): readonly [first: string, then: string] {
  const web = service("web");
  switch (name) {
    case "changed": {
      const ghost = service("ghost");
      return [
        text(web + ghost),
        text(service("web", '    environment: { GREETING: "hello" }\n')),
      ];
    }
    case "crashing": {
      const file = text(service("web", "    restart: always\n", "[sh, -c, 'echo no space left; exit 137']"));
      return [file, file];
    }
    case "variables":
      return [text(web), text(service("web", '    user: "${NOBODY_SET_THIS}"\n'))];
    case "partly": {
      const file = text(web + service("worker") + service("db"));
      return [file, file];
    }
    default: {
      const file = text(web + service("db"));
      return [file, file];
    }
  }
}

/** Makes the folders and what runs of them; resolves to a berth that has read all of it. */
export async function crowd(engine: TestEngine, folder: string): Promise<TestService> {
  await Deno.mkdir(folder, { recursive: true });
  for (const name of [...WELL, ...OTHER]) {
    const [first, then] = filesOf(name);
    const file = `${folder}/${name}/compose.yaml`;
    await Deno.mkdir(`${folder}/${name}`);
    await Deno.writeTextFile(file, first);
    const complaint = name === "not-started" ? "" : await compose(engine, `${folder}/${name}`, "up", "-d");
    if (complaint !== "") throw new Error(complaint);
    await Deno.writeTextFile(file, then);
  }
  await engine.cli("rm", "--force", "partly_db_1").catch(() => engine.cli("rm", "--force", "partly-db-1"));
  for (let n = 1; n <= STRANGERS; n++) {
    const labels = n <= 100
      ? ["--label", "com.docker.compose.project=edge", "--label", `com.docker.compose.service=agent-${n}`]
      : [];
    await engine.cli("create", "--network", "none", "--name", `edge-agent-${n}`, ...labels, FIXTURE, "idle");
  }
  const berth = await startService({
    roots: [folder, "/srv/elsewhere"],
    engines: [
      { name: "docker", url: `unix://${engine.socket}` },
      { name: "nas", url: "unix:///nowhere/berth-crowd.sock" },
    ],
  });
  await berth.call("POST /api/workspaces", { path: folder });
  await eventually("all projects are read", async () => {
    const { body } = await berth.call("GET /api/projects?limit=100");
    return body.items.length > WELL.length + OTHER.length;
  });
  return berth;
}
