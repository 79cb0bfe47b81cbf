/** The price of looking at mounted files: an overview with 1,000 bind mounts beside one without any. */
import { FIXTURE, startEngine } from "../tests/support/engine.ts";
import { serveEngines, type TestService } from "../tests/support/service.ts";
import { composeOfToday, composeToday } from "../tests/support/compose.ts";
import { rounds } from "./rounds.ts";

const SERVICES = 20;
const MOUNTS = 50;
/** The bound that is promised, beyond an overview without mounts. */
const MOST_MS = 50;
/** Sources that were looked at within the last second are not looked at again. */
const OLD_MS = 1_100;

/** Starts a project by Compose and returns its workspace. */
async function started(berth: TestService, socket: string, name: string, mounts: number): Promise<string> {
  const path = `${berth.folder}/workspaces/${name}`;
  await Deno.mkdir(`${path}/conf`, { recursive: true });
  const services = Array.from({ length: SERVICES }, (_, service) => {
    const volumes = Array.from({ length: mounts }, (_, n) => `./conf/${service}-${n}:/etc/app/${n}:ro`);
    for (let n = 0; n < mounts; n++) Deno.writeTextFileSync(`${path}/conf/${service}-${n}`, "");
    return `  s${service}: { image: "${FIXTURE}", command: [idle], volumes: ${JSON.stringify(volumes)} }\n`;
  });
  await Deno.writeTextFile(`${path}/compose.yaml`, `name: ${name}\nservices:\n${services.join("")}`);
  const failure = await composeToday(socket, path, "up", "-d");
  if (failure !== "") throw new Error(failure);
  return (await berth.call("POST /api/workspaces", { path })).body.id;
}

if (composeOfToday.missing !== null) console.log(`not measured: ${composeOfToday.missing}`);
else {
  await using engine = await startEngine("docker");
  await using berth = await serveEngines({ docker: engine });
  const plain = await started(berth, engine.socket, "plain", 0);
  const mounted = await started(berth, engine.socket, "mounted", MOUNTS);
  let limit = 0;
  const overview = (workspace: string) => async () => {
    await new Promise((done) => setTimeout(done, OLD_MS));
    const begun = performance.now();
    // Another limit each time: the last answer is not given again.
    const { body } = await berth.call(`GET /api/overview?workspace=${workspace}&limit=${100 + limit++}`);
    const ms = performance.now() - begun;
    if (body.counts.asWritten !== SERVICES) throw new Error(JSON.stringify(body.counts));
    return ms;
  };
  const [without, with1000] = await rounds("mounts", [
    { name: `${SERVICES} units without a mount`, run: overview(plain) },
    { name: `${SERVICES} units with ${SERVICES * MOUNTS} bind mounts`, run: overview(mounted) },
  ], {
    rounds: 9,
    warmUps: 1,
    unit: "ms",
    about: `an overview that looks at every mounted file; promised are at most ${MOST_MS} ms more`,
  });
  const more = (with1000?.median ?? 0) - (without?.median ?? 0);
  console.log(`${SERVICES * MOUNTS} bind mounts cost ${more.toFixed(1)} ms`);
  if (more > MOST_MS) throw new Error(`It took more than ${MOST_MS} ms`);
}
