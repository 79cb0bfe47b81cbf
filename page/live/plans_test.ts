/** Several projects on one screen: what was begun is never forgotten. */
import assert from "node:assert/strict";
import { effect } from "@preact/signals";
import type { Apply, Plan } from "../../client/berth/models.ts";
import { PLAN_APPLY } from "../../client/berth/plans.ts";
import { answerWith, json, silent } from "../../tests/page/fake_berth.ts";
import { eventually } from "../../tests/support/eventually.ts";
import { PlanSet } from "./plans.ts";
import { proved } from "./proof.ts";
import { proofWanted } from "./proof_wanted.ts";
import { client } from "./session.ts";

const IDS = ["a", "b", "c", "d", "e", "f"].map((name) => `${name}@w`);

/** Plans six projects, and begins to apply them as `start` says. */
async function begun(
  start: (plan: Plan) => Promise<Apply>,
  ending: AbortController,
  proven = () => {},
): Promise<PlanSet> {
  let planned = 0;
  answerWith((path) => {
    if (path === "/api/auth/proof") {
      proven();
      return new Response(null, { status: 204 });
    }
    if (path.endsWith("/apply")) {
      return json({ code: "sign_in_again", title: "Sign in", errors: [{ path: "body.password" }] }, 403);
    }
    if (path.endsWith("/plan")) return json({ id: `plan${++planned}`, group: path.split("/").at(-2) }, 201);
    if (path.endsWith("/events")) {
      return path.includes("lost-") ? json({ code: "forbidden", title: "No" }, 403) : silent();
    }
    return path.startsWith("/api/applies/")
      ? { id: path.split("/").at(-1), state: "running", steps: [] }
      : null;
  });
  const set = new PlanSet(IDS, { action: "restart" });
  await set.plan(ending.signal);
  void set.apply(set.all.value, start, ending.signal);
  return set;
}

const rowOf = (set: PlanSet, id: string) => set.all.value.find((one) => one.id === id)!;

Deno.test("PlanSet.apply begins each project that waits after the screen is left, and a browser asks until then", async () => {
  const ending = new AbortController();
  const gate = Promise.withResolvers<void>();
  const started: string[] = [];
  const isAsked = () => !dispatchEvent(new Event("beforeunload", { cancelable: true }));
  await begun(async ({ id }) => {
    started.push(id);
    await gate.promise;
    return { id: `lost-${id}`, state: "running" } as Apply;
  }, ending);
  await eventually("four are being begun", () => started.length === 4);

  ending.abort();
  assert.equal(isAsked(), true);
  gate.resolve();

  await eventually("all six are begun", () => started.length === 6);
  await eventually("no browser asks any more", () => !isAsked());
});

Deno.test("PlanSet.plan plans the project that was refused again, and forgets no apply that runs or waits", async () => {
  const ending = new AbortController();
  const started: string[] = [];
  const set = await begun(({ id }) => {
    if (id === "plan2" && !started.includes(id)) {
      started.push(id);
      return Promise.reject(new Error("refused"));
    }
    started.push(id);
    return Promise.resolve({ id: `of-${id}`, state: "running" } as Apply);
  }, ending);
  await eventually("b is refused and four run", () => rowOf(set, "b@w").problem && started.length === 5);

  await set.plan(ending.signal, "b@w");
  assert.equal(rowOf(set, "b@w").problem, undefined);
  assert.equal(rowOf(set, "b@w").plan?.id, "plan7");
  await set.plan(ending.signal);
  await set.plan(ending.signal, "a@w");

  const kept = IDS.filter((id) => id !== "b@w").map((id) => {
    const { plan, apply, isBusy } = rowOf(set, id);
    return [plan?.id, apply?.id ?? "waits", isBusy];
  });
  assert.deepEqual(kept, [
    ["plan1", "of-plan1", true],
    ["plan3", "of-plan3", true],
    ["plan4", "of-plan4", true],
    ["plan5", "of-plan5", true],
    ["plan6", "waits", true],
  ]);
  ending.abort();
});

Deno.test("PlanSet.plan plans a project again of whose apply nothing is told any more", async () => {
  const ending = new AbortController();
  const set = await begun(
    ({ id }) => Promise.resolve({ id: `lost-${id}`, state: "running" } as Apply),
    ending,
  );
  await eventually("nothing is told", () => IDS.every((id) => rowOf(set, id).problem?.status === 403));
  await set.plan(ending.signal, "a@w");
  const { plan, apply, problem } = rowOf(set, "a@w");
  assert.deepEqual([plan?.id, apply, problem], ["plan7", undefined, undefined]);
  ending.abort();
});

Deno.test("an apply of several projects asks for one fresh proof, and begins nothing once that is given up", async () => {
  for (const isGiven of [true, false]) {
    const ending = new AbortController();
    let isProven = false;
    let tried = 0;
    const set = await begun(
      ({ id }) =>
        proved(() => {
          tried++;
          if (isProven) return Promise.resolve({ id: `of-${id}`, state: "running" } as Apply);
          return client.post(PLAN_APPLY, {
            params: { id },
            payload: { basis: { declared: "", observed: "" } },
          }) as never;
        }),
      ending,
      () => isProven = true,
    );
    const questions = new Set<unknown>();
    const stop = effect(() => void (proofWanted.value !== null && questions.add(proofWanted.value)));
    const wanted = await eventually("the question", () => tried === 4 ? proofWanted.value : null);
    if (isGiven) await (wanted.by === "password" ? wanted.prove("secret") : null);
    else wanted.giveUp();
    const rows = () => set.all.value;
    await eventually(
      "all is told",
      () =>
        isGiven ? rows().filter(({ apply }) => apply).length === 4 : rows().every(({ isBusy }) => !isBusy),
    );
    assert.equal(questions.size, 1);
    assert.equal(proofWanted.value, null);
    assert.equal(tried, isGiven ? 8 : 4);
    assert.deepEqual(rows().filter(({ problem, apply }) => problem || (apply && !isGiven)), []);
    stop();
    ending.abort();
  }
});
