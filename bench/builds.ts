/** An image built by an apply, beside `docker compose build` and `docker build` of the same context. */
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
const changed = (path: string) => Deno.writeTextFile(`${path}/app/src/turn`, crypto.randomUUID());

async function measure(docker: TestEngine): Promise<void> {
  await using berth = await serveEngines({ docker });
  const scene = await ApplyScene.on(docker, berth, NAME, TEXT);
  const { path } = scene;
  await writeContext(path);
  await scene.write(`${TEXT}# the context is there\n`);
  await rounds("builds", [
    {
      name: "berth: the step of an apply",
      run: async () => {
        await changed(path);
        const { state, reason, steps } = await scene.apply({ build: true });
        const step = steps.find(({ kind }) => kind === "image.build");
        if (state !== "done" || !step?.startedAt || !step.endedAt) {
          throw new Error(`It was not built: ${reason}`);
        }
        return Date.parse(step.endedAt) - Date.parse(step.startedAt);
      },
    },
    {
      name: "docker compose build",
      ...composeOfToday.missing !== null && { absent: composeOfToday.missing },
      run: async () => {
        await changed(path);
        const began = performance.now();
        await composeToday(docker.socket, path, "build");
        return performance.now() - began;
      },
    },
    {
      name: "docker build, the older builder",
      run: async () => {
        await changed(path);
        const began = performance.now();
        await docker.cli("build", "-q", `${path}/app`);
        return performance.now() - began;
      },
    },
  ], {
    against: "docker compose build",
    about: `a context of ${FILES} files of ${
      BYTES / 1_000
    } kB, half of them in .dockerignore, one file new each time`,
  });
  await scene.clear();
}

if (import.meta.main) {
  await using docker = await startEngine("docker");
  await measure(docker);
}
