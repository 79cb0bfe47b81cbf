/** The messages of the WebSockets: the one part of the API that its document cannot describe. */

/** What a socket sends and receives, as TypeScript. */
export interface SocketMessages {
  readonly send: string;
  readonly receive: string;
  /** The types that both name. */
  readonly declarations: string;
}

const FAILURE = `{ readonly type: "error"; readonly code: string; readonly title: string }`;

/** By path. */
export const SOCKETS: Readonly<Record<string, SocketMessages>> = {
  "/api/containers/{id}/exec": {
    send: "ExecRequest",
    receive: "ExecMessage",
    declarations: `/** What an exec takes as text; its standard input goes as bytes. */
export type ExecRequest =
  | { readonly type: "resize"; readonly cols: number; readonly rows: number }
  | { readonly type: "eof" };

/** What an exec says as text; its output comes as bytes. */
export type ExecMessage =
  | { readonly type: "ready"; readonly execId: string; readonly container: string }
  | { readonly type: "exit"; readonly code: number | null }
  | ${FAILURE};`,
  },
  "/api/containers/{id}/stats": {
    send: "never",
    receive: "StatsMessage",
    declarations: `/** What a container uses, about once a second. */
export type StatsMessage = StatsSample | ${FAILURE};

/** One measurement. */
export type StatsSample = {
  readonly time: string;
  /** 100 is one processor; null for the first, which has nothing to compare with. */
  readonly cpuPercent: number | null;
  readonly memoryBytes: number;
  readonly memoryLimitBytes: number;
  readonly rxBytes: number;
  readonly txBytes: number;
  readonly readBytes: number;
  readonly writeBytes: number;
  readonly pids: number;
};`,
  },
  "/api/terminal/compose-logs": {
    send: "never",
    receive: "TerminalMessage",
    declarations: `/** What the terminal tells: an event, a log line, or what could not be kept up with. */
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
  | ${FAILURE};`,
  },
};
