/** Applies whose acts a test watches: something is done before an act, or after it, or it does not happen. */
import type { EngineActs } from "../../core/engine_acts.ts";
import type { ServiceOptions } from "../support/service.ts";

/** Work around one act that changes something. */
export type Around = (act: string, given: readonly unknown[], go: () => Promise<unknown>) => Promise<unknown>;

const READS = ["find", "network", "volume", "imageId", "usersOf", "lastWords", "isAway", "checkHealth"];

/** Of a service whose applies ask their engine through `around` for what changes something. */
export const watched =
  (around: Around): NonNullable<ServiceOptions["mount"]> => ({ plugins: { runtime } }) => {
    if (runtime === null) throw new Error("the container runtime does not run");
    const acts = runtime.acts.bind(runtime);
    runtime.acts = (backend) =>
      new Proxy<EngineActs>(acts(backend), {
        get(target, key) {
          const value = Reflect.get(target, key);
          if (typeof value !== "function") return value;
          const act = value.bind(target);
          if (READS.includes(String(key))) return act;
          return (...given: unknown[]) => around(String(key), given, () => act(...given));
        },
      });
    return [];
  };
