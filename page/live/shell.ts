/** One command on a terminal in a container: what goes in, what comes out, and how it ended. */
import { signal } from "@preact/signals";
import { CONTAINER_EXEC, type ExecMessage, type ExecRequest } from "../../client/berth/containers.ts";
import { connect, type Connection } from "../../client/connect.ts";
import { problemOf } from "./problem.ts";
import { proved } from "./proof.ts";
import { client } from "./session.ts";

/** The element that shows it. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Resolves when it has been drawn. */
  write(bytes: Uint8Array): Promise<void>;
}

export interface ShellWish {
  readonly backend: string;
  readonly id: string;
  /** Empty for the container's best shell. */
  readonly command: string;
  /** Empty for the container's own. */
  readonly user: string;
}

export type Ending =
  | { readonly kind: "exit"; readonly code: number | null }
  | { readonly kind: "refused"; readonly title: string }
  /** The socket is gone, and berth hangs the command up. */
  | { readonly kind: "lost" | "stopping" | "notAllowed" }
  /** The user closed the question. */
  | { readonly kind: "cancelled" };

/** Output that is not drawn yet: beyond the first it is asked to wait, below the second it goes on. */
const BEHIND = 1024 * 1024;
const CAUGHT_UP = 256 * 1024;
/** The API takes no longer message. */
const INPUT_BYTES = 32 * 1024;
const CLOSED: Readonly<Record<number, "stopping" | "notAllowed">> = { 1001: "stopping", 1008: "notAllowed" };

export class Shell {
  readonly state = signal<"opening" | "open" | "ended">("opening");
  readonly ending = signal<Ending | null>(null);
  readonly #leaving = new AbortController();
  #socket: Connection<ExecRequest, ExecMessage> | null = null;

  /** Runs it until it ends; never rejects. */
  async run(wish: ShellWish, screen: Screen): Promise<void> {
    this.ending.value = await this.#run(wish, screen).catch((error): Ending => {
      const problem = problemOf(error);
      if (problem === null) return { kind: "cancelled" };
      return this.state.value === "open" || problem.status === 0
        ? { kind: "lost" }
        : { kind: "refused", title: problem.title };
    });
    this.state.value = "ended";
  }

  async #run({ backend, id, command, user }: ShellWish, screen: Screen): Promise<Ending> {
    const { signal } = this.#leaving;
    const query = {
      backend,
      cols: screen.columns,
      rows: screen.rows,
      ...(command === "" ? {} : { cmd: command }),
      ...(user === "" ? {} : { user }),
    };
    const socket = await proved(() => connect(client, CONTAINER_EXEC, { params: { id }, query, signal }));
    this.#socket = socket;
    let behind = 0;
    let isPaused = false;
    for await (const message of socket) {
      if (!(message instanceof Uint8Array)) {
        if (message.type === "ready") {
          this.state.value = "open";
          this.resize(screen.columns, screen.rows); // it may be another since the socket was asked for
        } else if (message.type === "exit") return { kind: "exit", code: message.code };
        else return { kind: "refused", title: message.title };
        continue;
      }
      behind += message.byteLength;
      if (behind > BEHIND && !isPaused) {
        isPaused = true;
        socket.send({ type: "pause" });
      }
      void screen.write(message).then(() => {
        behind -= message.byteLength;
        if (behind >= CAUGHT_UP || !isPaused) return;
        isPaused = false;
        this.#send({ type: "resume" });
      });
    }
    const { code } = await socket.closed;
    return { kind: CLOSED[code] ?? "lost" };
  }

  type(bytes: Uint8Array<ArrayBuffer>): void {
    for (let at = 0; at < bytes.byteLength; at += INPUT_BYTES) {
      this.#send(bytes.subarray(at, at + INPUT_BYTES));
    }
  }

  resize(columns: number, rows: number): void {
    this.#send({ type: "resize", cols: columns, rows });
  }

  /** Hangs up: berth ends the command. */
  end(): void {
    this.#leaving.abort();
  }

  #send(message: ExecRequest | Uint8Array<ArrayBuffer>): void {
    if (this.state.value !== "open") return;
    try {
      this.#socket?.send(message);
    } catch {
      // it is closing; the reader of the socket tells how it ended
    }
  }
}
