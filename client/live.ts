/**
 * berth's `/api/live`: any number of subscriptions over one WebSocket that is opened again when it is lost, each
 * resumed where it was.
 *
 * @example Every container, as it changes
 * ```ts
 * import { BearerAuth, Client } from "@berth/client";
 * import { Live } from "@berth/client/live";
 *
 * function watch(baseUrl: string, key: string): Live {
 *   const live = new Live(new Client({ baseUrl, auth: new BearerAuth(key) }));
 *   const states = new Map<string, string>();
 *   live.subscribe("containers", {}, {
 *     message({ reset, put, removed }) {
 *       if (reset) states.clear();
 *       for (const [key, { state }] of Object.entries(put)) states.set(key, state);
 *       for (const key of removed) states.delete(key);
 *     },
 *     ended: ({ title }) => console.error(title),
 *   });
 *   return live;
 * }
 * ```
 *
 * @module
 */
import { LIVE, type LiveMessage, type LiveRequest } from "./berth/live.ts";
import { readText } from "./body.ts";
import type { Client } from "./client.ts";
import { connect, type Connection, type OpenWebSocket } from "./connect.ts";
import { Cursors } from "./cursors.ts";
import { isStatusError } from "./response.ts";

/** The names of what can be followed. */
export type Feed = Extract<LiveRequest, { readonly type: "subscribe" }>["feed"];

/** The options of a subscription to this feed. */
export type AskedOf<F extends Feed> = Omit<
  Extract<LiveRequest, { readonly feed: F }>,
  "type" | "id" | "feed"
>;

/** The messages of this feed. */
export type ToldBy<F extends Feed> = Extract<LiveMessage, { readonly feed: F }>;

/** The end of a subscription. */
export type Ending = Omit<Extract<LiveMessage, { readonly type: "ended" }>, "type" | "id">;

/** The receiver of a feed's messages. */
export interface Listener<F extends Feed> {
  /** Takes one message; the pieces of one change of rows come as one. */
  message(message: ToldBy<F>): void;
  /** Nothing more comes: it was refused, or there is no more. */
  ended?(ending: Ending): void;
  /** Nothing comes for now; it is tried again by itself. */
  failed?(ending: Ending): void;
}

/**
 * The state of the connection. After `refused` the client waits for `retry()`, because the service did not
 * accept the credentials.
 */
export type LiveState = "idle" | "connecting" | "live" | "lost" | "refused";

/** The options of `new Live()`, beside a client. */
export interface LiveOptions {
  /** Told of every change of the state; the error is why it is `lost` or `refused`, where that is known. */
  readonly onState?: ((state: LiveState, error?: unknown) => void) | undefined;
  /** Opens the WebSocket in place of the runtime's own. */
  readonly webSocket?: OpenWebSocket | undefined;
  /** The silence in milliseconds after which the connection is given up. Default: 25,000. */
  readonly silenceMs?: number | undefined;
  /**
   * True to receive long messages compressed: worth it over a slow line, not on one machine. Default: false.
   */
  readonly gzip?: boolean | undefined;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** The service's word comes every ten seconds. */
const SILENCE_MS = 25_000;
/** A message that is longer once it is unpacked ends the connection. */
const MOST_UNPACKED_BYTES = 2 ** 24;

interface Open {
  readonly feed: Feed;
  readonly asked: Record<string, unknown>;
  readonly cursors: Cursors;
  readonly listener: Listener<Feed>;
  /** Pieces that do not count before the last one is there. */
  pending: Rows | null;
  pauseMs: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

interface Rows {
  reset?: true;
  put: Record<string, unknown>;
  removed: readonly string[];
  cursor?: string;
}

type Socket = Connection<LiveRequest, LiveMessage>;

/** One socket, its subscriptions, and what becomes of them when it is lost. */
export class Live implements Disposable {
  readonly #client: Client;
  readonly #options: LiveOptions;
  readonly #open = new Map<string, Open>();
  readonly #ending = new AbortController();
  #socket: Socket | null = null;
  #state: LiveState = "idle";
  #next = 1;
  #isRunning = false;
  #wake: () => void = () => {};
  #skewMs = 0;

  /** Opens nothing yet: the first subscription does. */
  constructor(client: Client, options: LiveOptions = {}) {
    this.#client = client;
    this.#options = options;
  }

  /** The state of the connection. */
  get state(): LiveState {
    return this.#state;
  }

  /** The milliseconds by which this machine's clock is ahead of the service's, as last measured. */
  get skewMs(): number {
    return this.#skewMs;
  }

  /** Follows a feed until the answer is called. After a loss it goes on behind the last cursor that was told. */
  subscribe<F extends Feed>(feed: F, asked: AskedOf<F>, listener: Listener<F>): () => void {
    const id = String(this.#next++);
    const open: Open = {
      feed,
      asked: { ...asked },
      cursors: new Cursors((asked as AskedOf<"logs">).cursors), // no other feed has any
      listener: listener as unknown as Listener<Feed>, // hears its own feed alone
      pending: null,
      pauseMs: FIRST_PAUSE_MS,
      timer: undefined,
    };
    this.#open.set(id, open);
    if (this.#socket !== null) this.#ask(id, open);
    else void this.#run();
    return () => {
      clearTimeout(open.timer);
      if (this.#open.delete(id)) this.#send({ type: "unsubscribe", id });
    };
  }

  /** Tries at once what would be tried later, or was refused. */
  retry(): void {
    this.#wake();
    if (this.#open.size > 0) void this.#run();
  }

  /** Ends every subscription and the connection. */
  close(): void {
    for (const { timer } of this.#open.values()) clearTimeout(timer);
    this.#open.clear();
    this.#ending.abort();
    this.#wake();
  }

  /** {@linkcode Live.close}, for `using`. */
  [Symbol.dispose](): void {
    this.close();
  }

  async #run(): Promise<void> {
    if (this.#isRunning || this.#ending.signal.aborted) return;
    this.#isRunning = true;
    let pauseMs = FIRST_PAUSE_MS;
    while (!this.#ending.signal.aborted) {
      try {
        if (this.#state !== "lost") this.#become("connecting");
        await this.#converse(() => pauseMs = FIRST_PAUSE_MS);
        this.#become("lost");
      } catch (error) {
        if (this.#ending.signal.aborted) break;
        if (isStatusError(error) && error.response.statusCode === 401) {
          this.#become("refused", error);
          break;
        }
        this.#become("lost", error);
      }
      await this.#pause(pauseMs * (0.5 + Math.random() / 2));
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
    this.#isRunning = false;
    if (this.#ending.signal.aborted) this.#become("idle");
  }

  /** One connection, to its end. */
  async #converse(onOpen: () => void): Promise<void> {
    const { webSocket, silenceMs = SILENCE_MS, gzip = false } = this.#options;
    const { signal } = this.#ending;
    const dead = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => dead.abort(new Error("nothing was heard for too long")), silenceMs);
    };
    // No `using`: a runtime that cannot parse it would load nothing of the file.
    let socket: Socket | null = null;
    try {
      socket = await connect(this.#client, LIVE, {
        signal: AbortSignal.any([signal, dead.signal]),
        ...(gzip ? { query: { gzip } } : {}),
        ...(webSocket === undefined ? {} : { webSocket }),
      });
      heard();
      this.#socket = socket;
      for (const [id, open] of this.#open) {
        clearTimeout(open.timer);
        this.#ask(id, open);
      }
      for await (const message of socket) {
        heard();
        if (this.#state !== "live") {
          onOpen();
          this.#become("live");
        }
        // Nothing checks what a server sends: the types are the endpoint's promise.
        this.#hear(message instanceof Uint8Array ? await unpacked(message) as LiveMessage : message);
      }
    } finally {
      clearTimeout(timer);
      this.#socket = null;
      socket?.close();
    }
  }

  #ask(id: string, open: Open): void {
    open.pending = null;
    if (open.feed === "logs") open.asked["cursors"] = open.cursors.ask();
    // The types of feed and question were checked by `subscribe`.
    this.#send({ ...open.asked, type: "subscribe", id, feed: open.feed } as LiveRequest);
  }

  #send(request: LiveRequest): void {
    try {
      this.#socket?.send(request);
    } catch {
      // it is lost, and everything is asked again over the next one
    }
  }

  #hear(message: LiveMessage): void {
    if (message.type === "beat") this.#skewMs = Date.now() - Date.parse(message.time);
    if (!("id" in message)) return;
    const open = this.#open.get(message.id);
    if (open === undefined) return;
    if (message.type === "ended") return this.#end(open, message);
    const whole = message.type === "rows" ? gathered(open, message) : message;
    if (whole === null) return;
    if ("cursor" in message) open.asked["since"] = message.cursor;
    if ("cursors" in message) open.cursors.read(message.cursors);
    else if (message.type === "sources") open.cursors.hear(message.items);
    open.pauseMs = FIRST_PAUSE_MS;
    open.listener.message(whole as ToldBy<Feed>);
  }

  #end(open: Open, { id, code, title, status }: Extract<LiveMessage, { readonly type: "ended" }>): void {
    const ending = { code, title, status };
    if (status < 500 && status !== 429) {
      this.#open.delete(id);
      return open.listener.ended?.(ending);
    }
    open.timer = setTimeout(() => this.#socket !== null && this.#ask(id, open), open.pauseMs);
    open.pauseMs = Math.min(open.pauseMs * 2, LONGEST_PAUSE_MS);
    open.listener.failed?.(ending);
  }

  #become(state: LiveState, error?: unknown): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#options.onState?.(state, error);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

async function unpacked(bytes: Uint8Array): Promise<unknown> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(
    await readText(new Response(stream), MOST_UNPACKED_BYTES, () => {
      throw new Error("a message is longer than 16 MiB");
    }),
  );
}

/** All pieces of a change as one; null before the last. */
function gathered(open: Open, piece: Rows): Rows | null {
  const before = open.pending;
  const all: Rows = before === null ? piece : Object.assign(before, {
    ...piece,
    put: Object.assign(before.put, piece.put),
    removed: [...before.removed, ...piece.removed],
  });
  open.pending = piece.cursor === undefined ? all : null;
  return piece.cursor === undefined ? null : all;
}
