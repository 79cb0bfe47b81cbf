/** A WebSocket with a bounded send queue, one typed ending, and no exception that leaves it. */
import * as z from "../../core/schema.ts";
import type { ServiceError } from "../../core/error.ts";
import { asServiceError, statusOf } from "../declare/problem.ts";
import { type Message, SendQueue } from "./queue.ts";

/** The closing codes of all socket routes. */
export const CLOSE = {
  asked: 1000,
  stopping: 1001,
  notAllowed: 1008,
  tooBig: 1009,
  failed: 1011,
  tooSlow: 1013,
  invalid: 4400,
  notFound: 4404,
  conflict: 4409,
} as const;

/** The last frame before a socket is closed for a failure. */
export const SocketFailure = z.object({
  type: z.literal("error").describe("Kind of message"),
  code: z.string().describe("Code for programs"),
  title: z.string().describe("Message for people"),
}).meta({ id: "SocketFailure", description: "The reason that the socket closes" });

export const PROTOCOL = "berth.v1";
const MESSAGE_LIMIT_BYTES = 64 * 1024;
/** Input that nobody has read yet: the runtime cannot be told to receive less, so there is an end to patience. */
const INPUT_LIMIT_BYTES = 8 * 1024 * 1024;
/** The cost of one waiting message besides its bytes, so that a million empty ones are bounded, too. */
const MESSAGE_COST_BYTES = 64;
/** The runtime pings after half of this without a sign of life, and hangs up after all of it. */
const IDLE_S = 30;
/** The time that a peer has to read the last messages and to answer the close. */
const FAREWELL_MS = 5_000;

export interface SocketClose {
  readonly code: number;
  readonly reason: string;
}

export interface SocketOptions {
  /** Aborted when the caller's rights end: closes 1008. */
  readonly revoked?: AbortSignal;
  /** Aborted when the service stops: closes 1001. */
  readonly stopping?: AbortSignal;
  /** Told of whatever a handler throws that is not meant for the caller. */
  readonly onFailure?: (error: unknown) => void;
  /** Told once when the connection is really gone, which for a peer that reads nothing may be much later. */
  readonly onGone?: () => void;
}

/** One peer of a socket route. */
export class Socket implements AsyncIterable<Message> {
  /** Aborted as soon as the socket is over, for whatever reason. */
  readonly signal: AbortSignal;
  /** The end of the socket. Resolves for every socket, and never later than five seconds after the end. */
  readonly closed: Promise<SocketClose>;
  readonly #wire: WebSocket;
  readonly #queue: SendQueue;
  readonly #over = new AbortController();
  readonly #closed = Promise.withResolvers<SocketClose>();
  #ending: SocketClose | undefined;
  #input: Message[] = [];
  #inputBytes = 0;
  #wake: (() => void) | undefined;

  constructor(wire: WebSocket) {
    this.#wire = wire;
    this.#queue = new SendQueue(wire);
    this.signal = this.#over.signal;
    this.closed = this.#closed.promise;
  }

  /** The bytes that are accepted and not sent yet. */
  get queuedBytes(): number {
    return this.#queue.bytes;
  }

  /**
   * Queues one message; bytes belong to the socket from here on. False when the socket is over, which it is
   * too when this message would make more than 1 MiB wait: the peer gets `{"type":"gap"}` and close 1013.
   */
  send(message: Message): boolean {
    if (this.#ending !== undefined) return false;
    if (this.#queue.offer(message)) return true;
    const missed = this.#queue.clear() + 1;
    try {
      this.#wire.send(JSON.stringify({ type: "gap", missed }));
    } catch { // it closed under our hands
    }
    this.#finish(CLOSE.tooSlow, "Too slow to read");
    return false;
  }

  /** Resolves when at most `belowBytes` wait, or the socket is over: what a producer that can wait awaits. */
  drained(belowBytes = 256 * 1024): Promise<void> {
    return this.#ending === undefined ? this.#queue.drained(belowBytes) : Promise.resolve();
  }

  /** Ends the socket once what was sent is through, or after five seconds. */
  close(code: number = CLOSE.asked, reason = ""): void {
    if (this.#ending !== undefined) return;
    if (this.#queue.bytes === 0) return this.#finish(code, reason);
    this.#end(code, reason);
    const late = setTimeout(() => this.#queue.clear(), FAREWELL_MS);
    this.#queue.drained().then(() => {
      clearTimeout(late);
      this.#hangUp(code, reason);
    });
  }

  /** Ends it now, dropping what waits. */
  abort(code: number, reason: string): void {
    if (this.#ending === undefined) this.#finish(code, reason);
  }

  /** Ends it now, because the caller may not see any more what it shows. */
  revoke(): void {
    this.abort(CLOSE.notAllowed, "Not allowed any more");
  }

  /** Yields the peer's messages, in order, until the socket ends. For one reader. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Message, void> {
    while (true) {
      const batch = this.#input;
      if (batch.length > 0) {
        this.#input = [];
        for (const message of batch) {
          this.#inputBytes -= sizeOf(message);
          yield message;
        }
      } else if (this.#ending !== undefined) {
        return;
      } else {
        await new Promise<void>((resolve) => this.#wake = resolve);
      }
    }
  }

  /** From the wire. */
  receive(data: unknown): void {
    if (this.#ending !== undefined) return;
    const message = typeof data === "string" ? data : new Uint8Array(data as ArrayBuffer); // binaryType is set
    const size = sizeOf(message);
    if (size - MESSAGE_COST_BYTES > MESSAGE_LIMIT_BYTES) {
      return this.abort(CLOSE.tooBig, "A message may have 64 KiB");
    }
    this.#inputBytes += size;
    if (this.#inputBytes > INPUT_LIMIT_BYTES) {
      return this.abort(CLOSE.tooBig, "Too much input that nobody has read");
    }
    this.#input.push(message);
    this.#wakeReader();
  }

  /** From the wire: the connection is gone. The runtime may say so twice. */
  gone(code: number, reason: string): void {
    this.#end(code, reason);
    this.#queue.clear();
    this.#closed.resolve(this.#ending!); // set by #end()
  }

  #finish(code: number, reason: string): void {
    this.#end(code, reason);
    this.#queue.clear();
    this.#hangUp(code, reason);
  }

  #end(code: number, reason: string): void {
    if (this.#ending !== undefined) return;
    this.#ending = { code, reason };
    this.#over.abort();
    this.#wakeReader();
  }

  #hangUp(code: number, reason: string): void {
    const late = setTimeout(() => this.#closed.resolve({ code, reason }), FAREWELL_MS);
    this.#closed.promise.then(() => clearTimeout(late));
    try {
      this.#wire.close(code, reason);
    } catch {
      this.#closed.resolve({ code, reason });
    }
  }

  #wakeReader(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

function sizeOf(message: Message): number {
  if (typeof message !== "string") return message.byteLength + MESSAGE_COST_BYTES;
  if (message.length * 3 <= MESSAGE_LIMIT_BYTES) return message.length + MESSAGE_COST_BYTES;
  return new TextEncoder().encode(message).byteLength + MESSAGE_COST_BYTES;
}

/**
 * Answers an admitted upgrade and runs `handler` with its socket. When the handler returns the socket closes
 * 1000; what it throws becomes `{"type":"error","code","title"}` and a closing code that fits.
 * The caller has checked Host, Origin, credential and permission: after the 101 it is too late.
 */
export function openSocket(
  request: Request,
  handler: (socket: Socket) => void | Promise<void>,
  options: SocketOptions = {},
): Response {
  // The offer may hold a credential, so only our own name is ever answered, and only where it was offered
  const offered = (request.headers.get("sec-websocket-protocol") ?? "").split(",").map((one) => one.trim());
  const { socket: wire, response } = offered.includes(PROTOCOL)
    ? Deno.upgradeWebSocket(offering(request, PROTOCOL), { idleTimeout: IDLE_S, protocol: PROTOCOL })
    : Deno.upgradeWebSocket(request, { idleTimeout: IDLE_S });
  wire.binaryType = "arraybuffer";
  const socket = new Socket(wire);
  const contain = (act: () => void) => {
    try {
      act();
    } catch (error) { // anything that leaves an event handler ends the process
      options.onFailure?.(error);
      socket.abort(CLOSE.failed, "Failed");
    }
  };
  const { revoked, stopping } = options;
  const onRevoked = () => socket.revoke();
  const onStopping = () => socket.abort(CLOSE.stopping, "Shutting down");
  let gone = false;
  const onGone = (code: number, reason: string) =>
    contain(() => {
      socket.gone(code, reason);
      revoked?.removeEventListener("abort", onRevoked);
      stopping?.removeEventListener("abort", onStopping);
      if (!gone) options.onGone?.();
      gone = true;
    });

  wire.onopen = () =>
    contain(() => {
      revoked?.addEventListener("abort", onRevoked);
      stopping?.addEventListener("abort", onStopping);
      if (revoked?.aborted) return onRevoked();
      if (stopping?.aborted) return onStopping();
      run(socket, handler, options.onFailure);
    });
  wire.onmessage = ({ data }) => contain(() => socket.receive(data));
  wire.onerror = () => onGone(1006, "");
  wire.onclose = ({ code, reason }) => onGone(code, reason);
  return response;
}

async function run(
  socket: Socket,
  handler: (socket: Socket) => void | Promise<void>,
  onFailure: SocketOptions["onFailure"],
): Promise<void> {
  try {
    await handler(socket);
    socket.close();
  } catch (thrown) {
    const error = asServiceError(thrown);
    if (error.code === "internal" && !socket.signal.aborted) onFailure?.(thrown);
    failSocket(socket, error);
  }
}

/** Tells the peer why, in a frame and in the closing code. */
export function failSocket(socket: Socket, error: ServiceError): void {
  socket.send(JSON.stringify({ type: "error", code: error.code, title: error.discreet }));
  socket.close(closeCodeOf(error), error.code);
}

/** The closing code for a failure, as its status would have been. */
function closeCodeOf(error: ServiceError): number {
  if (error.code === "stopping") return CLOSE.stopping;
  const status = statusOf(error);
  if (status === 401 || status === 403) return CLOSE.notAllowed;
  if (status === 404) return CLOSE.notFound;
  if (status === 409) return CLOSE.conflict;
  if (status === 400) return CLOSE.invalid;
  if (status === 429) return CLOSE.tooSlow;
  return CLOSE.failed;
}

/**
 * The request as if this were all it offered: Deno 2.9 looks for a protocol only between comma and space, and
 * clients that leave the space out, as the npm package `ws` does, would be answered 500.
 */
function offering(request: Request, protocol: string): Request {
  const headers = new Headers(request.headers);
  headers.set("sec-websocket-protocol", protocol);
  return Object.create(request, { headers: { value: headers } });
}
