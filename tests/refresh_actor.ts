/** A berth that dies right behind the commit of a refresh, before its answer leaves: prints its address and its admin's key. */
import { startService } from "./service.ts";

const [folder = ""] = Deno.args;
const berth = await startService({ folder });
const { sessions } = berth.berth.access;
const refresh = sessions.refresh.bind(sessions);
Object.assign(sessions, {
  refresh: async (...given: Parameters<typeof refresh>) => {
    await refresh(...given);
    Deno.kill(Deno.pid, "SIGKILL");
  },
});
console.log(`${berth.url} ${berth.admin}`);
