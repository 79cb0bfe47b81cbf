/** The API's group `terminal`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { LogGap, SocketFailure } from "./models.ts";

/** WS: Watch container events and logs. */
export const TERMINAL_COMPOSE_LOGS: Endpoint<"/api/terminal/compose-logs", {
  socket: {
    send: never;
    receive: TerminalMessage;
    query: {
      /** Only containers of this project, by its id; by Compose's name, of every project of that name. */
      project?: string;
      /** Only containers of this workspace, by its id. */
      workspace?: string;
      /** Only these, by id or name; may be given several times. */
      container?: string | readonly (string)[];
      /** Events of these kinds; all but containers need the permission to read them. */
      kind?: EventKind | readonly (EventKind)[];
      /** Only these actions, as `start` or `die`. */
      action?: string | readonly (string)[];
      /** With the execs of health checks. */
      healthChecks?: boolean;
      /** The name of one engine. */
      backend?: string;
      /** True to receive events. */
      events?: boolean;
      /** True to receive log lines. */
      logs?: boolean;
      /** Number of earlier lines of each log that come first. */
      tail?: number;
      /** The seq of the last message received: the stream resumes behind it. */
      since?: number;
    };
  };
}> = new Endpoint("/api/terminal/compose-logs");

/** A part of `LiveMessage`. */
export type EngineHappening = {
  /** Something happened. */
  readonly type: "event";
  /** Its number, for `since`. */
  readonly seq: number;
  /** When. */
  readonly time: string;
  /** The object of the event. */
  readonly kind: EventKind;
  /** The event, as `start` or `die`. */
  readonly action: string;
  /** Of an event of a container. */
  readonly container?: EventSubject;
  /** Of any other event. */
  readonly subject?: EventSubject;
  /** The engine's name. */
  readonly backend: string;
  /** Further attributes from the engine. */
  readonly attributes: { readonly [key: string]: string };
  /** Number of events of the same kind that this one stands for, if a container loops. */
  readonly repeated?: number;
};

/** A part of `LiveMessage`. */
export type EngineStateChange = {
  /** An engine went away or came back. */
  readonly type: "backend";
  /** The engine's name. */
  readonly backend: string;
  /** The state of its connection now. */
  readonly state: string;
};

/** A part of `LiveRequest`. */
export type EventKind = "container" | "image" | "volume" | "network";

/** A part of `EngineHappening`. */
export type EventSubject = {
  /** Its id. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
};

/** A part of `LiveMessage`. */
export type EventsResync = {
  /** Events may have been missed: read the lists again. */
  readonly type: "resync";
  /** The engine's name; all of them without. */
  readonly backend?: string;
};

/** An event, a log line, or what could not be kept up with. */
export type TerminalMessage =
  | {
    /** The socket is open. */
    readonly type: "hello";
    /** The number of the last event so far. */
    readonly seq: number;
  }
  | EngineHappening
  | EngineStateChange
  | EventsResync
  | {
    /** A line was written. */
    readonly type: "log";
    /** When. */
    readonly time: string;
    /** Which output. */
    readonly stream: "stdout" | "stderr";
    /** The container that wrote it. */
    readonly container: EventSubject;
    /** The engine's name. */
    readonly backend: string;
    /** The text of the line. */
    readonly line: string;
    /** The line was longer than 256 KiB, or than 384 KiB as JSON. */
    readonly cut?: true;
  }
  | {
    /** Something is missing here. */
    readonly type: "gap";
    /** Number of messages, if known. */
    readonly missed: number | null;
    /** The container whose log has the gap; without `gap`, its log cannot be read, and is tried again where that may help. */
    readonly container?: EventSubject;
    /** Position in the log. */
    readonly gap?: LogGap;
  }
  | {
    /** Some logs are not told. */
    readonly type: "leftOut";
    /** Number of containers in scope whose logs you may not read, or that are too many. */
    readonly containers: number;
  }
  | SocketFailure;
