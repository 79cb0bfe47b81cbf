/** Secrets and configs of a unit: those that are no files are copied into its container, and no engine tells what they hold. */

import type { Node, Place } from "../../artifacts/artifact.ts";
import { cleanPath } from "../../artifacts/compose/clean_path.ts";
import { listOf, numberOf, textOf, valueAt } from "../../artifacts/yaml/values.ts";
import { declaredIn, shortDigest } from "./declared_label.ts";
import type { Digest, EngineView } from "./engine_view.ts";
import { type Declared, type Difference, type Row, row } from "./field.ts";

/** A secret or config as a unit has it. */
interface Granted {
  readonly id: string;
  readonly at: Place;
  /** The copy into the container; null for a file, which is mounted. */
  readonly copy: {
    readonly target: string;
    readonly uid: number;
    readonly gid: number;
    readonly mode: number;
    /** Null while a variable in it is not set. */
    readonly content: string | null;
  } | null;
}

/** Read by everybody in the container. */
const MODE = 0o444;

export const grantsOf = ({ group, unit, service }: Declared): readonly Granted[] =>
  service.grants.flatMap(({ kind, source, target, at }): Granted[] => {
    const resource = group.resources.find((one) => one.kind === kind && one.key === source);
    if (resource === undefined || resource.external) return [];
    const { id, value, content } = resource;
    if (valueAt(value, "file") !== null) return [{ id, at, copy: null }];
    const whole = listOf(valueAt(unit.value, `${kind}s`)).find((item) => valueAt(item, "source") === at);
    const number = (key: string, otherwise: number) => {
      const text = textOf(valueAt(whole, key));
      return text === null ? otherwise : Number(text);
    };
    const [uid, gid] = [number("uid", 0), number("gid", 0)];
    const mode = modeOf(valueAt(whole, "mode")) ?? MODE;
    return [{ id, at, copy: { target: placeOf(kind, source, target), uid, gid, mode, content } }];
  });

/** Reads a mode as Compose does, which takes a text for octal; null for what is none. */
export function modeOf(node: Node | null): number | null {
  if (node?.kind === "scalar" && typeof node.value === "string" && !node.unknown) {
    return /^[0-7]+$/.test(node.value) ? parseInt(node.value, 8) : null;
  }
  return numberOf(node);
}

/** Returns its path in the container. */
export function placeOf(kind: "secret" | "config", source: string, target: string | null): string {
  const place = target ?? source;
  return cleanPath(place.startsWith("/") ? place : `${kind === "secret" ? "/run/secrets/" : "/"}${place}`);
}

/** Returns the digest that a label holds; null where the content is not known. */
export function grantDigest(
  { id, copy }: Granted,
  digest: Digest,
  contents: EngineView["contents"],
): string | null {
  const content = contents.get(id);
  if (content === undefined) return null;
  const place = copy === null ? null : [copy.target, copy.uid, copy.gid, copy.mode];
  return shortDigest(id, [content, place], digest);
}

/** The contents of secrets and configs: no field of a container, so that only berth's label tells what they were. */
export const contents: Row = row<readonly Granted[]>({
  key: "contents",
  covers: [],
  declared: (of) => ({ value: grantsOf(of), at: of.unit.source }),
  ask: (asked, granted) => {
    const files = granted.flatMap(({ copy }) => copy === null || copy.content === null ? [] : [copy]);
    if (files.length === 0) return;
    asked.files = files.map(({ target: path, content, uid, gid, mode }) => ({
      path,
      content: content!, // looked at above
      uid,
      gid,
      mode,
    }));
  },
  compare: (declared, { labels }, { digest, contents }, { unit }) => {
    const label = declaredIn(labels);
    if (label === null || digest === null) return [];
    const granted = declared?.value ?? [];
    const found: Difference[] = granted.flatMap((one) => {
      const [then, now] = [label.get(one.id), grantDigest(one, digest, contents)];
      if (now === null || then === now || (then === undefined && one.copy === null)) return [];
      const seen = then === undefined ? "(not there)" : "(another content)";
      return [{ field: `contents.${one.id}`, declared: "(its content)", seen, at: one.at }];
    });
    const gone = [...label.keys()].filter((id) =>
      /^(?:secret|config):/.test(id) && !granted.some((one) => one.id === id)
    );
    return [
      ...found,
      ...gone.map((id) => ({
        field: `contents.${id}`,
        declared: "(not there)",
        seen: "(its content)",
        at: unit.source,
        isAbsent: true as const,
      })),
    ];
  },
});
