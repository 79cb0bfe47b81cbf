/**
 * zod, whose schemas are built at their first use: most describe answers, which only documents show, and building all of
 * them would be a third of a start. Every schema of the service is made with this module.
 */
import * as zod from "zod";

export * from "zod";

export const string = postponed(zod.string);
export const number = postponed(zod.number);
export const int = postponed(zod.int);
export const boolean = postponed(zod.boolean);
export const unknown = postponed(zod.unknown);
export const literal = postponed(zod.literal);
export const uuid = postponed(zod.uuid);
export const iso = { datetime: postponed(zod.iso.datetime) };
export const object = postponed(zod.object);
export const strictObject = postponed(zod.strictObject);
export const looseObject = postponed(zod.looseObject);
export const record = postponed(zod.record);
export const array = postponed(zod.array);
export const tuple = postponed(zod.tuple);
export const union = postponed(zod.union);
export const discriminatedUnion = postponed(zod.discriminatedUnion);
export const preprocess = postponed(zod.preprocess);
const anyOf = postponed(zod.enum);
export { anyOf as enum };

/** Methods that make another schema, and nothing else. */
const MAKERS: ReadonlySet<PropertyKey> = new Set([
  ...["describe", "optional", "nullable", "nullish", "default", "readonly", "array"],
  ...["min", "max", "length", "regex", "trim", "strict", "extend", "pick", "omit", "partial"],
  ...["refine", "superRefine", "transform", "pipe"],
]);

/** Methods whose arguments are values of callers, which hold no schemas. */
const READERS: ReadonlySet<PropertyKey> = new Set(["parse", "safeParse", "parseAsync", "safeParseAsync"]);

/** A schema that stands for the one it makes. */
interface Standing {
  /** Null once it is built, so that nothing is held for it. */
  make: (() => zod.ZodType) | null;
  built: zod.ZodType | null;
  /** Properties that were asked for and stay: methods, bound to what is built, and the shape of an object. */
  readonly kept: Map<PropertyKey, unknown>;
}

const standings = new WeakMap<object, Standing>();

/** Returns the schema itself, with which zod's own registries and documents know it. */
export function built<Schema extends zod.core.$ZodType>(schema: Schema): Schema {
  const standing = standings.get(schema);
  return standing === undefined ? schema : builtOf(standing) as zod.core.$ZodType as Schema;
}

/** Returns the same schema, and hands it over as soon as it is built. */
export function whenBuilt<Schema extends zod.ZodType>(
  schema: Schema,
  tell: (schema: Schema) => void,
): Schema {
  return standIn(() => {
    const own = built(schema);
    tell(own);
    return own;
  }) as Schema;
}

function builtOf(standing: Standing): zod.ZodType {
  const { make } = standing;
  if (make !== null) {
    standing.built = make();
    standing.make = null;
  }
  return standing.built!; // made, or thrown
}

// deno-lint-ignore no-explicit-any -- the types are those of zod's own function
function postponed<Make extends (...given: any[]) => zod.ZodType>(make: Make): Make {
  const later = (...given: unknown[]) => standIn(() => make(...given.map(withBuilt)));
  return later as Make;
}

function standIn(make: () => zod.ZodType): zod.ZodType {
  const standing: Standing = { make, built: null, kept: new Map() };
  const schema = new Proxy(standing, STANDING) as unknown as zod.ZodType;
  standings.set(schema, standing);
  return schema;
}

const STANDING: ProxyHandler<Standing> = {
  get(standing, name) {
    const before = standing.kept.get(name);
    if (before !== undefined) return before;
    if (MAKERS.has(name)) return keep(standing, name, makerOf(standing, name));
    // With something given it makes a schema; alone it tells what was given.
    if (name === "meta") {
      const describing = makerOf(standing, name);
      return (...given: unknown[]) => given.length > 0 ? describing(...given) : builtOf(standing).meta();
    }
    const schema = builtOf(standing);
    const value: unknown = Reflect.get(schema, name, schema);
    if (name === "shape") {
      return keep(standing, name, standInEach(value as Readonly<Record<string, zod.ZodType>>));
    }
    if (typeof value !== "function") return standInFor(value);
    const method = READERS.has(name)
      ? value.bind(schema)
      : (...given: unknown[]) => standInFor(value.apply(schema, given.map(withBuilt)));
    return keep(standing, name, method);
  },
  has: (standing, name) => Reflect.has(builtOf(standing), name),
  getPrototypeOf: (standing) => Reflect.getPrototypeOf(builtOf(standing)),
};

/** A schema that is built already takes others that are not, too. */
function standInFor(value: unknown): unknown {
  const isSchema = typeof value === "object" && value !== null && "_zod" in value && "safeParse" in value;
  return isSchema ? standIn(() => value as zod.ZodType) : value;
}

function standInEach(shape: Readonly<Record<string, zod.ZodType>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, standInFor(schema)]));
}

function keep<Value>(standing: Standing, name: PropertyKey, value: Value): Value {
  standing.kept.set(name, value);
  return value;
}

function makerOf(standing: Standing, name: PropertyKey): (...given: unknown[]) => zod.ZodType {
  return (...given) =>
    standIn(() => {
      const schema = builtOf(standing);
      const method = Reflect.get(schema, name, schema) as (...given: unknown[]) => zod.ZodType;
      return method.apply(schema, given.map(withBuilt));
    });
}

/** Returns what is given to zod with the schemas in it built: it tells them apart by what they are. */
function withBuilt(given: unknown): unknown {
  if (typeof given !== "object" || given === null) return given;
  const standing = standings.get(given);
  if (standing !== undefined) return builtOf(standing);
  if (Array.isArray(given)) return given.some((one) => standings.has(one)) ? given.map(withBuilt) : given;
  const held = Object.entries(given).filter(([, one]) => typeof one === "object" && standings.has(one));
  if (held.length === 0) return given;
  return { ...given, ...Object.fromEntries(held.map(([name, one]) => [name, withBuilt(one)])) };
}
