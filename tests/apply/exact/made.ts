/** Containers as an engine shows them, in a form in which those of Compose and those of berth can be compared. */
import type { TestEngine } from "../../support/engine.ts";

export type Made = Readonly<Record<string, unknown>>;

/** Parts that name one object or one moment, and no setting. */
const MOMENTARY =
  /^(?:Id|Created|State|LogPath|HostnamePath|HostsPath|ResolvConfPath|ExecIDs|GraphDriver|RestartCount|SandboxKey|(?:Global)?IPv?6?Address)$/;

/** Labels of berth itself. */
const OWN_LABEL = /^dev\.berth\./;

/** Returns every container of the project by the name of its service. */
export async function made(engine: TestEngine, project: string): Promise<ReadonlyMap<string, Made>> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`com.docker.compose.project=${project}`] }));
  const { json: list } = await engine.ask(`GET /containers/json?all=1&filters=${filters}`);
  const ids = new Map<string, string>();
  const whole = new Map<string, Record<string, unknown>>();
  for (const { Id, Labels } of list) {
    const service = Labels["com.docker.compose.service"];
    ids.set(Id, service);
    whole.set(service, (await engine.ask(`GET /containers/${Id}/json`)).json);
  }
  const plain = new Map<string, Made>();
  for (const [service, one] of whole) {
    const flat = flatten(comparable(one, ids));
    for (const target of COPIED) {
      const copied = await engine.ask(
        `GET /containers/${one["Id"]}/archive?path=${encodeURIComponent(target)}`,
      );
      if (copied.status === 200) flat[`file ${target}`] = headOf(copied.body);
    }
    plain.set(service, flat);
  }
  return plain;
}

/** Places of secrets and configs in the forms. */
const COPIED = ["/run/secrets/word", "/x", "/c", "/inline", "/etc/c"];

/** Mode, owner, group and size of the first file of an archive, as its header has them. */
const headOf = (tar: string): string =>
  [tar.slice(100, 107), tar.slice(108, 115), tar.slice(116, 123), tar.slice(124, 135)].join(" ");

/** Without moments, with the names of services in the place of ids, and in one order. */
function comparable(value: unknown, ids: ReadonlyMap<string, string>, key = ""): unknown {
  if (Array.isArray(value)) {
    const list = value.map((one) => comparable(one, ids, key));
    return ORDERED.test(key) ? list : list.map((one) => JSON.stringify(one)).sort();
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([name, one]) =>
      !isNothing(one) && !MOMENTARY.test(name) && !OWN_LABEL.test(name) &&
      !(key === "Mounts" && name === "Mode")
    );
    return Object.fromEntries(entries.sort().map(([name, one]) => [name, comparable(one, ids, name)]));
  }
  return typeof value === "string" && key !== HASH ? withNames(value, ids) : value;
}

/** The label by which Compose finds that it has nothing to do. */
const HASH = "com.docker.compose.config-hash";

/** Lists whose order counts. */
const ORDERED = /^(?:Cmd|Entrypoint|Args|Test|Dns|DnsSearch)$/;

function withNames(text: string, ids: ReadonlyMap<string, string>): string {
  let named = text;
  for (const [id, service] of ids) {
    named = named.replaceAll(id, `<${service}>`).replaceAll(id.slice(0, 12), `<${service}>`);
  }
  // A volume without a name, and places below the engine's own folder.
  return named.replaceAll(/[0-9a-f]{64}/g, "<id>");
}

function flatten(value: unknown, path = "", found: Record<string, unknown> = {}): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0) {
    for (const [key, one] of Object.entries(value)) flatten(one, path === "" ? key : `${path}.${key}`, found);
  } else found[path] = isNothing(value) ? null : value;
  return found;
}

/** Engines write nothing as null, as an empty list or as an empty object, as they were asked. */
const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === "" ||
  (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** One value that is not the same. */
export interface Unequal {
  readonly path: string;
  readonly compose: unknown;
  readonly berth: unknown;
}

export function unequal(compose: Made, berth: Made): Unequal[] {
  return [...new Set([...Object.keys(compose), ...Object.keys(berth)])].sort().flatMap((path) => {
    const [one, other] = [compose[path] ?? null, berth[path] ?? null];
    return JSON.stringify(one) === JSON.stringify(other) ? [] : [{ path, compose: one, berth: other }];
  });
}
