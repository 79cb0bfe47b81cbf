/** Masks the secrets inside an engine's own object. */
import { looksSecret, MASK, maskArguments, maskEnvironment, maskSaid, maskText } from "../../core/secrets.ts";
import { listOf, objectOf, textsOf, type Wire } from "../calls/wire.ts";

/**
 * Masks the engine's own object: environments, arguments and labels by the names of their fields wherever they stand,
 * and secrets inside all other text.
 */
export function maskObject(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return maskText(value);
  if (typeof value !== "object" || value === null || depth > 32) return depth > 32 ? null : value;
  if (Array.isArray(value)) return value.map((item) => maskObject(item, depth + 1));
  const masked: Record<string, unknown> = {};
  const object = depth === 0 ? withSaid(objectOf(value)) : objectOf(value);
  for (const [name, field] of Object.entries(object)) {
    masked[name] = maskField(name, field, depth, programOf(object));
  }
  return masked;
}

/** Masks what the engine and the health checks of a container say, where they may repeat a value of its environment. */
function withSaid(container: Wire): Wire {
  const state = objectOf(container.State);
  const health = objectOf(state.Health);
  const environment = textsOf(objectOf(container.Config).Env);
  const say = (text: unknown) => typeof text === "string" ? maskSaid(text, environment) : text;
  if (typeof state.Error !== "string" && health.Log === undefined) return container;
  const log = listOf(health.Log).map((entry) => ({
    ...objectOf(entry),
    Output: say(objectOf(entry).Output),
  }));
  return {
    ...container,
    State: {
      ...state,
      Error: say(state.Error),
      ...(health.Log !== undefined && health.Log !== null && { Health: { ...health, Log: log } }),
    },
  };
}

/** The program that an object's arguments are given to; a service of a swarm calls it `Command`. */
function programOf({ Path: path, Entrypoint: entrypoint, Command: command }: Wire): string[] {
  if (typeof path === "string") return [path];
  if (typeof entrypoint === "string") return [entrypoint];
  return textsOf(entrypoint ?? (Array.isArray(command) ? command : []));
}

function maskField(name: string, field: unknown, depth: number, program: readonly string[]): unknown {
  switch (name) {
    case "Env":
      return field === null ? null : maskEnvironment(textsOf(field));
    case "Cmd":
    case "Args":
      return Array.isArray(field) ? maskArguments(textsOf(field), program) : maskObject(field, depth + 1);
    case "Entrypoint":
    case "Test":
    case "CreateCommand":
    case "Command":
      return Array.isArray(field) ? maskArguments(textsOf(field)) : maskObject(field, depth + 1);
    case "Labels":
    case "Annotations":
    case "Options":
    case "DriverOpts":
      return maskMap(objectOf(field), field);
    case "Log": // a health check's own output
      return listOf(field).map((entry) => maskObject(entry, depth + 1));
    default:
      return typeof field === "string" && looksSecret(name) ? MASK : maskObject(field, depth + 1);
  }
}

function maskMap(map: Wire, field: unknown): unknown {
  if (field === null || field === undefined) return field;
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [
      name,
      typeof value === "string" && looksSecret(name) ? MASK : maskObject(value, 1),
    ]),
  );
}
