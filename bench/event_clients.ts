/** Many sockets in a process of their own, so that what they cost is not taken for the server's: `event_clients.ts URL...`. */

const EACH = 1_000;
const LIMIT_MS = 20_000;

/** Milliseconds on a clock that both processes read. */
export function clockMs(): number {
  return performance.timeOrigin + performance.now();
}

export interface EventClients extends AsyncDisposable {
  /** Publishes by `publish`, and says how late the 99th of a hundred was on the sockets of `url`, in ms. */
  lateMs(url: string, events: number, publish: () => Promise<void>): Promise<number>;
}

/** Opens a thousand sockets to each URL. */
export async function startEventClients(...urls: readonly string[]): Promise<EventClients> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", new URL(import.meta.url).pathname, ...urls],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const input = child.stdin.getWriter();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  const line = async () => {
    while (!rest.includes("\n")) {
      const { value, done } = await output.read();
      if (done) throw new Error("The clients have ended");
      rest += value;
    }
    const at = rest.indexOf("\n");
    const first = rest.slice(0, at);
    rest = rest.slice(at + 1);
    return first;
  };
  await line();
  return {
    async lateMs(url, events, publish) {
      await input.write(new TextEncoder().encode(JSON.stringify({ url, events }) + "\n"));
      await line(); // they listen
      await publish();
      const { arrived, late } = JSON.parse(await line());
      if (arrived !== events * EACH) throw new Error(`${arrived} of ${events * EACH} arrived`);
      return late;
    },
    async [Symbol.asyncDispose]() {
      await input.close().catch(() => {});
      child.kill("SIGKILL");
      await child.status;
      await output.cancel();
    },
  };
}

if (import.meta.main) {
  const late = new Float64Array(1_000_000);
  let arrived = 0;
  let wanted = "";
  // All sockets hear the same words: they are taken apart once
  let lastText = "";
  let stamps: readonly number[] = [];
  const hear = (url: string, text: string) => {
    if (url !== wanted) return;
    if (text !== lastText) {
      lastText = text;
      stamps = [...text.matchAll(/"sent":"([\d.]+)"/g)].map(([, stamp]) => Number(stamp));
    }
    const now = clockMs();
    for (const stamp of stamps) late[arrived++] = now - stamp;
  };
  for (const url of Deno.args) {
    await Promise.all(Array.from({ length: EACH }, () =>
      new Promise<void>((resolve, reject) => {
        const wire = new WebSocket(url);
        wire.onmessage = ({ data }) => data.includes("hello") ? resolve() : hear(url, data);
        wire.onerror = reject;
      })));
  }
  console.log("open");
  const commands = Deno.stdin.readable.pipeThrough(new TextDecoderStream());
  for await (const command of commands) { // each is one short write, answered before the next
    const { url, events } = JSON.parse(command);
    arrived = 0;
    wanted = url;
    console.log("listening");
    const deadline = clockMs() + LIMIT_MS;
    while (arrived < events * EACH && clockMs() < deadline) await new Promise((done) => setTimeout(done, 20));
    const sorted = late.slice(0, arrived).sort();
    console.log(JSON.stringify({ arrived, late: sorted[Math.floor(arrived * 0.99)] ?? null }));
  }
  Deno.exit();
}
