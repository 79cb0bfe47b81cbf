/** The API's group `terminal`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { SocketFailure } from "./models.ts";

/** WS: Watch container events and logs. */
export const TERMINAL_COMPOSE_LOGS: Endpoint<"/api/terminal/compose-logs", {
  socket: {
    send: never;
    receive: TerminalMessage;
    query: {
      /** Only containers of this Compose project. */
      project?: string;
      /** Only containers of this workspace, by its id. */
      workspace?: string;
      /** Only these, by id or name; may be given several times. */
      container?: string | readonly (string)[];
      /** What happened to things of these kinds; all but containers need the permission to read them. */
      kind?:
        | "container"
        | "image"
        | "volume"
        | "network"
        | readonly ("container" | "image" | "volume" | "network")[];
      /** Only these actions, as `start` or `die`. */
      action?: string | readonly (string)[];
      /** With the execs of health checks. */
      healthChecks?: boolean;
      /** The name of one engine. */
      backend?: string;
      /** Whether events are told. */
      events?: boolean;
      /** Whether log lines are told. */
      logs?: boolean;
      /** How many earlier lines of each log come first. */
      tail?: number;
      /** The seq of the last message seen: goes on behind it. */
      since?: number;
    };
  };
}> = new Endpoint("/api/terminal/compose-logs");

/** An event, a log line, or what could not be kept up with. */
export type TerminalMessage = {
  /** The socket is open. */
  readonly type: "hello";
  /** The number of the last event so far. */
  readonly seq: number;
} | {
  /** Something happened. */
  readonly type: "event";
  /** Its number, for `since`. */
  readonly seq: number;
  /** When. */
  readonly time: string;
  /** What it happened to. */
  readonly kind: "container" | "image" | "volume" | "network";
  /** What happened, as `start` or `die`. */
  readonly action: string;
  /** Of an event of a container. */
  readonly container?: {
    /** Its id. */
    readonly id: string;
    /** Its name. */
    readonly name: string;
  };
  /** Of any other event. */
  readonly subject?: {
    /** Its id. */
    readonly id: string;
    /** Its name. */
    readonly name: string;
  };
  /** The engine's name. */
  readonly backend: string;
  /** What the engine tells besides. */
  readonly attributes: { readonly [key: string]: string };
  /** How many of the same kind this one stands for, where a container loops. */
  readonly repeated?: number;
} | {
  /** An engine went away or came back. */
  readonly type: "backend";
  /** The engine's name. */
  readonly backend: string;
  /** Whether it answers now. */
  readonly state: string;
} | {
  /** Events may have been missed: read the lists again. */
  readonly type: "resync";
  /** The engine's name; all of them without. */
  readonly backend?: string;
} | {
  /** A line was written. */
  readonly type: "log";
  /** When. */
  readonly time: string;
  /** Which output. */
  readonly stream: "stdout" | "stderr";
  /** Who wrote it. */
  readonly container: {
    /** Its id. */
    readonly id: string;
    /** Its name. */
    readonly name: string;
  };
  /** The engine's name. */
  readonly backend: string;
  /** What was written. */
  readonly line: string;
} | {
  /** Something is missing here. */
  readonly type: "gap";
  /** How many messages, if it is known. */
  readonly missed: number | null;
  /** Whose log it is missing from. */
  readonly container?: {
    /** Its id. */
    readonly id: string;
    /** Its name. */
    readonly name: string;
  };
  /** Where in the log. */
  readonly gap?: {
    /** The time of the last line before. */
    readonly after: string;
    /** The time of the first line after. */
    readonly before: string | null;
  };
} | {
  /** Some logs are not told. */
  readonly type: "leftOut";
  /** How many containers are in sight whose logs you may not read. */
  readonly containers: number;
} | SocketFailure;
