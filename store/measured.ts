/** A store whose calls are timed, each under its own name. */
import type { Timers } from "../core/metrics.ts";
import type { Store } from "../core/store.ts";

/** The same store. */
export function measured(store: Store, timers: Timers): Store {
  return timed(store, "", timers);
}

function timed<Part extends object>(part: Part, prefix: string, timers: Timers): Part {
  const known = new Map<PropertyKey, unknown>();
  return new Proxy(part, {
    get(target, name) {
      if (!known.has(name)) known.set(name, wrapped(Reflect.get(target, name), target, name, prefix, timers));
      return known.get(name);
    },
  });
}

function wrapped(value: unknown, target: object, name: PropertyKey, prefix: string, timers: Timers): unknown {
  if (typeof value === "object" && value !== null) return timed(value, `${String(name)}.`, timers);
  if (typeof value !== "function") return value;
  if (typeof name === "symbol") return value.bind(target);
  const labels = { operation: prefix + name };
  return (...args: unknown[]) => {
    const began = performance.now();
    const answer = value.apply(target, args);
    if (!(answer instanceof Promise)) return answer;
    return answer.finally(() => timers.took(labels, performance.now() - began));
  };
}
