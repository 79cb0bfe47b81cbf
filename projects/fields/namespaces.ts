/** Namespaces that a container has to itself, shares with the host, or with another container. */

import type { Place } from "../../artifacts/artifact.ts";
import type { EngineView } from "./engine_view.ts";
import { type Difference, type EngineKind, type Row, row, textAt } from "./field.ts";

/** The engine keeps the id of a container there, which a file names by its service or its name. */
export function driftInMode(
  field: string,
  declared: string,
  actual: string,
  { neighbour }: EngineView,
  at: Place,
): Difference[] {
  if (declared === actual) return [];
  // The engine's own network has two names. A container keeps the one that it was asked for with.
  if (field === "networks" && isEnginesNetwork(declared) && isEnginesNetwork(actual)) return [];
  const [, kind, name] = /^(service|container):(.*)$/.exec(declared) ?? [];
  const id = /^container:(.+)$/.exec(actual)?.[1];
  const other = id === undefined ? undefined : neighbour(id);
  if (kind !== undefined && id !== undefined) {
    if (other === undefined || (kind === "service" ? other.service : other.name) === name) return [];
  }
  const runs = other === undefined
    ? actual
    : kind === "container"
    ? `container:${other.name}`
    : `service:${other.service}`;
  return [{ field, declared, seen: runs || "(none)", at }];
}

/** The two words for the network that an engine has by itself. */
export const isEnginesNetwork = (mode: string): boolean => mode === "default" || mode === "bridge";

/** The words for a namespace of its own: Podman says `private` where Docker says nothing. */
export const OWN_MODE: readonly string[] = ["", "private"];
const own = (mode: string): string => OWN_MODE.includes(mode) ? "" : mode;

const namespace = (
  key: string,
  compose: string,
  property: "ipcMode" | "pidMode" | "utsMode" | "userMode" | "cgroupMode",
  more: { readonly untold?: readonly EngineKind[]; readonly hasDefault: boolean },
): Row =>
  row<string>({
    key,
    covers: [compose],
    ...(more.untold !== undefined && { untold: more.untold }),
    declared: textAt(compose),
    ask: (asked, value, _of, { containerOf }) => {
      const service = /^service:(.+)$/.exec(value)?.[1];
      const id = service === undefined ? undefined : containerOf(service);
      asked[property] = id === undefined ? value : `container:${id}`;
    },
    compare: (declared, container, view, { unit }) => {
      if (declared === null && !more.hasDefault) return [];
      const wanted = declared?.value ?? "";
      const actual = container[property];
      if (own(wanted) === own(actual)) return [];
      const found = driftInMode(key, wanted, actual, view, declared?.at ?? unit.source);
      return found.map((one) => ({
        ...one,
        declared: one.declared || "(its own)",
        seen: one.seen || "(its own)",
      }));
    },
  });

export const namespaceRows: readonly Row[] = [
  // The default is a setting of the engine.
  namespace("ipc", "ipc", "ipcMode", { untold: ["podman"], hasDefault: false }),
  namespace("pid", "pid", "pidMode", { hasDefault: true }),
  namespace("uts", "uts", "utsMode", { hasDefault: true }),
  namespace("cgroup", "cgroup", "cgroupMode", { untold: ["podman"], hasDefault: false }),
  namespace("userNamespace", "userns_mode", "userMode", { untold: ["podman"], hasDefault: true }),
];
