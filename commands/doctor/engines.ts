/** The container engines: whether they are found, may be used, and answer. */
import { findEngines } from "../../plugins/container-runtime/backends/discovery.ts";
import { ask, AskFailure } from "../ask.ts";
import { type Check, type Finding, risky, type Setup, statOf, textOf, wrong } from "./finding.ts";

export const ENGINE_CHECKS: readonly Check[] = [
  { name: "engines", look: lookAtEngines },
  { name: "engines elsewhere", look: lookAtFarEngines },
];

async function lookAtEngines({ config, isContained }: Setup): Promise<Finding[]> {
  if (config.engines !== null) {
    const sockets = config.engines.filter(({ url }) => url.startsWith("unix:"));
    const found = await Promise.all(
      sockets.map(({ name, url }) => lookAtSocket(name, new URL(url).pathname, isContained)),
    );
    return found.flat();
  }
  const engines = await findEngines(config.surroundings);
  if (engines.length === 0) {
    return [risky(
      "No engine was found",
      isContained
        ? "Mount its socket: -v /var/run/docker.sock:/var/run/docker.sock"
        : "Start Docker or Podman (systemctl --user enable --now podman.socket), or set BERTH_ENGINES",
    )];
  }
  const found = await Promise.all(engines.map(async (engine) => {
    if ("unsupported" in engine) {
      return [
        risky(
          `The engine "${engine.name}" at ${engine.address} is left out: ${engine.unsupported}`,
          "Set BERTH_ENGINES",
        ),
      ];
    }
    return engine.address.kind === "unix"
      ? await lookAtSocket(engine.name, engine.address.path, isContained)
      : [];
  }));
  return found.flat();
}

async function lookAtSocket(name: string, path: string, isContained: boolean): Promise<Finding[]> {
  try {
    const { status } = await ask("http://localhost/_ping", path);
    return status === 200
      ? []
      : [wrong(`The engine "${name}" answers ${status} at "${path}"`, "Is that an engine's socket?")];
  } catch (error) {
    if (!(error instanceof AskFailure)) throw error;
    switch (error.code) {
      case "EACCES":
      case "EPERM":
        return [
          wrong(
            `The engine "${name}" may not be used: "${path}" is closed to this user`,
            await groupAdvice(path, isContained),
          ),
        ];
      case "ENOENT":
        return [wrong(
          `The engine "${name}" is not there: there is no "${path}"`,
          isContained ? `Mount it: -v ${path}:${path}` : "Start the engine, or correct BERTH_ENGINES",
        )];
      case "ETIMEDOUT":
        return [
          wrong(`The engine "${name}" does not answer in time at "${path}"`, "Look at the engine's own log"),
        ];
      default:
        return [
          wrong(`The engine "${name}" does not listen at "${path}" (${error.code})`, "Start the engine"),
        ];
    }
  }
}

/** Who is in the socket's group may use the engine. */
async function groupAdvice(path: string, isContained: boolean): Promise<string> {
  const gid = (await statOf(path))?.gid;
  if (gid === undefined || gid === null) return "Give the user of berth access to it";
  if (isContained) return `Start the container with --group-add ${gid}`;
  const group = new RegExp(`^([^:]+):[^:]*:${gid}:`, "m").exec(await textOf("/etc/group") ?? "")?.[1] ??
    String(gid);
  return `Add the user of berth to the group "${group}" (usermod -aG ${group} USER) and start berth again; ` +
    `under systemd: SupplementaryGroups=${group}`;
}

/** What is read once, at start. */
async function lookAtFarEngines({ config }: Setup): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const { name, ca, cert, key } of config.engines ?? []) {
    for (const path of [ca, cert, key]) {
      if (path !== undefined && await textOf(path) === null) {
        found.push(
          wrong(
            `"${path}" of the engine "${name}" cannot be read`,
            "Correct the path, or let the user of berth read it",
          ),
        );
      }
    }
  }
  return found;
}
