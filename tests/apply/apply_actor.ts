/**
 * A berth that kills itself: `apply_actor.ts <folder> <admin> <engine> <socket> <before|after> <act> <nth> [<settings>]`
 * prints its address, and ends by SIGKILL right before or right after the nth time that an apply asks the engine for
 * this act. Further settings of the service are JSON.
 */
import type { EngineActs } from "../../core/engine_acts.ts";
import type { StackActs } from "../../core/stack_acts.ts";
import { startService } from "../support/service.ts";

const [folder = "", admin = "", name = "", socket = "", when = "", act = "", nth = "", settings = "{}"] =
  Deno.args;

let left = Number(nth);
/** `any` is every act that changes something, and `back` each of those that take a stack's apply back. */
const READS = [
  "find",
  "network",
  "networkNow",
  "volume",
  "imageId",
  "usersOf",
  "lastWords",
  "isAway",
  "checkHealth",
]
  .concat(["service", "differences", "tasks", "hasTasks", "isSame", "gone", "gained"]);
const BACK = ["restoreService", "removeService", "removeNetwork", "removeFile"];
const isMeant = (key: string) =>
  act === "any" ? !READS.includes(key) : act === "back" ? BACK.includes(key) : key === act;
const die = () => Deno.kill(Deno.pid, "SIGKILL");

const killing = <Acts extends EngineActs | StackActs>(acts: Acts): Acts =>
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
    const stacks = runtime.stacks?.bind(runtime);
    runtime.stacks = () => {
      const found = stacks?.() ?? null;
      // Its swarms are read when they are asked for.
      return found && new Proxy(found, {
        get: (target, key) =>
          key === "acts" ? (id: string) => killing(target.acts(id)) : Reflect.get(target, key, target),
      });
    };
    return [];
  },
});
console.log(berth.url);
