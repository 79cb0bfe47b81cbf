/** A command or a shell in a container, over a WebSocket. */
import { z } from "zod";
import { ServiceError } from "../../../core/error.ts";
import { count, flag, many, text } from "../../../http/query.ts";
import { json, problems, reply, route, type Router, router, socketRoute } from "../../../http/router.ts";
import { openSocket, type Socket } from "../../../http/socket.ts";
import type { Message } from "../../../http/socket_queue.ts";
import { ExecSession, type ExecWish } from "./exec_session.ts";
import type { FindLive } from "../backends/live_container.ts";
import { Orphans } from "./orphans.ts";
import type { StreamLimit } from "../backends/stream_limit.ts";

/** Output that may wait for a slow terminal before the process has to wait too. */
const OUTPUT_BYTES = 512 * 1024;
/** Input that may wait for a process that does not read. */
const INPUT_BYTES = 1024 * 1024;
/** The best shell that is there; `exec`, so that hanging up reaches it. */
const SHELL = [
  "sh",
  "-c",
  "for s in bash zsh ash; do command -v $s >/dev/null 2>&1 && exec $s; done; exec sh",
];

const Query = z.object({
  cmd: many(text(8_192), 256).optional(),
  user: text(256).optional(),
  workdir: text(4_096).optional(),
  env: many(text(8_192), 256).optional(),
  tty: flag.default(true),
  cols: count(1, 1_000).default(80),
  rows: count(1, 1_000).default(24),
  backend: text(128).optional(),
});

const exec = socketRoute({
  path: "/containers/{id}/exec",
  summary: "Run a shell or a command",
  description:
    "Binary frames are input and output. Text frames are JSON: `resize` (`cols`, `rows`) and `eof` up, " +
    "`ready`, `exit` and `error` down. Without `cmd` the best shell of the container is run; one `cmd` is split at " +
    "its blanks, several are program and arguments.",
  permission: "containers:exec",
  params: z.object({ id: z.string() }),
  query: Query,
});

const orphaned = route({
  method: "get",
  path: "/containers/{id}/orphans",
  summary: "List commands that outlived their terminal",
  permission: "containers:exec",
  params: z.object({ id: z.string() }),
  query: z.object({ backend: text(128).optional() }),
  answers: {
    200: json(
      z.object({
        items: z.array(
          z.object({ execId: z.string(), container: z.string(), backend: z.string(), since: z.string() })
            .meta({ id: "Orphan" }),
        ),
        total: z.int(),
      }),
      "Those that still run",
    ),
    ...problems(
      "container_not_found",
      "ambiguous_id",
      "backend_not_found",
      "runtime_unavailable",
      "no_engine",
    ),
  },
});

const Control = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("resize"), cols: z.number(), rows: z.number() }),
  z.strictObject({ type: z.literal("eof") }),
]);

export interface ExecRoutes {
  readonly find: FindLive;
  readonly streamLimit: StreamLimit;
  readonly onFailure: (error: unknown) => void;
}

/** The routes, and the commands that run through them: disposing waits until each is hung up. */
export class Execs implements AsyncDisposable {
  readonly routes: Router;
  readonly #parts: ExecRoutes;
  readonly #orphans = new Orphans();
  readonly #running = new Set<Promise<void>>();

  constructor(parts: ExecRoutes) {
    this.#parts = parts;
    this.routes = router()
      .socket(exec, ({ request, params, query, principal, revoked, stopping }) => {
        const viewer = parts.streamLimit.enter(principal);
        const wish: ExecWish = {
          command: commandOf(query.cmd),
          user: query.user,
          workdir: query.workdir,
          env: query.env ?? [],
          terminal: query.tty,
          columns: query.cols,
          rows: query.rows,
        };
        return openSocket(request, (socket) => this.#run(socket, params.id, query.backend, wish), {
          revoked,
          stopping,
          onFailure: parts.onFailure,
          onGone: () => viewer[Symbol.dispose](),
        });
      })
      .on(orphaned, async ({ params, query }) => {
        const container = await parts.find(
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
  }

  async #run(socket: Socket, id: string, backend: string | undefined, wish: ExecWish): Promise<void> {
    const container = await this.#parts.find(id, backend, `run a command in container "${id}"`);
    if (!container.running) {
      throw new ServiceError("conflict", `Cannot run a command: container "${container.name}" does not run`);
    }
    const session = await ExecSession.start(container, wish);
    const over = Promise.withResolvers<void>();
    this.#running.add(over.promise);
    try {
      await this.#carry(socket, session);
    } finally {
      await session[Symbol.asyncDispose]();
      over.resolve();
      this.#running.delete(over.promise);
    }
  }

  async #carry(socket: Socket, session: ExecSession): Promise<void> {
    socket.send(JSON.stringify({ type: "ready", execId: session.id, container: session.container.id }));
    const input = takeInput(socket, session);
    const output = session.read(async (bytes) => {
      if (socket.send(bytes)) await socket.drained(OUTPUT_BYTES);
    });
    const left = Promise.withResolvers<typeof LEFT>();
    const onLeft = () => left.resolve(LEFT);
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
      if (await session.hangUp()) this.#orphans.add(session);
      return;
    }
    const { code } = await session.exit();
    socket.send(JSON.stringify({ type: "exit", code }));
  }
}

/** Why carrying ends when the socket does. */
const LEFT = Symbol("left");

async function takeInput(socket: Socket, session: ExecSession): Promise<void> {
  for await (const message of socket) {
    if (typeof message !== "string") {
      const taken = session.write(message);
      // A size may change while the process reads nothing, so only so much input is waited for
      if (session.pendingBytes > INPUT_BYTES) await taken;
      continue;
    }
    const control = readControl(message);
    if (control.type === "resize") session.resize(control.cols, control.rows);
    else session.endInput();
  }
}

function readControl(message: Message & string): z.output<typeof Control> {
  try {
    return Control.parse(JSON.parse(message));
  } catch (cause) {
    throw new ServiceError("invalid_request", `Cannot understand a message: expected "resize" or "eof"`, {
      cause,
    });
  }
}

/** One text is split at its blanks, quotes keep them; several texts are taken as they are. No shell is involved. */
export function commandOf(cmd: readonly string[] | undefined): readonly string[] {
  if (cmd === undefined || cmd.length === 0) return SHELL;
  const [only = ""] = cmd;
  const words = cmd.length > 1
    ? cmd
    : [...only.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");
  if (words.length === 0 || words[0] === "") {
    throw new ServiceError("invalid_request", "Cannot run a command: it is empty", {
      errors: [{ path: "query.cmd", message: "Expected a program" }],
    });
  }
  return words;
}
