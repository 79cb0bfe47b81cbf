/** A command in a container as its engine knows it: whether it runs, and how it is told to end. */
import { ServiceError } from "../../../core/error.ts";
import { pause } from "../../../core/pause.ts";
import type { Engine } from "../../../engines/calls/engine.ts";
import { at } from "../../../engines/calls/path.ts";
import { flagOf, objectOf, parseJson, textOf } from "../../../engines/calls/wire.ts";

const LOOKS = 10;
const LOOK_MS = 50;
/** An environment variable that every process of a command inherits. */
const MARK = "BERTH_EXEC";
/** Sends the signal `$1` to the processes with the mark `$0`, and ends with 3 where some are left. */
const LOOK = 'look() { left=0; for p in /proc/[0-9]*; do tr "\\0" "\\n" <$p/environ 2>/dev/null | ' +
  `grep -qx "${MARK}=$0" && kill -$1 "\${p#/proc/}" 2>/dev/null && left=3; done; }; ` +
  "look $1; if [ $left = 3 ] && [ $1 != 0 ]; then look 0; [ $left = 0 ] || { sleep 1; look 0; }; fi; exit $left";
const LEFT = 3;
/** Of a look inside a container. */
const ANSWER_LOOKS = 80;

interface CommandState {
  readonly running: boolean;
  readonly code: number | null;
  /** False also before it runs: Docker answers the start of a command before it has started it. */
  readonly isOver: boolean;
}

const UNKNOWN = { isOver: false };

/** The variable by which the processes of a command are found. */
export function markVariable(mark: string): string {
  return `${MARK}=${mark}`;
}

/** Null when the engine does not know it any more. */
export async function inspectCommand(engine: Engine, execId: string): Promise<CommandState | null> {
  try {
    const inspected = objectOf(
      await engine.get(at`/exec/${execId}/json`, { doing: "inspect a command", missing: "not_found" }),
    );
    const code = typeof inspected.ExitCode === "number" ? inspected.ExitCode : null;
    const running = flagOf(inspected.Running);
    return { running, code, isOver: !running && code !== null };
  } catch (error) {
    if (error instanceof ServiceError && error.code === "not_found") return null;
    throw error;
  }
}

/** Returns true if it still runs, or is still to run, after half a second, and if the engine cannot be asked. */
export async function stillRuns(engine: Engine, execId: string): Promise<boolean> {
  for (let look = 0; look < LOOKS; look++) {
    const state = await inspectCommand(engine, execId).catch(() => UNKNOWN);
    if (state === null || state.isOver) return false;
    await pause(LOOK_MS);
  }
  return true;
}

/**
 * Returns true if processes of the command are left, by their mark; null where the container cannot tell. No engine has
 * a call to end a command, so with `HUP` they are told to from inside. Docker says of one whose connection was lost
 * that it is over, while it runs on.
 */
export async function isLeftInside(
  engine: Engine,
  command: { readonly container: string; readonly user: string; readonly mark: string },
  signal: "HUP" | "0",
): Promise<boolean | null> {
  const doing = "look for a command";
  try {
    const created = await engine.post(at`/containers/${command.container}/exec`, {
      doing,
      body: { Cmd: ["sh", "-c", LOOK, command.mark, signal], User: command.user },
    });
    const id = textOf(objectOf(parseJson(created.text)).Id);
    await engine.post(at`/exec/${id}/start`, { doing, body: { Detach: true } });
    for (let look = 0; look < ANSWER_LOOKS; look++) {
      const state = await inspectCommand(engine, id);
      if (state === null) return null;
      // Podman knows no code before it has started
      if (state.isOver && (look > 2 || state.code !== 0)) {
        return state.code === LEFT ? true : state.code === 0 ? false : null;
      }
      await pause(LOOK_MS);
    }
  } catch { // the container has no shell, or is gone
  }
  return null;
}
