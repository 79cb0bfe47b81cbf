/**
 * A berth that kills itself: `apply_actor.ts <folder> <admin> <engine> <socket> <before|after> <act> <nth> [<settings>]`
 * prints its address, and ends by SIGKILL right before or right after the nth time that an apply asks the engine for
 * this act. Further settings of the service are JSON.
 */
import type { EngineActs } from "../../core/engine_acts.ts";
import { startService } from "../support/service.ts";

const [folder = "", admin = "", name = "", socket = "", when = "", act = "", nth = "", settings = "{}"] =
  Deno.args;

let left = Number(nth);
/** `any` is every act that changes something. */
const READS = ["find", "network", "volume", "imageId", "usersOf", "lastWords", "isAway", "checkHealth"];
const isMeant = (key: string) => act === "any" ? !READS.includes(key) : key === act;
const die = () => Deno.kill(Deno.pid, "SIGKILL");

const killing = (acts: EngineActs): EngineActs =>
  new Proxy(acts, {
    get(target, key) {
      const value = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      const call = value.bind(target);
      if (!isMeant(String(key))) return call;
      return async (...given: unknown[]) => {
        const isNow = --left === 0;
        if (isNow && when === "before") die();
        try {
          return await call(...given);
        } finally {
          if (isNow) die();
        }
      };
    },
  });

const berth = await startService({
  ...JSON.parse(settings),
  folder,
  admin,
  engines: [{ name, url: `unix://${socket}` }],
  applyTimes: { leaseMs: 1_000 },
  mount: ({ plugins }) => {
    const { runtime } = plugins;
    if (runtime === null) throw new Error("the container runtime does not run");
    const acts = runtime.acts.bind(runtime);
    runtime.acts = (backend) => killing(acts(backend));
    return [];
  },
});
console.log(berth.url);
