/** The budgets of request bodies: per peer, in all, apart from each other, and given back. */
import assert from "node:assert/strict";
import { ServiceError } from "../../core/error.ts";
import { BodyBudget } from "./body_budget.ts";

const isRefused = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === "too_many_requests" &&
  error.headers?.["retry-after"] === "2";

const limits = (each: { readonly all: number; readonly peer: number }) => ({
  known: each,
  signIn: each,
  hook: each,
});

Deno.test("BodyBudget bounds what one peer reserves, and counts an IPv6 /64 as one", () => {
  const budget = new BodyBudget(limits({ all: 100, peer: 10 }));
  using _first = budget.reserve("known", "2001:db8::1", 6);
  assert.throws(() => budget.reserve("known", "2001:db8::2", 5), isRefused);
  using _rest = budget.reserve("known", "2001:db8::2", 4);
  using _other = budget.reserve("known", "2001:db8:0:1::1", 10);
});

Deno.test("BodyBudget bounds what all peers reserve, and takes back what is disposed of", () => {
  const budget = new BodyBudget(limits({ all: 20, peer: 10 }));
  const held = [budget.reserve("known", "a", 10), budget.reserve("known", "b", 10)];
  assert.throws(() => budget.reserve("known", "c", 1), isRefused);
  held[0]![Symbol.dispose]();
  using _now = budget.reserve("known", "c", 10);
  assert.throws(() => budget.reserve("known", "a", 1), isRefused);
});

Deno.test("BodyBudget lets no kind of caller take what another has, at the same address either", () => {
  const budget = new BodyBudget(limits({ all: 20, peer: 10 }));
  using _one = budget.reserve("hook", "a", 10);
  using _two = budget.reserve("hook", "b", 10);
  assert.throws(() => budget.reserve("hook", "c", 1), isRefused);
  using _signIn = budget.reserve("signIn", "a", 10);
  using _known = budget.reserve("known", "a", 10);
});
