/** Events to a thousand sockets: berth's frames of a tick against a frame for each event on the runtime's own. */
import { Sights } from "../core/sight.ts";
import { Backends } from "../engines/links/backends.ts";
import { EventHub } from "../plugins/containers/events/event_hub.ts";
import { StreamLimit } from "../plugins/containers/backends/stream_limit.ts";
import { terminalRoutes } from "../plugins/containers/events/routes.ts";
import { NO_OWNER } from "../tests/support/no_owner.ts";
import { SILENT } from "../tests/support/silent_log.ts";
import { StreamService } from "../tests/support/stream_service.ts";
import { clockMs, startEventClients } from "./event_clients.ts";
import { type Competitor, rounds } from "./rounds.ts";

const SECONDS = 1;

export async function fanOut(): Promise<void> {
  await using backends = Backends.configured([], SILENT);
  const { feed } = backends;
  using hub = new EventHub(feed);
  await using service = new StreamService(terminalRoutes({
    engines: { backends, sights: new Sights(NO_OWNER) },
    streamLimit: new StreamLimit(1_000),
    hub,
    onFailure: console.error,
  }));
  const bare = new BareSockets();
  const berthUrl = `${service.url.replace("http", "ws")}/api/terminal/compose-logs`;
  const clients = await startEventClients(berthUrl, bare.url);
  const competitor = (
    name: string,
    url: string,
    rate: number,
    publish: (at: number) => void,
  ): Competitor => ({
    name: `${name}, ${rate} events/s`,
    run: () => clients.lateMs(url, rate * SECONDS, () => steadily(rate, publish)),
  });
  const toBerth = () =>
    feed.publish("bench", {
      time: new Date().toISOString(),
      timeNano: 1,
      type: "container",
      action: "start",
      id: crypto.randomUUID(),
      attributes: { sent: String(clockMs()) },
    });
  const toBare = (at: number) =>
    bare.send(JSON.stringify({
      type: "event",
      seq: at,
      time: new Date().toISOString(),
      action: "start",
      container: { id: crypto.randomUUID(), name: "" },
      backend: "bench",
      attributes: { sent: String(clockMs()) },
    }));
  await rounds("streams-fan-out", [
    competitor("bare sockets, a frame an event", bare.url, 100, toBare),
    competitor("berth", berthUrl, 100, toBerth),
    competitor("berth", berthUrl, 250, toBerth),
  ], { unit: "ms", about: "99th percentile from an event to each of 1,000 sockets in another process" });
  await clients[Symbol.asyncDispose]();
  await bare[Symbol.asyncDispose]();
}

/** Sockets of the runtime itself, with nothing bounded. */
class BareSockets implements AsyncDisposable {
  readonly #open = new Set<WebSocket>();
  readonly #server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onopen = () => {
      this.#open.add(socket);
      socket.send(`{"type":"hello"}`);
    };
    socket.onclose = () => this.#open.delete(socket);
    socket.onerror = () => {};
    return response;
  });

  get url(): string {
    return `ws://127.0.0.1:${this.#server.addr.port}/`;
  }

  send(text: string): void {
    for (const socket of this.#open) socket.send(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

async function steadily(rate: number, publish: (at: number) => void): Promise<void> {
  const started = performance.now();
  for (let at = 0; at < rate * SECONDS; at++) {
    const wait = started + at * 1_000 / rate - performance.now();
    if (wait > 0) await new Promise((done) => setTimeout(done, wait));
    publish(at);
  }
}
