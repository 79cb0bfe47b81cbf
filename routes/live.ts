/** `/api/live`: everything that goes on, over one socket, as far as its subscriptions ask for it. */
import * as z from "../core/schema.ts";
import { type Permission, type Principal, reachOf } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import { later } from "../core/later.ts";
import { checked } from "../http/declare/checked.ts";
import { packer } from "../http/declare/gzip.ts";
import type { LiveFeed } from "../http/live/feed.ts";
import { Room } from "../http/live/room.ts";
import { asServiceError, statusOf } from "../http/declare/problem.ts";
import { flag } from "../http/declare/query.ts";
import { type CoreRouter, router, socketRoute } from "../http/declare/router.ts";
import { openSocket, type Socket, SocketFailure } from "../http/socket/socket.ts";
import type { Message } from "../http/socket/queue.ts";
import { jsonMembers, jsonObject, jsonText } from "../core/json_text.ts";

/** Subscriptions of one socket. */
const MOST_SUBSCRIPTIONS = 32;
/** Sockets of one caller: each page that is open has one. */
const MOST_SOCKETS = 128;
/** A browser shows nobody the pings of a WebSocket: whoever hears nothing for twice as long is cut off. */
const BEAT_MS = 10_000;
const ROOM_BYTES = 256 * 1024;
/** A shorter message gains little. */
const PACKED_FROM_CHARACTERS = 2 * 1024;

const Id = z.string().min(1).max(64).describe("The caller's name for the subscription, on all its messages");
const Unsubscribe = z.strictObject({
  type: z.literal("unsubscribe").describe("Ends a subscription"),
  id: Id,
});
/** The fields of every subscription; its feed checks the others. */
const Subscribe = z.looseObject({
  type: z.literal("subscribe").describe("Begins a subscription, instead of one with the same id"),
  id: Id,
  feed: z.string().max(64).describe("The topic"),
});
const Request = z.discriminatedUnion("type", [Subscribe, Unsubscribe]);

const Beat = z.object({
  type: z.literal("beat").describe("The connection stands; comes every ten seconds"),
  time: z.iso.datetime().describe("The service's time"),
});
const Ended = z.object({
  type: z.literal("ended").describe("A subscription has ended; the socket stays open"),
  id: Id,
  code: z.string().describe("Code for programs; `done` if there is nothing more to send"),
  title: z.string().describe("Message for people"),
  status: z.int().describe(
    "The status that a request would have been answered with: from 500 on it is worth another try",
  ),
});

interface LiveOptions {
  readonly feeds: readonly LiveFeed[];
  readonly onFailure: (error: unknown) => void;
}

export function live({ feeds, onFailure }: LiveOptions): CoreRouter {
  const byName = new Map(feeds.map((one) => [one.name, one]));
  const sockets = new Map<string, number>();
  return router().socket(declared(feeds), (call) => {
    const { request, query, principal, revoked, stopping } = call;
    const leave = enter(sockets, principal);
    const open = async (socket: Socket) => {
      const refused = (feed: string, code: string) => call.refused(code, { feed });
      const pack = query.gzip ? await packer() : null;
      await new Subscriptions(socket, { principal, feeds: byName, refused, onFailure, pack }).run();
    };
    return openSocket(request, open, { revoked, stopping, onFailure, onGone: leave });
  });
}

/** Throws `too_many_streams`. */
function enter(sockets: Map<string, number>, { kind, id }: Principal): () => void {
  const key = `${kind}:${id}`;
  const open = sockets.get(key) ?? 0;
  if (open >= MOST_SOCKETS) {
    throw new ServiceError(
      "too_many_streams",
      "Cannot open another socket: too many are open, close one first",
    );
  }
  sockets.set(key, open + 1);
  return () => {
    const rest = (sockets.get(key) ?? 1) - 1;
    if (rest === 0) sockets.delete(key);
    else sockets.set(key, rest);
  };
}

function declared(feeds: readonly LiveFeed[]) {
  const requests = () =>
    feeds.map((feed) =>
      Subscribe.strict().extend({ feed: z.literal(feed.name).describe(feed.summary), ...feed.asked.shape })
    );
  const messages = () =>
    feeds.flatMap(({ name, told }) =>
      Object.entries(told()).map(([type, message]) =>
        z.object({
          type: z.literal(type).describe("Kind of message"),
          feed: z.literal(name).describe("The topic"),
          id: Id,
          ...message.shape,
        }).meta({ description: message.description ?? "" })
      )
    );
  return socketRoute({
    path: "/live",
    summary: "Follow everything over one socket",
    description:
      "JSON text frames. Up: `subscribe` (`id`, `feed` and what the feed takes) and `unsubscribe` (`id`). Down: `beat` every ten seconds, `ended` " +
      "(`id`, `code`, `title`, `status`) for a subscription that is refused or over, and the messages of the feeds, each with `feed` and `id`. " +
      "Every feed asks for a permission and tells what its scopes reach: " +
      feeds.map(({ name, permission }) => `\`${name}\` \`${permission}\``).join(", ") + ". " +
      `A socket has ${MOST_SUBSCRIPTIONS} subscriptions at most. Whoever is slow to read is told rows and measurements less often, and lines later; ` +
      "events that nobody reads end the socket with 1013. When the caller's rights change it ends with 1008.",
    permission: "any",
    query: z.object({
      gzip: flag.default(false).describe("Messages of more than 2 KiB come as binary frames of gzipped JSON"),
    }),
    send: later(() =>
      z.union([Unsubscribe, ...requests()]).meta({
        id: "LiveRequest",
        description: "Requests to `/api/live`",
      })
    ),
    receive: later(() =>
      z.union([Beat, Ended, ...messages(), SocketFailure]).meta({
        id: "LiveMessage",
        description: "Messages of `/api/live`",
      })
    ),
  });
}

interface Around {
  readonly principal: Principal;
  readonly feeds: ReadonlyMap<string, LiveFeed>;
  /** Told once for each feed that is refused. */
  readonly refused: (feed: string, code: string) => void;
  readonly onFailure: (error: unknown) => void;
  /** Compresses long messages; null for callers who did not ask for it. */
  readonly pack: ((text: string) => Uint8Array<ArrayBuffer>) | null;
}

/** The subscriptions of one socket. */
class Subscriptions {
  readonly #socket: Socket;
  readonly #around: Around;
  readonly #room: Room;
  readonly #open = new Map<string, AbortController>();
  readonly #running = new Set<Promise<void>>();
  readonly #refused = new Set<string>();

  constructor(socket: Socket, around: Around) {
    this.#socket = socket;
    this.#around = around;
    this.#room = new Room(socket);
  }

  async run(): Promise<void> {
    const beat = () => this.#say({ type: "beat", time: new Date().toISOString() });
    beat();
    const beating = setInterval(beat, BEAT_MS);
    try {
      for await (const message of this.#socket) this.#hear(message);
    } finally {
      clearInterval(beating);
      for (const ending of this.#open.values()) ending.abort();
      await Promise.all(this.#running);
    }
  }

  /** Throws `invalid_request`, which ends the socket, for what cannot be read. */
  #hear(message: Message): void {
    const request = checked(Request, parsed(message), "message") as z.output<typeof Request>;
    this.#open.get(request.id)?.abort();
    this.#open.delete(request.id);
    if (request.type === "unsubscribe") return;
    const ending = new AbortController();
    this.#open.set(request.id, ending);
    const running = this.#follow(request, ending.signal).finally(() => {
      this.#running.delete(running);
      if (this.#open.get(request.id) === ending) this.#open.delete(request.id);
      ending.abort();
    });
    this.#running.add(running);
  }

  async #follow({ id, feed: name, type: _, ...asked }: z.output<typeof Subscribe>, signal: AbortSignal) {
    let end = { code: "done", title: "There is nothing more to tell", status: 200 };
    try {
      const feed = this.#allowed(name);
      const { principal } = this.#around;
      const around = { feed: jsonText(name), id: jsonText(id) };
      await feed.run({
        principal,
        reach: reachOf<Permission>(principal, feed.permission),
        asked: checked(feed.asked, asked, "message") as Record<string, unknown>,
        signal,
        tell: (type, members) => {
          if (signal.aborted) return;
          this.#send(jsonObject(jsonMembers({ type: jsonText(type), ...around }), members));
        },
        room: (belowBytes = ROOM_BYTES) => this.#room.take(belowBytes, signal),
      });
    } catch (thrown) {
      const error = asServiceError(thrown);
      if (error.code === "internal" && !signal.aborted) this.#around.onFailure(thrown);
      const status = statusOf(error);
      if (status === 403 && !this.#refused.has(name)) {
        this.#refused.add(name);
        this.#around.refused(name, error.code);
      }
      end = { code: error.code, title: error.discreet, status };
    }
    if (!signal.aborted) this.#say({ type: "ended", id, ...end });
  }

  /** Throws `not_found`, `forbidden` or `too_many_streams`. */
  #allowed(name: string): LiveFeed {
    const { feeds, principal } = this.#around;
    if (this.#open.size > MOST_SUBSCRIPTIONS) {
      throw new ServiceError(
        "too_many_streams",
        `Cannot subscribe: a socket has ${MOST_SUBSCRIPTIONS} subscriptions at most, end one first`,
      );
    }
    const feed = feeds.get(name);
    if (feed === undefined) {
      throw new ServiceError(
        "not_found",
        `Cannot subscribe: there is no such feed; there are ${[...feeds.keys()].join(", ")}`,
      );
    }
    if (reachOf<Permission>(principal, feed.permission).nowhere) {
      throw new ServiceError(
        "forbidden",
        `Permission "${feed.permission}" required: use a key or role that has it`,
      );
    }
    return feed;
  }

  #say(message: Readonly<Record<string, unknown>>): void {
    this.#send(JSON.stringify(message));
  }

  #send(text: string): void {
    const { pack } = this.#around;
    this.#socket.send(pack !== null && text.length > PACKED_FROM_CHARACTERS ? pack(text) : text);
  }
}

function parsed(message: Message): unknown {
  if (typeof message === "string") {
    try {
      return JSON.parse(message);
    } catch {
      // told below
    }
  }
  throw new ServiceError("invalid_request", "Cannot read the message: expected JSON in a text frame");
}
