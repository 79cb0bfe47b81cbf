/**
 * A gate between the page and berth: it lets everything pass, holds it back, answers with a failure, or cuts it off.
 */
import type { Page, WebSocketRoute } from "npm:playwright-core@1.65.1";

export const FAILURE = {
  status: 503,
  code: "store_unavailable",
  title: "Cannot read this: the disk is full",
  requestId: "req-4471",
} as const;

type Way = "open" | "held" | "failing" | "cut";

export class Gate {
  #way: Way = "open";
  #opened = Promise.withResolvers<void>();
  readonly #sockets = new Set<WebSocketRoute>();

  private constructor() {}

  /** From the next load of the page on. Who one is can be asked all the time. */
  static async before(page: Page): Promise<Gate> {
    const gate = new Gate();
    await page.route(/\/api\/(?!auth\/(?!sessions))/, async (route) => {
      if (gate.#way === "held") await gate.#opened.promise;
      if (gate.#way === "cut") return await route.abort();
      if (gate.#way !== "failing") return await route.fallback();
      const body = JSON.stringify(FAILURE);
      await route.fulfill({ status: FAILURE.status, contentType: "application/problem+json", body });
    });
    await page.routeWebSocket(/\/api\/live(?:\?|$)/, (socket) => gate.#connect(socket));
    return gate;
  }

  set(way: Way): void {
    this.#way = way;
    if (way === "held") this.#opened = Promise.withResolvers();
    else this.#opened.resolve();
    if (way !== "cut") return;
    for (const socket of this.#sockets) void socket.close();
    this.#sockets.clear();
  }

  #connect(socket: WebSocketRoute): void {
    if (this.#way === "cut") return void socket.close();
    this.#sockets.add(socket);
    const berth = socket.connectToServer();
    socket.onMessage((message) => {
      const { type, id } = JSON.parse(`${message}`);
      if (this.#way !== "failing" || type !== "subscribe") return berth.send(message);
      const { code, title, status } = FAILURE;
      socket.send(JSON.stringify({ type: "ended", id, code, title, status }));
    });
    berth.onMessage(async (message) => {
      if (this.#way === "held") await this.#opened.promise;
      socket.send(message);
    });
  }
}
