/**
 * A berth that kills itself in an adoption: `adoption_actor.ts <folder> <admin> <engine> <socket> <before|after> <act>`
 * prints its address, and ends by SIGKILL right before or right after it makes files (`files`), or the store adds, moves
 * or removes a claim (`add`, `move`, `remove`).
 */
import type { ClaimStore } from "../../core/claims.ts";
import { startService } from "../support/service.ts";

const [folder = "", admin = "", name = "", socket = "", when = "", act = ""] = Deno.args;

function deadly<Part extends object>(part: Part, method: keyof Part): void {
  const call = (part[method] as (...given: unknown[]) => Promise<unknown>).bind(part);
  const dying = async (...given: unknown[]) => {
    if (when === "after") await call(...given);
    Deno.kill(Deno.pid, "SIGKILL");
    await new Promise(() => {}); // nothing comes after it
  };
  part[method] = dying as Part[keyof Part];
}

const berth = await startService({
  folder,
  admin,
  engines: [{ name, url: `unix://${socket}` }],
  mount: ({ registry, store }) => {
    if (act === "files") deadly(registry, "createSets");
    // The store itself: what is around it keeps the methods that it has seen.
    else {deadly<ClaimStore>(
        Reflect.getOwnPropertyDescriptor(store, "claims")!.value!,
        act as keyof ClaimStore,
      );}
    return [];
  },
});
console.log(berth.url);
