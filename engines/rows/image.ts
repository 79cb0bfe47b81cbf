/** An image as lists show it, read from the engine's list or its `inspect`. */
import * as z from "../../core/schema.ts";
import { Stale } from "./stale.ts";
import { mapOf, numberOf, objectOf, textOf, textsOf, timeOf } from "../calls/wire.ts";
import { imageIdOf } from "./container.ts";
import { maskValues } from "../../core/secrets.ts";
import { UsingContainer } from "./using_container.ts";

export const Image = z.object({
  id: z.string().describe("The image's id"),
  tags: z.array(z.string()).describe("The names it has"),
  digests: z.array(z.string()).describe("Names with the digest that a registry knows them by"),
  size: z.int().describe("Bytes, shared layers included"),
  sharedSize: z.int().nullable().describe(
    "Bytes of layers that other images have too; null where not measured",
  ),
  createdAt: z.string().describe("When it was made"),
  labels: z.record(z.string(), z.string()).describe("Values of labels that look secret are masked"),
  usedBy: z.array(UsingContainer).nullable().describe(
    "The containers made from it, running or not; null without `containers:read`",
  ),
  dangling: z.boolean().describe("Nothing names it"),
  backend: z.string().describe("The engine it is on, by name"),
  stale: Stale,
}).meta({ id: "Image" });

/** A row of the mirror; its users are added when a list is built. */
export type ImageRow = Readonly<Omit<z.infer<typeof Image>, "usedBy" | "stale">>;

const EPOCH = new Date(0).toISOString();

/** Null for an answer without an id. */
export function imageRow(answer: unknown, backend: string): ImageRow | null {
  const wire = objectOf(answer);
  const id = imageIdOf(textOf(wire.Id));
  if (id === "") return null;
  const tags = namesOf(wire.RepoTags);
  const digests = namesOf(wire.RepoDigests);
  const shared = numberOf(wire.SharedSize, -1);
  return {
    id,
    tags,
    digests,
    size: numberOf(wire.Size),
    sharedSize: shared < 0 ? null : shared,
    createdAt: timeOf(wire.Created) ?? EPOCH,
    labels: maskValues(mapOf(wire.Labels ?? objectOf(wire.Config).Labels)),
    dangling: tags.length === 0,
    backend,
  };
}

/** Without `<none>`, which engines write where there is no name. */
function namesOf(value: unknown): string[] {
  return textsOf(value).filter((name) => !name.startsWith("<none>") && !name.endsWith(":<none>")).sort();
}
