/** Rules about images: a service should get the same image tomorrow. */

import type { Unit } from "../artifact.ts";
import { imageReference } from "../compose/amounts.ts";
import { textOf, writtenOr } from "../yaml/values.ts";
import type { Say } from "./say.ts";

/** Checks the image of one unit. */
export function checkImage(unit: Unit, say: Say): void {
  const service = unit.service;
  if (service === null || service.imageAt === null || service.build) return;
  const text = textOf(service.imageAt);
  const image = text === null ? null : imageReference(text);
  if (image === null || image.digest !== null) return;
  if (image.tag === null) {
    say(
      "image/no-tag",
      service.imageAt,
      `"${writtenOr(service.imageAt, text!)}" has no tag, so it means "latest", which changes over time`,
      {
        subject: unit.id,
      },
    );
  } else if (image.tag === "latest") {
    say(
      "image/latest",
      service.imageAt,
      `"${writtenOr(service.imageAt, text!)}" uses the tag "latest", which changes over time`,
      {
        subject: unit.id,
      },
    );
  }
}
