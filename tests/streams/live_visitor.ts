/** Somebody at `/api/live` who keeps what they are told. */
import { bounded } from "../support/bounded.ts";
import { eventually } from "../support/eventually.ts";
import { Visitor } from "../support/stream_service.ts";

// deno-lint-ignore no-explicit-any -- a test looks into whatever was said
type Message = any;

/** A list as its messages make it. */
export interface KnownList {
  readonly rows: Map<string, Message>;
  cursor: string | null;
  /** The number of times that it was told whole. */
  resets: number;
  beside: Message;
}

export class LiveVisitor implements AsyncDisposable {
  readonly visitor: Visitor;
  readonly messages: Message[] = [];
  readonly lists = new Map<string, KnownList>();

  constructor(berth: { readonly url: string }, credential: string | null, query = "") {
    const protocols = credential === null ? [] : [`berth.bearer.${credential}`];
    this.visitor = new Visitor(
      `${berth.url}/api/live${query}`,
      (data) => this.#take(JSON.parse(String(data))),
      protocols,
    );
  }

  async subscribe(id: string, feed: string, asked: Record<string, unknown> = {}): Promise<void> {
    await bounded("the opening of a socket", this.visitor.opened);
    this.lists.delete(id);
    this.visitor.wire.send(JSON.stringify({ type: "subscribe", id, feed, ...asked }));
  }

  unsubscribe(id: string): void {
    this.visitor.wire.send(JSON.stringify({ type: "unsubscribe", id }));
  }

  of(id: string): Message[] {
    return this.messages.filter((one) => one.id === id);
  }

  /** The list, once all of it was told. */
  async list(id: string): Promise<KnownList> {
    return await eventually(`the list "${id}" is told`, () => {
      const list = this.lists.get(id);
      return list !== undefined && list.cursor !== null ? list : null;
    });
  }

  async ended(id: string): Promise<Message> {
    return await eventually(
      `"${id}" has ended`,
      () => this.of(id).find(({ type }) => type === "ended") ?? null,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.visitor.wire.close();
    await bounded("the end of a socket", this.visitor.closed);
  }

  #take(message: Message): void {
    this.messages.push(message);
    if (message.type !== "rows") return;
    let list = this.lists.get(message.id);
    if (list === undefined || message.reset === true) {
      this.lists.set(
        message.id,
        list = { rows: new Map(), cursor: null, resets: list?.resets ?? 0, beside: {} },
      );
    }
    if (message.reset === true) list.resets++;
    for (const [key, row] of Object.entries(message.put)) list.rows.set(key, row);
    for (const key of message.removed) list.rows.delete(key);
    const { type: _t, id: _i, feed: _f, reset: _r, put: _p, removed: _m, cursor, ...beside } = message;
    list.cursor = cursor ?? list.cursor;
    Object.assign(list.beside, beside);
  }
}
