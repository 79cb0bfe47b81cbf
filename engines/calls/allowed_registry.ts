/** Which registries images may be pulled from. */
import { type Reference, textOfReference } from "../../core/image_reference.ts";
import { engineError } from "./errors.ts";

/** Throws `pull_refused` for others than these; null allows all. */
export function mustBeAllowed(reference: Reference, registries: readonly string[] | null): void {
  if (registries === null || registries.includes(reference.registry)) return;
  throw engineError(
    "pull_refused",
    `Cannot pull "${
      textOfReference(reference)
    }": this service is not allowed to pull from "${reference.registry}"`,
  );
}
