/** Examples for a document: a value that fits a schema, with what stands for texts chosen by the names of fields. */
import type { Schema } from "./components.ts";

/** Example texts for such names. */
const TEXTS: readonly (readonly [name: RegExp, text: string])[] = [
  [/At$|^(?:time|since|after|before|hour)$/, "2026-01-31T12:00:00.000Z"],
  [/^(?:path|file|folder|workingDir|mountpoint|source|target)$/, "/srv/projects/shop"],
  [/^(?:image|reference)$/, "docker.io/library/nginx:1.27"],
  [/^(?:url|address|issuer|redirectUri|authorizationEndpoint)$/, "https://berth.example/"],
  [/^(?:id|container|imageId|revision|sha256|digest|fingerprint|plan|cursor|next)$/, "0f3c1a5e9b7d"],
  [/^(?:key|token|accessToken|refreshToken)$/, "berth_..."],
  [/^backend$/, "docker"],
  [/^(?:peer|gateway|ipv4)$/, "10.1.0.7"],
  [/^subnet$/, "10.1.0.0/24"],
  [/^version$/, "1.0.0"],
  [/^codeVerifier$/, "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"],
  [/^(?:project|group)$/, "shop"],
  [/^(?:message|title|summary|description|reason)$/, "A sentence for people"],
];
const DEEPEST = 6;

/** Fits the schema as far as its shape says it; formats and patterns that nobody names may differ. */
export function exampleOf(schema: Schema, components: Readonly<Record<string, Schema>>): unknown {
  return make(schema, "", 0, components);
}

function make(
  schema: Schema,
  name: string,
  depth: number,
  components: Readonly<Record<string, Schema>>,
): unknown {
  const again = (inner: Schema, called = name) => make(inner, called, depth + 1, components);
  if (typeof schema.$ref === "string") {
    return again(components[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)] ?? {});
  }
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum.find((value) => value !== "");
  const choices = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined;
  if (choices !== undefined) return choices[0] === undefined ? null : again(choices[0]);
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== "null") : schema.type;
  switch (type) {
    case "object":
      return objectOf(schema, depth, again);
    case "array": {
      const { minItems, items } = schema;
      return depth >= DEEPEST && !minItems ? [] : [again((items ?? {}) as Schema)];
    }
    case "integer":
    case "number":
      return typeof schema.minimum === "number" && schema.minimum > 1 ? schema.minimum : 1;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return textOf(schema, name);
  }
}

function objectOf(schema: Schema, depth: number, again: (inner: Schema, called: string) => unknown): unknown {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
  const required = new Set((schema.required ?? []) as readonly string[]);
  const made: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(properties)) {
    if (depth >= DEEPEST && !required.has(key)) continue;
    made[key] = again(inner, key);
  }
  return made;
}

function textOf({ format, minLength }: Schema, name: string): string {
  if (format === "date-time") return "2026-01-31T12:00:00.000Z";
  if (format === "uuid") return "0b8f3c1a-5e9b-4d7d-8a52-6b1f0c9d3e47";
  const text = TEXTS.find(([pattern]) => pattern.test(name))?.[1] ?? "web";
  return text.padEnd(typeof minLength === "number" ? minLength : 0, ".");
}
