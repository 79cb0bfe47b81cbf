/** Messages about engines: an event, an engine that went away or came back, and missed events. */
import * as z from "../../../core/schema.ts";

export const EventKind = z.enum(["container", "image", "volume", "network"]).meta({ id: "EventKind" });
export type EventKind = z.infer<typeof EventKind>;

export const Thing = z.object({ id: z.string().describe("Its id"), name: z.string().describe("Its name") })
  .meta({
    id: "EventSubject",
  });

export const HAPPENINGS = [
  z.object({
    type: z.literal("event").describe("Something happened"),
    seq: z.int().describe("Its number, for `since`"),
    time: z.string().describe("When"),
    kind: EventKind.describe("The object of the event"),
    action: z.string().describe("The event, as `start` or `die`"),
    container: Thing.optional().describe("Of an event of a container"),
    subject: Thing.optional().describe("Of any other event"),
    backend: z.string().describe("The engine's name"),
    attributes: z.record(z.string(), z.string()).describe("Further attributes from the engine"),
    repeated: z.int().optional().describe(
      "Number of events of the same kind that this one stands for, if a container loops",
    ),
  }).meta({ id: "EngineHappening" }),
  z.object({
    type: z.literal("backend").describe("An engine went away or came back"),
    backend: z.string().describe("The engine's name"),
    state: z.string().describe("The state of its connection now"),
  }).meta({ id: "EngineStateChange" }),
  z.object({
    type: z.literal("resync").describe("Events may have been missed: read the lists again"),
    backend: z.string().optional().describe("The engine's name; all of them without"),
  }).meta({ id: "EventsResync" }),
] as const;
