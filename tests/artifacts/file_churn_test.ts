/**
 * However many files come and go in a watched folder, everybody else is answered at once, and changes in other
 * workspaces are seen. `BERTH_RACE_SECONDS` sets how long it lasts.
 */
import assert from "node:assert/strict";
import { startServer } from "../../bench/server_process.ts";
import { type BerthProcess, startBerthProcess } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { TestCaller } from "../support/service.ts";
import { within } from "../support/within.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";

/** `BERTH_PROOF=1`: as much as is promised, on a machine of its own. Beside other files, what one core has room for. */
const isProof = Deno.env.get("BERTH_PROOF") === "1";
const SECONDS = Math.max(isProof ? 5 : 3, Number(Deno.env.get("BERTH_RACE_SECONDS") ?? "0"));
const FILES_PER_SECOND = isProof ? 2_000 : 300;
const PROJECTS = isProof ? 1_000 : 100;
const BARE = new URL("../../bench/peers/bare_serve.ts", import.meta.url).pathname;
const CHURN = new URL("file_churn.ts", import.meta.url).pathname;
/** Beyond what a server that does nothing needs. Beside the suite the machine is late; a service that stalls is late by seconds. */
const HEALTH_MS = SECONDS > 5 ? 100 : 1_000;
const SEEN_MS = 4_000;

const compose = (service: string) => `services:\n  ${service}:\n    image: nginx\n`;

Deno.test(`while two processes create and delete ${FILES_PER_SECOND} files a second each, health answers within ${HEALTH_MS} ms (F72)`, async () => {
  await using folder = await workspaceFolder({
    ...Object.fromEntries(
      Array.from({ length: PROJECTS }, (_, n) => [`busy/project-${n}/compose.yaml`, compose("web")]),
    ),
    "calm/compose.yaml": compose("web"),
  });
  await using berth = await startBerthProcess({ env: { BERTH_ROOTS: folder.path, BERTH_LOG_LEVEL: "warn" } });
  const admin = await setUp(berth);
  for (const name of ["busy", "calm"]) {
    assert.equal((await admin.call("POST /api/workspaces", { path: `${folder.path}/${name}` })).status, 201);
  }
  await using bare = await startServer({ args: ["-A", "--no-check", BARE, "PORT"], path: "/" });
  const descriptors = countDescriptors(berth.pid);

  const churn = Promise.all([churnIn(`${folder.path}/busy`), churnIn(`${folder.path}/busy`)]);
  let isOver = false;
  const asked = ask(`${berth.url}/api/health`, () => isOver);
  const askedBare = ask(`http://127.0.0.1:${bare.port}/`, () => isOver);
  const polled = (async () => {
    while (!isOver) {
      const { status } = await admin.call("GET /api/workspaces/busy");
      assert.equal(status, 200);
      await pause(50);
    }
  })();
  const saved = (async () => {
    for (let turn = 0; !isOver; turn++) {
      await folder.write({ "calm/compose.yaml": compose(`web${turn}`) });
      await within(SEEN_MS, "a saved change in another workspace is seen", async () => {
        return (await admin.call("GET /api/workspaces/calm/artifacts")).text.includes(`web${turn}`);
      });
      await pause(300);
    }
  })();
  const done = await churn;
  isOver = true;
  const [health, idle] = await Promise.all([asked, askedBare, polled, saved]);

  console.log(
    `      ${done} files; 99 % of ${health.count} answers within ${health.p99} ms, of an idle server ${idle.p99} ms`,
  );
  for (const files of done) {
    assert.ok(files > FILES_PER_SECOND * SECONDS / 4, `only ${files} files came and went`);
  }
  assert.ok(health.p99 < 3 * idle.p99 + HEALTH_MS, `${health.p99} ms, and ${idle.p99} ms of an idle server`);

  await folder.write({ "busy/project-1/compose.yaml": compose("after") });
  await within(SEEN_MS, "a change in the busy workspace is seen once it is calm", async () => {
    return (await admin.call("GET /api/workspaces/busy/artifacts")).text.includes("after");
  });
  await eventually("descriptors are as many as before", () => countDescriptors(berth.pid) <= descriptors + 5);
  const before = performance.now();
  assert.equal((await berth.end()).code, 0);
  assert.ok(performance.now() - before < 5_000, "the service ends at once");
});

async function setUp(berth: BerthProcess): Promise<TestCaller> {
  const token = (await Deno.readTextFile(`${berth.data}/setup-token`)).trim();
  const made = await new TestCaller(berth.url, null)
    .call("POST /api/settings/setup", { token, name: "me" });
  return new TestCaller(berth.url, made.body.key);
}

/** Answers how many files came and went. */
async function churnIn(folder: string): Promise<number> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-prompt",
      "--no-check",
      CHURN,
      folder,
      String(FILES_PER_SECOND),
      String(SECONDS),
    ],
  }).output();
  return Number(new TextDecoder().decode(stdout));
}

/** Asks again and again, and answers how long 99 % of the answers took at most. */
async function ask(url: string, isOver: () => boolean): Promise<{ count: number; p99: number }> {
  const waits: number[] = [];
  while (!isOver()) {
    const before = performance.now();
    await (await fetch(url)).body?.cancel();
    waits.push(performance.now() - before);
    await pause(10);
  }
  waits.sort((one, other) => one - other);
  return { count: waits.length, p99: Math.round(waits[Math.floor(waits.length * 0.99)]!) };
}

function countDescriptors(pid: number): number {
  return [...Deno.readDirSync(`/proc/${pid}/fd`)].length;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
