/** Writes single values of a service as Docker Compose does. */
import { keyValues } from "../../artifacts/compose/service.ts";
import type { Node } from "../../artifacts/artifact.ts";
import { bytesOf, nanosecondsOf } from "../../artifacts/compose/amounts.ts";
import { wordsOf } from "../../artifacts/compose/command.ts";
import { amountText } from "../../artifacts/compose/number_text.ts";
import { isNull, numberOf, oneOrMany, textOf, truthOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { Declared } from "../fields/field.ts";
import { duration } from "./duration.ts";
import { type Json, NoForm, sorted, sure, under } from "./go_json.ts";

/**
 * A up to Compose 2.40, B from 5.0: each writes the same service in another way. The order of keys is that of A in both,
 * because Compose 5.6 pinned it when its own fields moved.
 */
export type HashForm = "a" | "b";

export interface Around {
  readonly form: HashForm;
  readonly containerOf: (service: string) => string | undefined;
}

/** Undefined: left out, because it is Go's zero. */
export type Writer = (node: Node, of: Declared, around: Around) => Json | undefined;

export const text: Writer = (node) => sure(textOf(node)) || undefined;
export const flag: Writer = (node) => sure(truthOf(node)) || undefined;
export const number: Writer = (node) => sure(numberOf(node)) || undefined;
/** Amounts of bytes are written as texts. */
export const bytes: Writer = (node) => {
  const amount = sure(bytesOf(sure(amountText(node))));
  return amount === 0 ? undefined : String(amount);
};
export const texts: Writer = (node) => {
  const items = oneOrMany(node).map((item) => sure(textOf(item)));
  return items.length === 0 ? undefined : items;
};
export const words: Writer = (node) => sure(wordsOf(node));
export const time: Writer = (node) => duration(sure(nanosecondsOf(sure(textOf(node)))));

export const map: Writer = (node) => {
  const values = [...keyValues(node)].map(([name, { value, unknown }]) => {
    if (unknown) throw new NoForm();
    return [name, value ?? ""] as const;
  });
  return values.length === 0 ? undefined : sorted(Object.fromEntries(values));
};

/** A name alone is told from one with an empty value. */
export const bareMap: Writer = (node) => {
  const values = [...keyValues(node)].map(([name, { value, unknown }]) => {
    if (unknown) throw new NoForm();
    return [name, value] as const;
  });
  return values.length === 0 ? undefined : sorted(Object.fromEntries(values));
};

/** A key inside a value; undefined where it is not there. */
export function inside(
  node: Node,
  key: string,
  write: Writer,
  of: Declared,
  around: Around,
): Json | undefined {
  const value = valueAt(node, ...key.split("."));
  return value === null || isNull(value) ? undefined : under(key, value, () => write(value, of, around));
}
