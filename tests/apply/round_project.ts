/** Random projects for rounds of two faults, and the changes that meet a kill: all drawn from one seed. */
import { DatabaseSync } from "node:sqlite";
import { project, service } from "./apply_scene.ts";

/** The parts of a project that a round draws; the colour tells its versions apart. */
export interface Drawn {
  readonly restart: string;
  readonly hasSharer: boolean;
  readonly startsFirst: boolean;
  readonly hasHook: boolean;
  /** The service whose next version never gets healthy; null for none. */
  readonly sick: "db" | "web" | null;
}

const RESTARTS = ["unless-stopped", "always", "no", "on-failure"];

export function draw(random: () => number): Drawn {
  return {
    restart: RESTARTS[Math.floor(random() * RESTARTS.length)]!,
    hasSharer: random() < 0.3,
    startsFirst: random() < 0.25,
    hasHook: random() < 0.2,
    sick: random() < 0.25 ? (random() < 0.5 ? "db" : "web") : null,
  };
}

export const servicesOf = ({ hasSharer }: Drawn): readonly string[] =>
  hasSharer ? ["db", "side", "web"] : ["db", "web"];

/** Returns a Compose file; `sick` and hooks are only in the version that is applied while berth is killed. */
export function textOf(name: string, colour: string, drawn: Drawn, isNext: boolean, more = ""): string {
  const { restart, hasSharer, startsFirst, hasHook, sick } = drawn;
  const common = (one: string) =>
    `restart: '${restart}'\nenvironment: { C: ${colour} }\n` +
    `healthcheck: { test: [CMD, '${
      isNext && sick === one ? "false" : "true"
    }'], interval: 200ms, retries: 1 }\n`;
  const hook = hasHook && isNext ? "post_start: [{ command: ['true'] }]\n" : "";
  const first = startsFirst ? "deploy: { update_config: { order: start-first } }\n" : "";
  return project(name, [
    service("db", `${common("db")}volumes: ['/scratch']\n${hook}`),
    ...(hasSharer ? [service("side", `${common("side")}network_mode: 'service:db'\n`)] : []),
    service("web", `${common("web")}${first}depends_on: { db: { condition: service_healthy } }\n`),
  ]) + more;
}

/** The files and the store that a change may touch while no berth runs. */
export interface Reached {
  readonly name: string;
  readonly path: string;
  readonly drawn: Drawn;
  /** berth's data folder. */
  readonly data: string;
  /** The name of the key that applies. */
  readonly key: string;
}

/** A change between the kill and the next start; some of them return what happens once berth runs again. */
type Change = (reached: Reached) => Promise<(() => Promise<void>) | void>;

const inStore = ({ data }: Reached, sql: string, ...given: string[]) => {
  using store = new DatabaseSync(`${data}/berth.db`);
  store.prepare(sql).run(...given);
  return Promise.resolve();
};

/** No plan shows a container with this colour. */
export const UNPLANNED = "green";

const edit = ({ name, path, drawn }: Reached, group = name) =>
  Deno.writeTextFile(
    `${path}/compose.yaml`,
    textOf(group, UNPLANNED, { ...drawn, sick: null }, true).replace(
      "services:\n",
      `services:\n${service("extra", `environment: { C: ${UNPLANNED} }`)}`,
    ),
  );

export const CHANGES: Readonly<Record<string, Change>> = {
  "nothing else": () => Promise.resolve(),
  "its file was edited": (reached) => edit(reached),
  "its file is none any more": ({ path }) => Deno.writeTextFile(`${path}/compose.yaml`, "services: ["),
  "its group was renamed": (reached) => edit(reached, `${reached.name}-other`),
  "its workspace was removed": (reached) => inStore(reached, "DELETE FROM workspaces"),
  "its folder is away": ({ path }) => Deno.rename(path, `${path}.away`),
  "its folder was mounted late": async ({ path }) => {
    await Deno.rename(path, `${path}.away`);
    return () => Deno.rename(`${path}.away`, path);
  },
  "its applier's role was lowered": (reached) =>
    inStore(reached, `UPDATE keys SET grants = '[{"role":"viewer"}]' WHERE name = ?`, reached.key),
  "its applier's key was deleted": (reached) =>
    inStore(reached, "DELETE FROM keys WHERE name = ?", reached.key),
};
