/** The schemas of a document: one with an id becomes a component once, and is referred to from then on. */
import * as z from "../../core/schema.ts";
import { Permission } from "../../core/access.ts";
import { meanings } from "../declare/query.ts";

export type Schema = Record<string, unknown>;

/** One whose input differs from its output gets a second name. */
export class Components {
  readonly schemas: Record<string, Schema> = {};

  constructor(private readonly permissions: readonly string[]) {}

  reference(asked: z.ZodType, io: "input" | "output"): Schema {
    const schema = z.built(asked);
    const { $schema: _, $defs, ...made } = z.toJSONSchema(schema, {
      io,
      unrepresentable: "any",
      reused: "inline",
      override: ({ zodSchema, jsonSchema }) => this.#plain(zodSchema, jsonSchema),
    }) as Schema & { $defs?: Record<string, Schema> };
    const names = new Map<string, string>();
    for (const [id, definition] of Object.entries($defs ?? {})) names.set(id, this.#name(id, definition, io));
    const own = z.globalRegistry.get(schema)?.id;
    if (own !== undefined && !("$ref" in made)) names.set(own, this.#name(own, made, io));
    for (const [id, definition] of Object.entries($defs ?? {})) {
      this.schemas[names.get(id)!] = renamed(definition, names); // named two lines above
    }
    if (own === undefined || "$ref" in made) return renamed(made, names);
    const name = names.get(own)!; // named above
    this.schemas[name] = renamed(made, names);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** In the words that all generators know: what a text means, and no more than they can read. */
  #plain(schema: z.core.$ZodType, made: Schema): void {
    // Which permissions there are is known only once the plugins are.
    if (schema === z.built(Permission)) replace(made, { type: "string", enum: [...this.permissions] });
    const meaning = meanings.get(schema);
    if (meaning?.shown !== undefined) replace(made, meaning.shown);
    if (meaning?.isList) {
      const list = (made.anyOf as Schema[] | undefined)?.find(({ type }) => type === "array");
      if (list !== undefined) replace(made, list);
    }
    // Classes of characters are not known everywhere, and a format says more than its pattern.
    if (typeof made.pattern === "string" && (/\\[pP]\{/.test(made.pattern) || "format" in made)) {
      delete made.pattern;
    }
    if (made.type === "integer") boundsOf(made);
    // zod leaves it out where the value is made of a text.
    if (schema instanceof z.ZodDefault) defaultOf(schema, made);
    // zod writes it for values that the code does not change. In a request it forbids callers to send them.
    delete made.readOnly;
    // A map's keys are texts, which only needs saying where they have bounds.
    if (Object.keys(made.propertyNames ?? {}).join() === "type") delete made.propertyNames;
  }

  readonly #texts = new Map<string, string>();

  #name(id: string, definition: Schema, io: "input" | "output"): string {
    const text = JSON.stringify(definition);
    const before = this.#texts.get(id);
    if (before === undefined || before === text) {
      this.#texts.set(id, text);
      return id;
    }
    const other = `${id}${io === "input" ? "Input" : "Output"}`;
    this.#texts.set(other, text);
    return other;
  }
}

function defaultOf(schema: z.ZodDefault, made: Schema): void {
  const { defaultValue } = schema.def;
  const inner = meanings.get(z.built(schema.unwrap() as z.ZodType));
  const unless = defaultValue === null ? inner?.none ?? null : defaultValue;
  if (unless !== undefined) made.default = unless;
}

/** Other attributes stay. */
function replace(made: Schema, shown: Readonly<Schema>): void {
  const { description, default: unless } = made;
  for (const key of Object.keys(made)) delete made[key];
  Object.assign(made, shown);
  if (unless !== undefined) made.default = unless;
  if (description !== undefined) made.description = description;
}

/** Every number of JavaScript has these bounds; that it may be larger than 32 bits is worth saying. */
function boundsOf(made: Schema): void {
  if (made.maximum === Number.MAX_SAFE_INTEGER) {
    delete made.maximum;
    made.format = "int64";
  }
  if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum;
}

/** The schema with its own references pointing into the document, and without the ids zod leaves in it. */
function renamed(schema: Schema, names: ReadonlyMap<string, string>): Schema {
  return JSON.parse(JSON.stringify(schema, function (this: Schema, key, value) {
    if (key === "$ref" && typeof value === "string") {
      const id = value.replace(/^#\/\$defs\//, "");
      return `#/components/schemas/${names.get(id) ?? id}`;
    }
    // A list of types is only known where it says that there may be nothing.
    const { type } = typeof value === "object" && value !== null ? value as Schema : {};
    if (Array.isArray(type) && !type.includes("null")) {
      const { type: _, ...rest } = value as Schema;
      return { ...rest, anyOf: type.map((one) => ({ type: one })) };
    }
    if (key === "id" && typeof value === "string" && names.has(value) && "type" in this) return undefined;
    return value;
  }));
}
