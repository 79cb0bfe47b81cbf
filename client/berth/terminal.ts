/** The API's group `terminal`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";

/** WS: Watch container events and logs. */
export const TERMINAL_COMPOSE_LOGS: Endpoint<"/api/terminal/compose-logs", {
  socket: {
    send: never;
    receive: TerminalMessage;
    query: {
      project?: string;
      workspace?: string;
      /** Only these, by id or name; may be given several times. */
      container?: readonly (string)[] | string;
      /** What happened to things of these kinds; all but containers need the permission to read them. */
      kind?:
        | readonly ("container" | "image" | "volume" | "network")[]
        | "container"
        | "image"
        | "volume"
        | "network";
      /** Only these actions, as `start` or `die`. */
      action?: readonly (string)[] | string;
      /** With the execs of health checks. */
      healthChecks?: boolean;
      backend?: string;
      events?: boolean;
      logs?: boolean;
      tail?: number;
      since?: number;
    };
  };
}> = new Endpoint("/api/terminal/compose-logs");

/** What the terminal tells: an event, a log line, or what could not be kept up with. */
export type TerminalMessage =
  | { readonly type: "hello"; readonly seq: number }
  | {
    readonly type: "event";
    readonly seq: number;
    readonly time: string;
    readonly kind: "container" | "image" | "volume" | "network";
    readonly action: string;
    /** Of an event of a container. */
    readonly container?: { readonly id: string; readonly name: string };
    /** Of any other event. */
    readonly subject?: { readonly id: string; readonly name: string };
    readonly backend: string;
    readonly attributes: { readonly [key: string]: string };
    /** How many of the same kind this one stands for, where a container loops. */
    readonly repeated?: number;
  }
  | {
    readonly type: "log";
    readonly time: string;
    readonly stream: "stdout" | "stderr";
    readonly container: { readonly id: string; readonly name: string };
    readonly backend: string;
    readonly line: string;
  }
  | {
    readonly type: "gap";
    readonly missed: number | null;
    readonly container?: { readonly id: string; readonly name: string };
    readonly gap?: { readonly after: string; readonly before: string | null };
  }
  | { readonly type: "backend"; readonly backend: string; readonly state: string }
  | { readonly type: "resync"; readonly backend?: string }
  | { readonly type: "error"; readonly code: string; readonly title: string };
