/**
 * WebSockets with the client's credentials: what is sent is JSON or bytes, what arrives is an async iterator.
 *
 * @example Live events until one says stop
 * ```ts
 * import { Client, Endpoint } from "@berth/client";
 * import { connect } from "@berth/client/connect";
 *
 * const EVENTS = new Endpoint("api/events").typed<{ socket: { receive: { action: string } } }>();
 *
 * async function watch(client: Client): Promise<void> {
 *   await using events = await connect(client, EVENTS);
 *   for await (const event of events) {
 *     if (event instanceof Uint8Array) continue;
 *     if (event.action === "stop") break;
 *   }
 * }
 * ```
 *
 * @module
 */
import { type Client, senderOf } from "./client.ts";
import type { Deadline } from "./deadline.ts";
import {
  type Args,
  Endpoint,
  type EndpointTypes,
  type Params,
  type ParamsOption,
  type QueryOption,
  type TypesOf,
} from "./endpoint.ts";
import { BodyLimitError, NetworkError } from "./errors.ts";
import type { Ticket } from "./login.ts";
import { isStatusError } from "./response.ts";
import type { AnyOptions, Call } from "./sender.ts";

const PROTOCOL = "berth.v1";
const OPEN = 1;
const MAX_QUEUED_BYTES = 2 ** 24;
/** Statuses that say something of the caller, whoever answers them. */
const REFUSALS = [401, 403];
/** The status of a plain call to a socket that would be opened. */
const UPGRADE_REQUIRED = 426;

/** The messages that a socket of these types may send. */
export type SendOf<T extends EndpointTypes> = TypesOf<T, "socket"> extends { send: infer Send } ? Send
  : unknown;

/** The messages that arrive as text on a socket of these types. */
export type ReceiveOf<T extends EndpointTypes> = TypesOf<T, "socket"> extends { receive: infer Receive }
  ? Receive
  : unknown;

/** Opens a WebSocket; Node's own, or a package's, can be given where the runtime has none that will do. */
export type OpenWebSocket = (url: string, protocols: string[]) => WebSocket;

/** The options of `connect()`. */
export type ConnectOptions<P extends string, T extends EndpointTypes> =
  & ParamsOption<P>
  & QueryOption<T, "socket">
  & {
    /** Ends the handshake, and later the connection, with its reason. */
    readonly signal?: AbortSignal | undefined;
    /** Opens the WebSocket in place of the runtime's own. */
    readonly webSocket?: OpenWebSocket | undefined;
  };

/** The end of a connection. */
export interface Closing {
  /** The closing code; 1006 when the connection was lost. */
  readonly code: number;
  /** The reason that the other side gave. */
  readonly reason: string;
}

/**
 * An open connection. Text that arrives is parsed as JSON, the items of a `{ "type": "batch", "items": [] }` come one by
 * one, and bytes arrive as `Uint8Array`.
 */
export interface Connection<Send = unknown, Receive = unknown>
  extends AsyncIterable<Receive | Uint8Array>, Disposable, AsyncDisposable {
  /** Settles when the connection has ended; it never rejects. */
  readonly closed: Promise<Closing>;
  /** Sends bytes as they are, and anything else as JSON text. @throws {NetworkError} once it is not open. */
  send(message: Send | Uint8Array<ArrayBuffer>): void;
  /** Ends it; 1000 and 3000 to 4999 are codes to choose from. */
  close(code?: number, reason?: string): void;
}

/**
 * An open connection to a socket endpoint. The iterator ends when the other side closes, and throws when the connection
 * is lost, the client is closed, or 16 MiB wait unread. `timeoutS` bounds the handshake.
 *
 * @throws {TypeError} when the runtime cannot open such a socket; a refused handshake is the `StatusError` that a plain
 * call with the same credentials gets (401, 403, or a problem document), else a `NetworkError`.
 */
export async function connect<P extends string, T extends EndpointTypes>(
  client: Client,
  endpoint: Endpoint<P, T>,
  ...args: Args<ConnectOptions<P, T>>
): Promise<Connection<SendOf<T>, ReceiveOf<T>>> {
  // One shape for all types; what is checked at compile time is checked again by prepare().
  const options = (args[0] ?? {}) as AnyOptions & { webSocket?: OpenWebSocket };
  const sender = senderOf(client);
  const call = sender.prepare("GET", endpoint.path, options, [101], "");
  const { webSocket } = options;
  if (!webSocket) {
    if (typeof WebSocket !== "function") {
      throw new TypeError("this runtime has no WebSocket: give a webSocket");
    }
    if (sender.ownTls && call.url.startsWith("https:")) {
      throw new TypeError(
        "a WebSocket always verifies the runtime's way: caCerts and verifyTls need a webSocket",
      );
    }
  }
  const open = webSocket ?? ((url, protocols) => new WebSocket(url, protocols));
  const deadline = sender.begin(call, { signal: options.signal });
  try {
    return await deadline.until(async () => {
      const ticket = await sender.login?.ticket();
      // An `Auth` that has nobody to sign in as gives no credentials: the plain call says what a handshake would not.
      const isNobody = ticket !== undefined && Object.keys(ticket.headers).length === 0;
      let opened = isNobody ? undefined : await handshake(open, call, ticket, deadline);
      if (!opened && ticket) {
        // A refused handshake hides its status: ask the same by a plain call, whose 401 rule renews the credentials.
        const asked = { query: options.query, signal: deadline.signal };
        const plain = new Endpoint(endpoint.path);
        // The values for the path were checked when the socket's own address was made.
        await client.get(plain as Endpoint<string>, {
          ...asked,
          params: options.params as Params<string>,
        }).catch((error) => {
          if (isReason(error)) throw error;
        });
        const renewed = await sender.login?.ticket();
        if (renewed?.generation !== ticket.generation) {
          opened = await handshake(open, call, renewed, deadline);
        }
      }
      if (!opened) throw failure(call, "the WebSocket was refused");
      deadline.arm();
      // Nothing checks what a server sends: the types are the endpoint's promise.
      return connection(opened, call, deadline) as Connection<SendOf<T>, ReceiveOf<T>>;
    });
  } catch (error) {
    deadline.end();
    deadline.abort(error);
    throw error;
  }
}

/** True for an answer that says why the handshake was refused: a problem document, or a 401 or 403 of anybody. */
function isReason(error: unknown): boolean {
  if (!isStatusError(error)) return false;
  const { statusCode, headers } = error.response;
  if (REFUSALS.includes(statusCode)) return true;
  const isProblem = headers.get("content-type")?.startsWith("application/problem+json") === true;
  return isProblem && statusCode !== UPGRADE_REQUIRED;
}

/** An open socket, or undefined when it was refused. */
function handshake(
  open: OpenWebSocket,
  call: Call,
  ticket: Ticket | undefined,
  { signal }: Deadline,
): Promise<WebSocket | undefined> {
  signal.throwIfAborted();
  const protocols = [PROTOCOL];
  if (ticket) {
    const [, token = ""] = /^Bearer (.+)$/i.exec(ticket.headers["authorization"] ?? "") ?? [];
    // Checked here because runtimes quote a bad subprotocol, so a secret, in their errors.
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(token)) {
      throw new TypeError("a socket needs a bearer token of letters and digits");
    }
    protocols.push(`berth.bearer.${token}`);
  }
  const socket = open(call.url.replace(/^http/, "ws"), protocols);
  socket.binaryType = "arraybuffer";
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => socket.close(1000));
    // Either may come alone: Node 22 sends no `close` after a failed handshake.
    socket.onerror = socket.onclose = () => resolve(undefined);
    socket.onopen = () => {
      socket.onopen = socket.onerror = socket.onclose = null;
      if (socket.protocol === PROTOCOL) return resolve(socket);
      socket.close(1000);
      reject(failure(call, `the server does not speak ${PROTOCOL}`));
    };
  });
}

function connection(socket: WebSocket, call: Call, deadline: Deadline): Connection {
  const queue: (string | Uint8Array)[] = [];
  let queued = 0;
  let ended: { readonly error?: unknown } | undefined;
  let wake: (() => void) | undefined;
  const end = (how: { readonly error?: unknown }) => {
    ended ??= how;
    deadline.end();
    wake?.();
  };
  const close = (code = 1000, reason = "") => {
    if (code !== 1000 && !(code >= 3000 && code <= 4999)) {
      throw new TypeError("a closing code is 1000, or 3000 to 4999");
    }
    socket.close(code, reason);
  };
  deadline.signal.addEventListener("abort", () => {
    end({ error: deadline.signal.reason });
    socket.close(1000);
  });
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (ended) return;
    const message = typeof data === "string" ? data : new Uint8Array(data);
    queue.push(message);
    if ((queued += message.length) > MAX_QUEUED_BYTES) {
      end({ error: new BodyLimitError("16 MiB wait unread", call) });
      socket.close(4000, "too much unread");
    }
    wake?.();
  };
  const closed = new Promise<Closing>((resolve) => {
    socket.onclose = ({ code, reason }) => {
      end(code === 1006 ? { error: failure(call, "the connection was lost") } : {});
      resolve({ code, reason });
    };
  });
  async function* messages(): AsyncGenerator<unknown, void, undefined> {
    try {
      while (true) {
        const message = queue.shift();
        if (message !== undefined) {
          queued -= message.length;
          if (typeof message === "string") yield* itemsOf(parse(message, call));
          else yield message;
        } else if (ended) {
          if ("error" in ended) throw ended.error;
          return;
        } else {
          await new Promise<void>((resolve) => wake = resolve);
        }
      }
    } finally {
      socket.close(1000);
    }
  }
  return {
    closed,
    close,
    send(message) {
      if (socket.readyState !== OPEN) throw failure(call, "the connection is not open");
      // Bytes that are shared with a worker cannot be sent: `send` takes none.
      socket.send(
        message instanceof Uint8Array ? message as Uint8Array<ArrayBuffer> : JSON.stringify(message),
      );
    },
    [Symbol.asyncIterator]: messages,
    [Symbol.dispose]: () => close(),
    async [Symbol.asyncDispose]() {
      close();
      let timer: ReturnType<typeof setTimeout> | undefined;
      // The other side may never answer that it closes, too.
      await Promise.race([closed, new Promise((resolve) => timer = setTimeout(resolve, 3000))]);
      clearTimeout(timer);
    },
  };
}

/** Splits a message with several items. */
function itemsOf(message: unknown): readonly unknown[] {
  // Whatever JSON it is, reading two properties of it is safe but for null.
  const { type, items } = (message ?? {}) as { readonly type?: unknown; readonly items?: unknown };
  return type === "batch" && Array.isArray(items) ? items : [message];
}

function parse(text: string, call: Call): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw failure(call, "a message is not JSON: " + text.slice(0, 200), cause);
  }
}

function failure(call: Call, message: string, cause?: unknown): NetworkError {
  return new NetworkError(message, call, { cause });
}
