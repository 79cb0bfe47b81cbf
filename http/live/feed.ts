/** The contract of `/api/live`: a feed is declared as a route is, and runs once for each subscription to it. */
import type * as z from "../../core/schema.ts";
import type { Permission, Principal, Reach } from "../../core/access.ts";
import type { JsonMembers } from "../../core/json_text.ts";

/** Something that goes on, of which a caller may be told. */
export interface LiveFeed<Asked extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly summary: string;
  /** A caller without it is refused; everybody else receives what `reach` contains. */
  readonly permission: Permission;
  /** The options of a subscription, beside `feed` and `id`; strict. */
  readonly asked: Asked;
  /** Returns the messages by their `type`, each without what all have: `type`, `feed` and `id`. Asked by documents alone. */
  readonly told: () => Readonly<Record<string, z.ZodObject>>;
  /** Resolves when there is nothing more to tell. Throws what the caller is told as the end of the subscription. */
  run(subscription: Subscription<z.output<Asked>>): Promise<void>;
}

export interface Subscription<Asked = unknown> {
  readonly principal: Principal;
  /** The scope of the feed's permission in the hands of the caller. */
  readonly reach: Reach;
  readonly asked: Asked;
  /** Aborted when the subscription or its socket is over. */
  readonly signal: AbortSignal;
  /** Queues a message. */
  tell(type: string, members: JsonMembers): void;
  /** Resolves when at most this much waits to be read, or the subscription is over. */
  room(belowBytes?: number): Promise<void>;
}

/** Declares a feed. What it asks for is strict, as the query of a route is. */
export function feed<Asked extends z.ZodObject>(declared: LiveFeed<Asked>): LiveFeed {
  return { ...declared, asked: declared.asked.strict() } as unknown as LiveFeed; // what was typed here is erased in the list
}
