/** Blocks a plan whose files hold encrypted values: a container would get the cipher text in place of the secret. */
import type { Place } from "../../artifacts/artifact.ts";
import { entriesOf, scalarsOf } from "../../artifacts/yaml/values.ts";
import type { Declared } from "../fields/field.ts";
import { type Draft, edited } from "./draft.ts";

/** The beginning of a value that SOPS has encrypted. */
const BEGINS = "ENC[";

export function blockByEncrypted({ unit, service }: Declared, draft: Draft): void {
  const places = new Map<string, Place>();
  const add = ({ file, start, end }: Place) => places.set(`${file.path} ${start}`, { file, start, end });
  for (const [key, { value }] of entriesOf(unit.value)) {
    if (key.startsWith("x-")) continue; // it goes into no container
    for (const scalar of scalarsOf(value)) {
      if (typeof scalar.value === "string" && scalar.value.startsWith(BEGINS)) add(scalar);
    }
  }
  for (const { value, at } of [...service.environment.values(), ...service.labels.values()]) {
    if (value?.startsWith(BEGINS)) add(at);
  }
  for (const at of places.values()) {
    const message =
      "This value is encrypted, and the container would get the cipher text: berth has no key for it. " +
      "Decrypt it into an .env that is not committed, or take it from a secret";
    draft.block("project/encrypted", message, at, unit.id, edited(at));
  }
}
