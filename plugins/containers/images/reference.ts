/** Image references of callers: a text that is none is refused. */
import { readReference, type Reference } from "../../../core/image_reference.ts";
import { engineError } from "../../../engines/calls/errors.ts";

/** Throws `invalid_request` for a text that is no reference. A missing tag becomes `latest`, unless there is a digest. */
export function parseReference(text: string): Reference {
  const parsed = readReference(text);
  if (parsed !== null) return parsed;
  throw engineError("invalid_request", `Cannot use ${quoted(text)}: it is not an image reference`, {
    errors: [{ path: "body.reference", message: 'must look like "registry.example:5000/team/app:1.2"' }],
  });
}

function quoted(text: string): string {
  const printable = text.replace(/[^\x20-\x7e]/g, "?");
  return `"${printable.length > 80 ? `${printable.slice(0, 80)}...` : printable}"`;
}
