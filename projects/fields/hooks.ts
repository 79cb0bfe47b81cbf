/** Commands that run inside a container, after its start and before it is stopped. */

import type { Node, Place } from "../../artifacts/artifact.ts";
import { keyValues } from "../../artifacts/compose/service.ts";
import { splitCommand, wordsOf } from "../../artifacts/compose/command.ts";
import { isNull, shownOf, textOf, truthOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { Command } from "../../core/engine_acts.ts";
import { MASK, maskArguments, maskText } from "../../core/secrets.ts";
import { type Declaration, type Declared, nodeAt, type Row, row, UNKNOWN } from "./field.ts";

/** The keys of a service that hold hooks. */
export type HookKey = "post_start" | "pre_stop";

/** A hook as it may be shown, and where it stands. */
interface ShownHook extends Command {
  readonly at: Node;
}

/** The hooks of a service, in the order in which they run. */
export function hooksOf(of: Declared, key: HookKey): Declaration<readonly Command[]> {
  const items = itemsOf(of, key);
  if (items === null || items === UNKNOWN) return items;
  const hooks = items.map(hookOf);
  if (hooks.includes(null)) return UNKNOWN;
  const { file, start, end } = nodeAt(of, key)!; // it has items
  // Not the node itself: what is shown in its place would hold the values of its variables.
  return { value: hooks as Command[], at: { file, start, end } satisfies Place };
}

/** The same in the author's words, without the values of variables and of the environment. Those that are known. */
export function shownHooks(of: Declared, key: HookKey): ShownHook[] {
  const items = itemsOf(of, key);
  return items === null || items === UNKNOWN ? [] : items.map((item) => ({
    at: item,
    command: shownWords(valueAt(item, "command")),
    user: maskText(shownOf(valueAt(item, "user")) ?? ""),
    privileged: truthOf(valueAt(item, "privileged")) === true,
    workingDir: maskText(shownOf(valueAt(item, "working_dir")) ?? ""),
    environment: [...keyValues(valueAt(item, "environment")).values()].map(({ name, value }) =>
      value === null ? name : `${name}=${MASK}`
    ),
  }));
}

function itemsOf(of: Declared, key: HookKey): readonly Node[] | typeof UNKNOWN | null {
  const node = nodeAt(of, key);
  if (node === null) return null;
  if (node.kind !== "list") return UNKNOWN;
  return node.items.length === 0 ? null : node.items;
}

/** Null where a variable in it is not set, or it is no hook. */
function hookOf(item: Node): Command | null {
  const command = wordsOf(valueAt(item, "command"));
  if (command === null || command.length === 0) return null;
  const word = (key: string): string | null => {
    const node = valueAt(item, key);
    return isNull(node) ? "" : textOf(node);
  };
  const privilegedAt = valueAt(item, "privileged");
  const privileged = isNull(privilegedAt) ? false : truthOf(privilegedAt);
  const [user, workingDir] = [word("user"), word("working_dir")];
  const values = [...keyValues(valueAt(item, "environment"))];
  if (user === null || workingDir === null || privileged === null) return null;
  if (values.some(([, { unknown }]) => unknown)) return null;
  const environment = values.map(([name, { value }]) => value === null ? name : `${name}=${value}`);
  return { command, user, privileged, workingDir, environment };
}

function shownWords(node: Node | null): string[] {
  if (node?.kind === "list") return maskArguments(node.items.map((item) => shownOf(item) ?? ""));
  const text = shownOf(node) ?? "";
  return maskArguments(splitCommand(text)?.words ?? [text]);
}

/** No engine tells them: a change is a new container, as it is for Compose. */
const hooks = (key: string, compose: HookKey): Row =>
  row<readonly Command[]>({
    key,
    covers: ["command", "user", "privileged", "working_dir", "environment"].map((one) =>
      `${compose}.*.${one}`
    ),
    untold: ["docker", "podman"],
    declared: (of) => hooksOf(of, compose),
    ask: () => {}, // they run later
    compare: () => [],
  });

export const hookRows: readonly Row[] = [hooks("postStart", "post_start"), hooks("preStop", "pre_stop")];
