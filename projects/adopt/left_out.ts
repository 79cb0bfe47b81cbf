/** The settings of a container that no file says, so that nothing is lost without a word. */

import type { InspectedContainer } from "../../core/runtime.ts";
import type { Undeclarable } from "../../core/undeclarable.ts";
import type { EngineKind } from "../fields/field.ts";
import { FIELDS } from "../fields/table.ts";
import { publishes } from "./write_outside.ts";

/** One setting that is not in the text, and the reason. */
export interface LeftOut {
  /** The names of the containers that have it. */
  readonly containers: readonly string[];
  /** The field as drift names it, or the engine's setting. */
  readonly field: string;
  readonly why: string;
}

const UNDECLARABLE: Readonly<Record<Undeclarable, string>> = {
  removesItself: "the engine removes the container when it ends (--rm), which no Compose file can say",
  publishesAll: "all exposed ports are published (-P): each is written by itself, without a port of the host",
  volumeDriver: "the driver of its volumes is a setting of each volume",
  memoryNodes: "the memory nodes that it may use cannot be declared",
  realtime: "its share of real time cannot be declared",
  unmaskedPaths:
    "no path of the system is hidden from it, although some are read-only, which no file can say",
};

/** The parts of a Compose project that leave no trace in an inspected container. */
const COPIED =
  "what Compose copied into the container for configs and secrets, its hooks, build and profiles";

/** The engine that the containers are on. */
interface OfEngine {
  readonly kind: EngineKind;
  /** True if the engine's own settings are known, and so not written. */
  readonly isGivenKnown: boolean;
  /** The keys that the engine gives each container by itself, and that these do not have. */
  readonly missing: ReadonlyMap<InspectedContainer, readonly string[]>;
}

/** Returns what the texts of containers leave out, each reason once. */
export function leftOutOf(containers: readonly InspectedContainer[], engine: OfEngine): LeftOut[] {
  const found = new Map<string, { containers: string[]; field: string; why: string }>();
  for (const container of containers) {
    for (const one of ofOne(container, engine)) {
      const key = JSON.stringify([one.field, one.why]);
      const known = found.get(key);
      if (known === undefined) found.set(key, { containers: [container.name], ...one });
      else known.containers.push(container.name);
    }
  }
  return [...found.values()];
}

function ofOne(
  container: InspectedContainer,
  { kind, isGivenKnown, missing }: OfEngine,
): Omit<LeftOut, "containers">[] {
  const found: Omit<LeftOut, "containers">[] = container.undeclarable.map((field) => ({
    field,
    why: UNDECLARABLE[field],
  }));
  const add = (field: string, why: string) => found.push({ field, why });
  for (const [name, value] of Object.entries(container.env)) {
    if (value === null) {
      add(`environment.${name}`, "it takes a variable of the image away: Compose gives it a value instead");
    } else if (value.includes("\ufffd")) {
      add(`environment.${name}`, "the engine does not tell all bytes of the value");
    }
  }
  if (container.volumesFrom.some((one) => one.endsWith(":ro"))) {
    add("volumesFrom", `Docker Compose drops ":ro", and mounts them writable`);
  }
  if (container.securityOptions.some((one) => /^seccomp[=:]\s*\{/.test(one))) {
    add(
      "securityOptions",
      "a seccomp profile is kept as text, and Docker Compose takes it for the name of a file",
    );
  }
  if (!publishes(container) && container.ports.length > 0) {
    add("ports", "a container without a network of its own publishes no ports");
  }
  if (container.imageDefaults === null) {
    add("image", "the image is gone: the values that it gives are written as if somebody had set them");
  }
  if (container.compose !== null) add("contents", `no engine tells ${COPIED}`);
  const untold = FIELDS.filter((row) => row.untold.includes(kind)).map(({ key }) => key);
  if (!isGivenKnown) add("defaults", "this engine's own settings are written as if somebody had set them");
  for (const key of missing.get(container) ?? []) {
    add(key, "the engine gives it to every container that Compose makes, and this one does not have it");
  }
  if (untold.length > 0) add("untold", `this engine does not tell ${untold.join(", ")}`);
  return found;
}

/** Returns why a container cannot be written down; null if it can. */
export function refusalOf(
  { id, labels, utsMode }: InspectedContainer,
  { isInBoth, self }: { readonly isInBoth: boolean; readonly self: string | null },
): string | null {
  if (id === self || labels["dev.berth.self"] !== undefined) return "it is berth itself";
  // Only a pod lends its host name to its containers.
  if (utsMode.startsWith("container:")) return "it is in a pod, which no Compose file can declare";
  if (/^true$/i.test(labels["com.docker.compose.oneoff"] ?? "")) {
    return "it is a single run of a service (docker compose run), which no file declares";
  }
  if (isInBoth) return "it is in the engine's own network and in others, which no file can declare";
  return null;
}
