/** The checker of histories finds what it is there for. */
import assert from "node:assert/strict";
import { AppliesModel, LinesModel, NamesModel } from "./chaos_model.ts";

const at = (began: number, ended: number) => ({ began, ended });

Deno.test("NamesModel finds what was lost, what came back, and what never was", () => {
  const model = new NamesModel("keys");
  model.added("a", { ...at(0, 1), outcome: "yes" });
  model.added("b", { ...at(0, 1), outcome: "unknown" });
  model.added("c", { ...at(0, 1), outcome: "no" });
  model.listed(["a"], at(2, 3));
  model.listed(["a", "b"], at(4, 5));
  assert.equal(model.broken.join(), "");

  model.listed([], at(6, 7));
  model.listed(["a", "c"], at(8, 9));
  model.listed(["a", "d"], at(8, 9));
  model.removed("a", { ...at(10, 11), outcome: "yes" });
  model.listed(["a"], at(12, 13));
  assert.deepEqual(model.broken.map((one) => one.replace(/^.* (?:and|listed, and) /, "")), [
    "is lost",
    "was refused",
    "never was",
    "its removal was acknowledged before",
  ]);
});

Deno.test("NamesModel allows both while an answer is not there yet", () => {
  const model = new NamesModel("keys");
  model.tries("a", 0);
  model.listed(["a"], at(1, 2));
  model.listed([], at(1, 2));
  model.added("a", { ...at(0, 3), outcome: "yes" });
  model.removed("a", { ...at(4, Infinity), outcome: "unknown" });
  model.listed([], at(5, 6));
  model.listed(["a"], at(5, 6));
  model.removed("a", { ...at(4, 7), outcome: "yes" });
  model.listed([], at(8, 9));
  assert.equal(model.broken.join(), "");
  assert.deepEqual(model.there(), []);
});

Deno.test("LinesModel finds a hole that was not told, a repetition, and what never came", () => {
  const model = new LinesModel();
  for (const line of ["x 1", "x 2", "y 1"]) model.line(line);
  model.compare(["x 1", "x 2", "y 1"]);
  assert.equal(model.broken.join(), "");
  model.line("y 3");
  model.line("y 3");
  model.compare(["x 1", "x 2", "y 1", "y 2", "y 3"]);
  assert.equal(model.broken.length, 4);

  const told = new LinesModel();
  told.line("x 1");
  told.gap();
  told.line("x 7");
  assert.equal(told.broken.join(), "");
});

Deno.test("AppliesModel finds what was lost, what goes on behind its end, what overlaps, and journals that change", () => {
  const apply = (id: string, state: string, from: number, to: number | null) => ({
    id,
    project: "p",
    state,
    createdAt: new Date(from).toISOString(),
    endedAt: to === null ? null : new Date(to).toISOString(),
  });
  const model = new AppliesModel();
  model.acknowledged("a", 1);
  model.shown(apply("a", "running", 1, null), at(1, 2));
  model.inTheWay("a", at(2, 3));
  model.shown(apply("a", "done", 1, 5), at(5, 6));
  assert.equal(model.line("a", 0, { id: 1 }), 1);
  model.compare("a", [{ id: 1 }]);
  model.acknowledged("b", 6);
  model.listed([apply("a", "done", 1, 5), apply("b", "failed", 5, 7)], at(7, 8));
  model.conclude();
  assert.equal(model.broken.join(), "");

  model.inTheWay("a", at(9, 10));
  model.shown(apply("a", "running", 1, null), at(9, 10));
  model.listed([apply("a", "done", 1, 5)], at(9, 10));
  model.line("a", 1, { id: 1 });
  model.compare("a", [{ id: 1 }, { id: 2 }]);
  model.shown(apply("c", "done", 6, 9), at(10, 11));
  model.conclude();
  assert.deepEqual(
    model.broken.map((one) => one.replace(/^apply (.) |^p: /, (_, id) => id === undefined ? "" : `${id} `)),
    [
      "a is in the way, and it was over",
      "a was done, and is running",
      "b was acknowledged and is lost",
      "apply a: place 1 came behind 1",
      "apply a: its follower missed the places 2",
      "apply c began at 1970-01-01T00:00:00.006Z, b ended at 1970-01-01T00:00:00.007Z",
    ],
  );
});
