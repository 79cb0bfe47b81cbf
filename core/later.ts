/** Values that are made when somebody asks for them: schemas that only documents show are not worth a start's time. */

/** A value, or what makes it. */
export type Later<Value extends object> = Value | (() => Value);

/** Returns what makes the value at its first call, and returns the same one from then on. */
export function later<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** Returns what makes a value, or has it already. A value of this kind is never a function itself. */
export function makerOf<Value extends object>(value: Later<Value>): () => Value {
  return typeof value === "function" ? value as () => Value : () => value;
}
