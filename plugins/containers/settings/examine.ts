/** Checks without a start of the plugin that the engines are found, may be used, and answer. */
import { asideFor } from "../../../core/applies.ts";
import { type Finding, risky, wrong } from "../../../core/finding.ts";
import type { Surroundings } from "../../plugin.ts";
import { findEngines } from "../../../engines/links/discovery.ts";
import { Tunnel } from "../../../engines/links/tunnel.ts";
import { WayFailure } from "../../../engines/links/way.ts";
import { readAddress, type SshAddress } from "../../../engines/calls/address.ts";
import { listOf, objectOf, parseJson, textOf } from "../../../engines/calls/wire.ts";
import { FOUND, isFound, type Settings } from "./settings.ts";

const TIMEOUT_MS = 5_000;
/** Of a list of containers; a longer one is not looked at. */
const MAX_BYTES = 1024 * 1024;

export async function examine(settings: Settings, around: Surroundings): Promise<readonly Finding[]> {
  const engines = settings.engines ?? [FOUND];
  const found = await Promise.all(engines.map(async (engine) => {
    if (isFound(engine)) return (await lookAtFound(settings, around)).flat();
    const { name, url, ca, cert, key } = engine;
    const address = readAddress(url);
    if (address?.kind === "unix") return await lookAtSocket(name, address.path, around);
    if (address?.kind === "ssh") return await lookAtHost(name, address, settings.ssh, around);
    return await lookAtFiles(name, [ca, cert, key]);
  }));
  return found.flat();
}

async function lookAtFound(
  settings: Settings,
  around: Surroundings,
): Promise<readonly (readonly Finding[])[]> {
  const engines = await findEngines(settings);
  if (engines.length === 0) {
    const mend = around.isContained
      ? "Mount its socket: -v /var/run/docker.sock:/var/run/docker.sock"
      : "Start Docker or Podman (systemctl --user enable --now podman.socket), or set BERTH_ENGINES";
    return [[risky("No engine was found", mend)]];
  }
  return await Promise.all(engines.map(async (engine) => {
    if ("unsupported" in engine) {
      const what = `The engine "${engine.name}" at ${engine.address} is left out: ${engine.unsupported}`;
      return [risky(what, "Set BERTH_ENGINES")];
    }
    const { address, name } = engine;
    return address.kind === "unix" ? await lookAtSocket(name, address.path, around) : [];
  }));
}

async function lookAtSocket(name: string, path: string, around: Surroundings): Promise<readonly Finding[]> {
  const { isContained } = around;
  try {
    return await answers(path) ? await lookAtLeftovers(name, path, around) : [
      wrong(`What listens at "${path}" is no engine`, `Correct the address of "${name}" in BERTH_ENGINES`),
    ];
  } catch (error) {
    if (error instanceof Deno.errors.PermissionDenied) {
      const mend = await groupAdvice(path, isContained);
      return [wrong(`The engine "${name}" may not be used: "${path}" is closed to this user`, mend)];
    }
    if (error instanceof Deno.errors.NotFound) {
      const mend = isContained
        ? `Mount it: -v ${path}:${path}`
        : "Start the engine, or correct BERTH_ENGINES";
      return [wrong(`The engine "${name}" is not there: there is no "${path}"`, mend)];
    }
    return [wrong(`The engine "${name}" does not answer at "${path}"`, "Start it, and look at its own log")];
  }
}

/** Signs in to the host once, as berth would. */
async function lookAtHost(
  name: string,
  address: SshAddress,
  ssh: string,
  around: Surroundings,
): Promise<readonly Finding[]> {
  await using tunnel = new Tunnel(address, ssh);
  try {
    await tunnel.open(null, new AbortController().signal);
    const { path } = tunnel.local;
    if (await answers(path)) return await lookAtLeftovers(name, path, around);
  } catch (error) {
    if (error instanceof WayFailure) return [wrong(...sentence(name, error))];
  }
  const failure = await tunnel.explain(AbortSignal.timeout(TIMEOUT_MS));
  return [
    failure === null
      ? wrong(`The engine "${name}" does not answer behind ssh`, "Start it there, and look at its own log")
      : wrong(...sentence(name, failure)),
  ];
}

/** Splits a failure into its two halves: the problem, and what to do about it. */
function sentence(name: string, { message }: WayFailure): [what: string, mend: string] {
  const [what = "", ...mend] = message.split(": ");
  return [`The engine "${name}" is not reached: ${what}`, mend.join(": ") || "Look there whether it runs"];
}

/** Finds containers that a swap put aside and that no apply of this berth will come back for. */
async function lookAtLeftovers(
  engine: string,
  path: string,
  { applies }: Surroundings,
): Promise<readonly Finding[]> {
  if (applies === null) return [];
  const filters = encodeURIComponent(JSON.stringify({ name: ["\\.(new|old)-"] }));
  const answer = await ask(path, `/containers/json?all=1&filters=${filters}`).catch(() => "");
  if (!isFine(answer)) return [];
  const list = listOf(parseJson(answer.slice(answer.indexOf("\r\n\r\n") + 4))).map(objectOf);
  return list.flatMap(({ Names }) => {
    const name = textOf(listOf(Names)[0]).replace(/^\//, "");
    const apply = asideFor(name);
    if (apply === null) return [];
    const known = applies.find(({ id }) => id.startsWith(apply));
    if (known?.state === "running" || known?.state === "paused") return [];
    const what = `The container "${name}" on the engine "${engine}" was left by an apply`;
    if (known === undefined) {
      return [risky(
        `${what} that this berth does not know`,
        "Another berth may have it in hand: ask there first, and keep the container until then",
      )];
    }
    const own = name.slice(0, name.lastIndexOf("."));
    return [risky(
      `${what} that is over`,
      `If "${own}" serves as it should: docker rm --force ${name}; else remove "${own}", then docker rename ${name} ` +
        `${own} and docker start ${own}`,
    )];
  });
}

const answers = async (path: string): Promise<boolean> => isFine(await ask(path, "/_ping"));

const isFine = (answer: string): boolean => /^HTTP\/1\.[01] 200 /.test(answer);

/** An engine's whole answer to one question: its head, an empty line, its body. */
async function ask(path: string, target: string): Promise<string> {
  using connection = await Deno.connect({ transport: "unix", path });
  const late = setTimeout(() => connection.close(), TIMEOUT_MS);
  try {
    // HTTP 1.0: the body is not in chunks, and ends with the connection.
    await connection.write(new TextEncoder().encode(`GET ${target} HTTP/1.0\r\nHost: localhost\r\n\r\n`));
    const text = new TextDecoder();
    const bytes = new Uint8Array(16 * 1024);
    let answer = "";
    while (answer.length < MAX_BYTES) {
      const count = await connection.read(bytes);
      if (count === null) return answer;
      answer += text.decode(bytes.subarray(0, count), { stream: true });
    }
    return "";
  } finally {
    clearTimeout(late);
  }
}

/** Returns advice about the socket's group, whose members may use the engine. */
async function groupAdvice(path: string, isContained: boolean): Promise<string> {
  const gid = await Deno.stat(path).then(({ gid }) => gid, () => null);
  if (gid === null) return "Give the user of berth access to it";
  if (isContained) return `Start the container with --group-add ${gid}`;
  const groups = await Deno.readTextFile("/etc/group").catch(() => "");
  const group = new RegExp(`^([^:]+):[^:]*:${gid}:`, "m").exec(groups)?.[1] ?? String(gid);
  return `Add the user of berth to the group "${group}" (usermod -aG ${group} USER) and start berth again; in a unit: ` +
    `SupplementaryGroups=${group}`;
}

/** Checks the files of certificates for an engine on another host. */
async function lookAtFiles(
  name: string,
  paths: readonly (string | undefined)[],
): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const path of paths) {
    if (path === undefined || await Deno.readTextFile(path).then(() => true, () => false)) continue;
    found.push(
      wrong(
        `"${path}" of the engine "${name}" cannot be read`,
        "Correct the path, or let the user of berth read it",
      ),
    );
  }
  return found;
}
