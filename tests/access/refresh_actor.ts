/**
 * A berth that dies right behind the commit of a refresh, before its answer leaves: prints its address and its admin's key.
 * Takes its folder, and the settings of a database if it has one.
 */
import { startService } from "../support/service.ts";

const [folder = "", database] = Deno.args;
const berth = await startService({
  folder,
  ...(database === undefined ? {} : {
    database: JSON.parse(database),
    sealingKeyFile: `${folder}/sealing-key`,
    replica: "one",
  }),
});
const { sessions } = berth.berth.access;
const refresh = sessions.refresh.bind(sessions);
Object.assign(sessions, {
  refresh: async (...given: Parameters<typeof refresh>) => {
    await refresh(...given);
    Deno.kill(Deno.pid, "SIGKILL");
  },
});
console.log(`${berth.url} ${berth.admin}`);
