/** The log routes in a process of their own, whose memory can be measured: `deno run -A tests/support/stream_process.ts SOCKET`. */
import { findOn, staysSeen } from "./one_engine.ts";
import { Engine } from "../../engines/calls/engine.ts";
import { logRoutes } from "../../plugins/containers/logs/routes.ts";
import { StreamLimit } from "../../plugins/containers/backends/stream_limit.ts";
import { FOR_HELD_BYTES, heldBytes, residentBytes } from "../proof/process_memory.ts";
import { StreamService } from "./stream_service.ts";

export interface StreamProcess extends AsyncDisposable {
  readonly port: number;
  rssBytes(): Promise<number>;
  /** The same, once the process has collected its garbage and given back what it freed. */
  heldBytes(): Promise<number>;
  cpuSeconds(): Promise<number>;
}

/** Starts it before an engine's socket. */
export async function startStreams(socket: string): Promise<StreamProcess> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL(import.meta.url).pathname, socket],
    env: FOR_HELD_BYTES,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error("The process ended before it listened");
    text += new TextDecoder().decode(value);
  }
  return {
    port: Number(text),
    rssBytes: () => residentBytes(child.pid),
    heldBytes: () => heldBytes(child.pid),
    async cpuSeconds() {
      const stat = await Deno.readTextFile(`/proc/${child.pid}/stat`);
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return (Number(fields[11]) + Number(fields[12])) / 100;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
      await reader.cancel();
    },
  };
}

if (import.meta.main) {
  const [socket = ""] = Deno.args;
  const engine = new Engine("docker", { kind: "unix", path: socket });
  const service = new StreamService(
    logRoutes({ find: findOn(engine), whileSeen: staysSeen, streamLimit: new StreamLimit() }),
  );
  console.log(service.port);
}
