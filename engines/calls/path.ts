/** Builds paths of the engine's API so that no text of a caller can change where they lead. */
import { engineError } from "./errors.ts";

/** dockerd's own grammar, with a cap: containers, volumes, networks, execs. */
const IDENTIFIER = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,254}$/;
/** One segment of an image reference: a host with its port, a name, `name:tag`, `name@sha256:…`. */
const SEGMENT = /^[a-zA-Z0-9][a-zA-Z0-9_.:@-]{0,319}$/;

export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text);
}

/** Returns the text if the engine's grammar allows it. Throws `invalid_request`. */
export function identifier(text: string): string {
  if (IDENTIFIER.test(text)) return text;
  throw engineError("invalid_request", `Cannot ask the engine: ${shown(text)} is not an identifier`, {
    errors: [{ path: "path.id", message: "Expected a name or an id, as engines give them" }],
  });
}

/** A name that may hold slashes, as an image reference. Each segment is checked and encoded by itself. */
export class SlashedName {
  readonly encoded: string;

  constructor(name: string) {
    const segments = name.split("/");
    if (segments.length > 12 || !segments.every((segment) => SEGMENT.test(segment))) {
      throw engineError("invalid_request", `Cannot ask the engine: ${shown(name)} is not a reference`, {
        errors: [{ path: "path.id", message: "Expected an image reference or an id" }],
      });
    }
    this.encoded = segments.map(encodeURIComponent).join("/");
  }
}

/** A path below `/v{api}`. Only `at` makes one. */
export class EnginePath {
  constructor(readonly text: string) {}
}

/** at`/containers/${id}/json`: every value is an identifier or a `SlashedName`, or nothing is sent. */
export function at(fixed: TemplateStringsArray, ...values: readonly (string | SlashedName)[]): EnginePath {
  let text = fixed[0] ?? "";
  values.forEach((value, index) => {
    text += (value instanceof SlashedName ? value.encoded : identifier(value)) + (fixed[index + 1] ?? "");
  });
  return new EnginePath(text);
}

function shown(text: string): string {
  const clean = text.replace(/[^\x20-\x7e]/g, "?");
  return `"${clean.length > 80 ? `${clean.slice(0, 80)}...` : clean}"`;
}
