/** `berth ls`: the containers of a running berth, as a table, as names, or as JSON. */
import type { Container, ContainerList } from "../client/berth/containers.ts";
import { CONTAINERS } from "../client/berth/containers.ts";
import { visible } from "../log/line.ts";
import { failCall, openClient } from "./connection.ts";
import { EXIT } from "./exit_code.ts";
import { type Cell, type Colour, table, writeOut } from "./output.ts";
import type { Line } from "./command.ts";

export async function run(line: Line): Promise<number> {
  let list: ContainerList;
  try {
    using client = await openClient();
    const query = {
      sort: "name",
      // The table of commands lists the same states.
      state: line.option("--state") as Container["state"] | undefined,
      project: line.option("--project"),
    } as const;
    list = (await client.get(CONTAINERS, { query })).json();
  } catch (error) {
    return failCall(error);
  }
  if (line.option("--json") !== undefined) writeOut(`${JSON.stringify(list, null, 2)}\n`);
  else if (line.option("--names") !== undefined) {
    writeOut(list.items.map(({ name }) => `${visible(name)}\n`).join(""));
  } else writeOut(table(TITLES, list.items.map(cellsOf)));
  for (const { backend, reason } of list.unavailable) {
    console.error(`berth: the engine "${visible(backend)}" could not be asked: ${visible(reason)}`);
  }
  return list.unavailable.length === 0 ? EXIT.FINE : EXIT.INCOMPLETE;
}

const TITLES = ["NAME", "STATE", "IMAGE", "PROJECT", "PORTS", "ENGINE"];

function cellsOf({ name, state, health, exitCode, image, compose, ports, backend }: Container): Cell[] {
  const more = health ?? (state === "exited" ? exitCode : null);
  return [
    { text: name },
    { text: more === null ? state : `${state} (${more})`, colour: colourOf(state, health, exitCode) },
    { text: image },
    { text: compose === null ? "–" : `${compose.project}/${compose.service}` },
    { text: portsOf(ports) },
    { text: backend },
  ];
}

function colourOf(state: Container["state"], health: Container["health"], exitCode: number | null): Colour {
  if (health === "unhealthy" || state === "dead" || state === "restarting") return "red";
  if (state === "running") return health === "starting" ? "yellow" : "green";
  return state === "exited" && exitCode !== 0 ? "red" : "grey";
}

/** Returns the published ports, each once, whatever the number of addresses. */
function portsOf(ports: Container["ports"]): string {
  const shown = ports.filter(({ host }) => host !== null).map(({ host, container, protocol, address }) =>
    `${address === "127.0.0.1" || address === "::1" ? "local:" : ""}${host}→${container}${
      protocol === "tcp" ? "" : `/${protocol}`
    }`
  );
  return [...new Set(shown)].join(" ") || "–";
}
