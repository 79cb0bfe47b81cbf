/** The budget of request bodies: per peer, in all, and given back. */
import assert from "node:assert/strict";
import { ServiceError } from "../../core/error.ts";
import { BodyBudget } from "./body_budget.ts";

const isRefused = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === "too_many_requests" &&
  error.headers?.["retry-after"] === "2";

Deno.test("BodyBudget bounds what one peer reserves, and counts an IPv6 /64 as one", () => {
  const budget = new BodyBudget({ all: 100, peer: 10 });
  using _first = budget.reserve("2001:db8::1", 6);
  assert.throws(() => budget.reserve("2001:db8::2", 5), isRefused);
  using _rest = budget.reserve("2001:db8::2", 4);
  using _other = budget.reserve("2001:db8:0:1::1", 10);
});

Deno.test("BodyBudget bounds what all peers reserve, and takes back what is disposed of", () => {
  const budget = new BodyBudget({ all: 20, peer: 10 });
  const held = [budget.reserve("a", 10), budget.reserve("b", 10)];
  assert.throws(() => budget.reserve("c", 1), isRefused);
  held[0]![Symbol.dispose]();
  using _now = budget.reserve("c", 10);
  assert.throws(() => budget.reserve("a", 1), isRefused);
});
