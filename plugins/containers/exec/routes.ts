/** `/api/containers/{id}/exec`: runs a command or a shell in a container, over a WebSocket. */
import * as z from "../../../core/schema.ts";
import type { Reach } from "../../../core/access.ts";
import { count, flag, many, text } from "../../../http/declare/query.ts";
import {
  json,
  particularsOf,
  reply,
  route,
  type Router,
  router,
  socketRoute,
} from "../../../http/declare/router.ts";
import { openSocket, type Socket, SocketFailure } from "../../../http/socket/socket.ts";
import { asServiceError } from "../../../http/declare/problem.ts";
import { maskArguments, maskEnvironment } from "../../../core/secrets.ts";
import { Latch } from "../../../core/signal.ts";
import type { Message } from "../../../http/socket/queue.ts";
import { ExecSession, type ExecWish } from "./exec_session.ts";
import type { FindLive } from "../backends/live_container.ts";
import type { WhileSeen } from "../backends/while_seen.ts";
import { Orphans, type OrphansOptions } from "./orphans.ts";
import type { StreamLimit } from "../backends/stream_limit.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { problems } from "../backends/problems.ts";

/** Output queued for a slow terminal before the process is held back. */
const OUTPUT_BYTES = 512 * 1024;
/** Input queued for a process that does not read. */
const INPUT_BYTES = 1024 * 1024;
/** The longest side of a terminal. */
const MOST_CHARACTERS = 1_000;
/** Docker says so, too, of a command that runs on when its connection was lost. */
const CUT_OFF = 126;
/** The best shell of the container; `exec`, so that the hang-up signal reaches it. */
const SHELL = [
  "sh",
  "-c",
  "for s in bash zsh ash; do command -v $s >/dev/null 2>&1 && exec $s; done; exec sh",
];

/** Of a terminal, in characters. */
const Side = z.int().min(1).max(MOST_CHARACTERS);
const Control = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("resize").describe("The terminal has another size"),
    cols: Side.describe("The terminal's width in characters"),
    rows: Side.describe("The terminal's height in lines"),
  }),
  z.strictObject({ type: z.literal("eof").describe("The input has ended") }),
  z.strictObject({
    type: z.literal("pause").describe(
      "Output waits, and with it the command, until `resume`: who draws it is behind",
    ),
  }),
  z.strictObject({ type: z.literal("resume").describe("Output continues") }),
]).meta({ id: "ExecRequest", description: "Text messages to an exec; its standard input is sent as bytes" });

const Said = z.union([
  z.object({
    type: z.literal("ready").describe("The command runs"),
    execId: z.string().describe("The command's id"),
    container: z.string().describe("The container's id"),
  }),
  z.object({
    type: z.literal("exit").describe("The command has ended"),
    code: z.int().nullable().describe("Its exit code; null where the engine does not know it"),
  }),
  SocketFailure,
]).meta({ id: "ExecMessage", description: "Text messages from an exec; its output comes as bytes" });

const Query = z.object({
  cmd: many(text(8_192), 256).optional().describe(
    "The program and its arguments; a single one is split at its blanks. Without it the container's best shell",
  ),
  user: text(256).optional().describe("The user, or user:group, to run as"),
  workdir: text(4_096).optional().describe("The folder to run in"),
  env: many(text(8_192), 256).optional().describe("Further variables, each NAME=value"),
  tty: flag.default(true).describe("True if it runs on a terminal"),
  cols: count(1, MOST_CHARACTERS).default(80).describe("The terminal's width in characters"),
  rows: count(1, MOST_CHARACTERS).default(24).describe("The terminal's height in lines"),
  backend: text(128).optional().describe("The name of one engine"),
});

const exec = socketRoute({
  path: "/containers/{id}/exec",
  summary: "Run a shell or a command",
  description:
    "Binary frames are input and output. Text frames are JSON: `resize` (`cols`, `rows`), `eof`, `pause` and " +
    "`resume` up, `ready`, `exit` and `error` down. Without `cmd` the best shell of the container is run; one `cmd` " +
    "is split at its blanks, several are program and arguments.",
  permission: "containers:exec",
  subject: "found",
  proof: true,
  audited: "act",
  params: z.object({ id: z.string().describe("The container's id, the beginning of one, or its name") }),
  query: Query,
  send: Control,
  receive: Said,
  bytes: true,
  particulars: ({ query: { cmd, user, workdir, env, backend } }) =>
    particularsOf({
      command: maskArguments(commandOf(cmd)).join(" "),
      user,
      workdir,
      env: env && maskEnvironment(env).join(" "),
      backend,
    }),
});

const orphaned = route({
  method: "get",
  path: "/containers/{id}/orphans",
  summary: "List commands that outlived their terminal",
  description:
    "The engine keeps a command running when its terminal goes away without a word, for example when " +
    "berth is killed. berth lists such commands with their ids.",
  permission: "containers:exec",
  subject: "found",
  params: z.object({ id: z.string().describe("The container's id, the beginning of one, or its name") }),
  query: z.object({ backend: text(128).optional().describe("The name of one engine") }),
  answers: {
    200: json(
      z.object({
        items: z.array(
          z.object({
            execId: z.string().describe("The command's id"),
            container: z.string().describe("The container's id"),
            backend: z.string().describe("The engine it is on, by name"),
            since: z.string().describe("When its terminal was closed"),
          })
            .meta({ id: "Orphan" }),
        ).describe("The commands"),
        total: z.int().describe("Number of all items"),
      }),
      "Only those that still run",
    ),
    ...problems(
      "container_not_found",
      "ambiguous_id",
      "node_not_connected",
      "backend_not_found",
      "runtime_unavailable",
      "no_engine",
    ),
  },
});

export const ROUTES = [exec, orphaned];

interface ExecRoutes {
  readonly find: FindLive;
  readonly whileSeen: WhileSeen;
  readonly streamLimit: StreamLimit;
  readonly onFailure: (error: unknown) => void;
  readonly commands: OrphansOptions;
}

/** The routes and the commands that run through them; disposing waits until each has ended. */
export class Execs implements AsyncDisposable {
  readonly routes: Router;
  readonly #parts: ExecRoutes;
  readonly #orphans: Orphans;
  readonly #running = new Set<Promise<void>>();

  constructor(parts: ExecRoutes) {
    this.#parts = parts;
    this.#orphans = new Orphans(parts.commands);
    this.routes = router()
      .socket(exec, (call) => {
        const { request, params, query, principal, reach, revoked, stopping } = call;
        const viewer = parts.streamLimit.enter(principal, "exec");
        const wish: ExecWish = {
          command: commandOf(query.cmd),
          user: query.user,
          workdir: query.workdir,
          env: query.env ?? [],
          terminal: query.tty,
          columns: query.cols,
          rows: query.rows,
        };
        const over = call.goesOn();
        let isOpen = false;
        const run = async (socket: Socket) => {
          isOpen = true;
          try {
            const exit = await this.#run(socket, reach, params.id, query.backend, wish);
            over({ particulars: particularsOf({ exit }) });
          } catch (thrown) {
            over({ code: asServiceError(thrown).code });
            throw thrown;
          }
        };
        return openSocket(request, run, {
          revoked,
          stopping,
          onFailure: parts.onFailure,
          onGone: () => {
            viewer[Symbol.dispose]();
            if (!isOpen) over({ code: "left" });
          },
        });
      })
      .on(orphaned, async ({ params, query, reach }) => {
        const container = await parts.find(
          reach,
          params.id,
          query.backend,
          `list commands of container "${params.id}"`,
        );
        const items = await this.#orphans.of(container.id);
        return reply(200, { items, total: items.length });
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running);
    await this.#orphans[Symbol.asyncDispose]();
  }

  /** The command's exit status; null where its caller left before. */
  async #run(
    socket: Socket,
    reach: Reach,
    id: string,
    backend: string | undefined,
    wish: ExecWish,
  ): Promise<number | null> {
    const container = await this.#parts.find(reach, id, backend, `run a command in container "${id}"`);
    if (!container.running) {
      throw engineError(
        "conflict",
        `Cannot run a command: container "${container.name}" is not running; start it first`,
      );
    }
    using _seen = this.#parts.whileSeen(reach, container, () => socket.revoke());
    const over = new Latch();
    this.#running.add(over.opened);
    let mark: string | undefined;
    try {
      await using session = await ExecSession.start(container, wish, async (command) => {
        await this.#orphans.begin(command);
        mark = command.mark;
      });
      const exit = await this.#connect(socket, session);
      mark = undefined; // it is known how it ended
      return exit;
    } finally {
      if (mark !== undefined) await this.#orphans.left(mark, false);
      over.open();
      this.#running.delete(over.opened);
    }
  }

  async #connect(socket: Socket, session: ExecSession): Promise<number | null> {
    socket.send(JSON.stringify({ type: "ready", execId: session.id, container: session.container.id }));
    const tap = new Latch("open"); // closed while the caller has paused the output
    const input = takeInput(socket, session, tap);
    const output = session.read(async (bytes) => {
      if (!socket.send(bytes)) return;
      await socket.drained(OUTPUT_BYTES);
      await tap.opened;
    });
    const left = Promise.withResolvers<typeof LEFT>();
    const onLeft = () => {
      tap.open();
      left.resolve(LEFT);
    };
    socket.signal.addEventListener("abort", onLeft);
    if (socket.signal.aborted) onLeft();
    try {
      const first = await Promise.race([output, input, left.promise]);
      if (first !== LEFT) await Promise.race([output, left.promise]);
    } finally {
      socket.signal.removeEventListener("abort", onLeft);
    }
    if (socket.signal.aborted) {
      output.catch(() => {}); // it ends with the connection
      if (await session.hangUp()) await this.#orphans.left(session.mark, false); // it is hung up once more
      else await this.#orphans.ended(session.mark);
      return null;
    }
    const { code } = await session.exit();
    if (code === null || code === CUT_OFF) await this.#orphans.left(session.mark, false);
    else await this.#orphans.ended(session.mark);
    socket.send(JSON.stringify({ type: "exit", code }));
    return code;
  }
}

/** The result of the race when the socket closes first. */
const LEFT = Symbol("left");

async function takeInput(socket: Socket, session: ExecSession, tap: Latch): Promise<void> {
  for await (const message of socket) {
    if (typeof message !== "string") {
      const taken = session.write(message);
      // Waits only when much input is queued, so that a resize still gets through
      if (session.pendingBytes > INPUT_BYTES) await taken;
      continue;
    }
    const control = readControl(message);
    if (control.type === "resize") session.resize(control.cols, control.rows);
    else if (control.type === "pause") tap.close();
    else if (control.type === "resume") tap.open();
    else session.endInput();
  }
}

function readControl(message: Message & string): z.output<typeof Control> {
  try {
    return Control.parse(JSON.parse(message));
  } catch (cause) {
    throw engineError(
      "invalid_request",
      `Cannot understand a message: expected "eof", "pause", "resume", or "resize" with "cols" and "rows" from 1 to ${MOST_CHARACTERS}`,
      { cause },
    );
  }
}

/** Splits one text at its blanks, except in quotes; takes several texts as they are. No shell is involved. */
export function commandOf(cmd: readonly string[] | undefined): readonly string[] {
  if (cmd === undefined || cmd.length === 0) return SHELL;
  const [only = ""] = cmd;
  const words = cmd.length > 1
    ? cmd
    : [...only.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
  if (words.length === 0 || words[0] === "") {
    throw engineError("invalid_request", "Cannot run a command: it is empty", {
      errors: [{ path: "query.cmd", message: "Expected a program" }],
    });
  }
  return words;
}
