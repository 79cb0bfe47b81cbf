/** Writes hooks, and the orders for `docker compose watch`, as Docker Compose does. */
import type { Node } from "../../artifacts/artifact.ts";
import { below } from "../../artifacts/live/join.ts";
import { listOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { Declared } from "../fields/field.ts";
import { object, sure } from "./go_json.ts";
import { bareMap, flag, inside, text, texts, words, type Writer } from "./writer.ts";

export const hooks: Writer = (node, of, around) => {
  const list = listOf(node).map((item) => {
    const at = (key: string, write: Writer) => inside(item, key, write, of, around);
    return object({
      command: sure(at("command", words)),
      user: at("user", text),
      privileged: at("privileged", flag),
      working_dir: at("working_dir", text),
      environment: at("environment", bareMap),
    });
  });
  return list.length === 0 ? undefined : list;
};

const watchedAt = ({ unit }: Declared, node: Node | null): string | null | undefined =>
  unit.paths.find(({ kind, at }) => kind === "develop" && at.file === node?.file && at.start === node.start)
    ?.path;

/** Orders for `docker compose watch`: no part of the container, and hashed all the same. */
export const develop: Writer = (node, of, around) => {
  const exec: Writer = (one) =>
    object({
      command: one.kind === "mapping" ? inside(one, "command", words, of, around) ?? null : null,
      user: inside(one, "user", text, of, around),
      privileged: inside(one, "privileged", flag, of, around),
      working_dir: inside(one, "working_dir", text, of, around),
      environment: inside(one, "environment", bareMap, of, around),
    });
  const list = listOf(valueAt(node, "watch")).map((item) => {
    const at = (key: string, write: Writer) => inside(item, key, write, of, around);
    return object({
      path: below(of.model.root, sure(watchedAt(of, valueAt(item, "path")))),
      action: sure(at("action", text)),
      target: at("target", text),
      exec: at("exec", exec) ?? { command: null },
      include: at("include", texts),
      ignore: at("ignore", texts),
      initial_sync: at("initial_sync", flag),
    });
  });
  return list.length === 0 ? {} : { watch: list };
};
