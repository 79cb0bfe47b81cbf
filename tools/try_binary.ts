/** Tries a compiled binary as its first user would. */
import { VERSION } from "../version.ts";
import { run } from "./run.ts";

/** Runs the first steps of a user. */
export async function tryBinary(binary: string): Promise<void> {
  const said = await run(binary, ["version"]);
  if (said.trim() !== `berth ${VERSION}`) throw new Error(`The binary says it is "${said.trim()}"`);
  const folder = await Deno.makeTempDir({ prefix: "berth-release-" });
  try {
    await Deno.writeTextFile(
      `${folder}/compose.yaml`,
      "name: try\nservices:\n  web:\n    image: nginx:1.27\n",
    );
    await run(binary, ["validate", folder]);
    const child = new Deno.Command(binary, {
      env: { BERTH_DATA: `${folder}/data`, BERTH_PORT: "0", BERTH_ENGINES: "none" },
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const late = setTimeout(() => child.kill("SIGKILL"), 30_000);
    let text = "";
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += part;
      const url = /listens on (\S+)/.exec(text)?.[1];
      if (url === undefined) continue;
      const word = await (await fetch(`${url}/api/health/live`)).text();
      if (word !== "live\n") throw new Error(`The binary answers "${word}"`);
      break;
    }
    child.kill(Deno.build.os === "windows" ? "SIGKILL" : "SIGTERM");
    await child.status;
    clearTimeout(late);
    if (!text.includes("listens on")) throw new Error("The binary does not start");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
