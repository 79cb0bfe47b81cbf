/** An image built by an apply, beside `docker build`, `docker compose build` and the engine's own route. */
import { ApplyScene, project } from "../tests/apply/apply_scene.ts";
import { composeOfToday, composeToday } from "../tests/support/compose.ts";
import { FIXTURE, startEngine, type TestEngine } from "../tests/support/engine.ts";
import { serveEngines } from "../tests/support/service.ts";
import { rounds } from "./rounds.ts";

const NAME = "builds";
const FILES = 1_000;
const BYTES = 20_000;
const TEXT = project(NAME, ["  web:\n    build: ./app\n"]);

/** A context of 20 MB, half of it left at home. */
async function writeContext(path: string): Promise<void> {
  await Deno.mkdir(`${path}/app/src`, { recursive: true });
  await Deno.mkdir(`${path}/app/left`, { recursive: true });
  const dockerfile = `FROM ${FIXTURE}\nCOPY . /app\nRUN ls /app/src | wc -l\nCMD ["idle"]\n`;
  await Deno.writeTextFile(`${path}/app/Dockerfile`, dockerfile);
  await Deno.writeTextFile(`${path}/app/.dockerignore`, "left\n");
  for (let n = 0; n < FILES; n++) {
    const folder = n % 2 === 0 ? "src" : "left";
    await Deno.writeFile(`${path}/app/${folder}/${n}`, crypto.getRandomValues(new Uint8Array(BYTES)));
  }
}

/** Another file in each turn, so that nobody finds it built already. */
const oneFile = (path: string) => Deno.writeTextFile(`${path}/app/src/turn`, crypto.randomUUID());

/** All files anew, as for a builder that has never seen this context: its session has to send each of them, too. */
const allFiles = (path: string) => writeContext(path);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Sends the context to the builder that berth uses, with nothing in between: what no program without a session can beat. */
async function sendTar(socket: string, path: string): Promise<void> {
  const line = `tar -c --exclude ./left -C ${path}/app . | curl -sS --fail --unix-socket ${socket} -X POST ` +
    `-H 'content-type: application/x-tar' -T - 'http://docker/build?version=2&t=by-hand' >/dev/null`;
  const { success, stderr } = await new Deno.Command("sh", { args: ["-c", line] }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

async function measure(docker: TestEngine): Promise<void> {
  await using berth = await serveEngines({ docker });
  const scene = await ApplyScene.on(docker, berth, NAME, TEXT);
  const { path } = scene;
  await writeContext(path);
  await scene.write(`${TEXT}# the context is there\n`);
  const inTurns = async (name: string, about: string, change: (path: string) => Promise<unknown>) => {
    const run = (work: () => Promise<unknown>) => async () => {
      await change(path);
      return await timed(work);
    };
    await rounds(name, [
      {
        name: "docker build, Debian's",
        run: run(() => docker.cli("build", "-q", `${path}/app`)),
      },
      {
        name: "berth: the step of an apply",
        run: async () => {
          await change(path);
          const { state, reason, steps } = await scene.apply({ build: true });
          const step = steps.find(({ kind }) => kind === "image.build");
          if (state !== "done" || !step?.startedAt || !step.endedAt) {
            throw new Error(`It was not built: ${reason}`);
          }
          return Date.parse(step.endedAt) - Date.parse(step.startedAt);
        },
      },
      { name: "the engine's socket, a tar by curl", run: run(() => sendTar(docker.socket, path)) },
      {
        name: "docker compose build",
        ...composeOfToday.missing !== null && { absent: composeOfToday.missing },
        run: run(() => composeToday(docker.socket, path, "build")),
      },
    ], {
      about: `a context of ${FILES} files of ${BYTES / 1_000} kB, half of them in .dockerignore, ${about}`,
    });
  };
  await inTurns("builds-first", "all of them new each time; the aim is 1.1", allFiles);
  await inTurns("builds-again", "one file new each time; the aim is 1.1", oneFile);
  await scene.clear();
}

if (import.meta.main) {
  await using docker = await startEngine("docker");
  await measure(docker);
}
