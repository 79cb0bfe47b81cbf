import assert from "node:assert/strict";
import * as zod from "zod";
import * as z from "./schema.ts";

/** Every maker and every method that the service uses, once. */
function everything(of: typeof z | typeof zod) {
  const Name = of.string().trim().min(1).max(9).regex(/^\w+$/).describe("A name").meta({ id: "Name" });
  const One = of.object({ name: Name, at: of.iso.datetime(), kind: of.literal("one") }).meta({ id: "One" });
  const Two = of.strictObject({ kind: of.literal("two"), id: of.uuid().nullable(), more: of.unknown() });
  return of.object({
    either: of.discriminatedUnion("kind", [One, Two]),
    names: of.array(Name).max(2).optional(),
    pair: of.tuple([of.int().min(1), of.number()]),
    word: of.enum(["a", "b"]).default("a"),
    fields: of.record(of.string(), of.union([of.boolean(), One.pick({ name: true })])).readonly(),
    inner: One.omit({ at: true }).extend({ more: Name.nullish() }).partial(),
    loose: of.looseObject({ size: of.preprocess((value) => Number(value), of.int()) }),
    long: of.string().transform(Number).pipe(of.number().max(5)).refine((value) => value !== 3, "not three"),
    chosen: Two.shape.id.or(Name).and(of.string().array().or(of.string())),
  }).strict();
}

const FINE = {
  either: { kind: "one", name: " shop ", at: "2026-01-31T12:00:00Z" },
  pair: [1, 2],
  fields: { a: true, b: { name: "b" } },
  inner: { kind: "one", more: null },
  loose: { size: "7", other: 1 },
  long: "4",
  chosen: "shop",
};

Deno.test("Schemas parse, refuse and are written down as those of zod", () => {
  const [own, theirs] = [everything(z), everything(zod)];
  assert.deepEqual(own.parse(FINE), theirs.parse(FINE));
  for (
    const wrong of [{}, null, { ...FINE, long: "3", pair: [0, "x"], also: 1 }, {
      ...FINE,
      either: { kind: "three" },
    }]
  ) {
    const [one, other] = [own.safeParse(wrong), theirs.safeParse(wrong)];
    assert.ok(!one.success && !other.success);
    assert.deepEqual(one.error.issues, other.error.issues);
  }
  const written = (schema: zod.ZodType) => zod.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  assert.deepEqual(written(z.built(own)), written(theirs));
  assert.ok(own instanceof zod.ZodObject && "shape" in own && !(z.string() instanceof zod.ZodObject));
  assert.equal(own.shape.names.unwrap().element.description, "A name");
});

Deno.test("A schema is built by its first use, once", () => {
  let count = 0;
  const Part = z.whenBuilt(z.string(), () => count++);
  const all = [1, 2].map(() => z.object({ part: Part.describe("A part").optional() }).strict());
  assert.equal(count, 0, "it was built before it was used");
  for (const schema of [...all, ...all]) assert.ok(schema.safeParse({ part: "x" }).success);
  assert.equal(count, 1);
});
