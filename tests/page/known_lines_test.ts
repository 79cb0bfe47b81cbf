/** Lines of a service's log that is cut off anywhere and read again, as the page shows them. */
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { KnownLines } from "../../page/live/known_lines.ts";

interface Line {
  readonly task: string;
  readonly stream: string;
  readonly time: string;
}

const timeOf = (nanos: number) => `2026-01-01T00:00:00.${String(nanos).padStart(9, "0")}Z`;

/** The lines of two tasks with two streams each, of which many have the time of the one before. */
const LOG = fc.array(
  fc.record({ task: fc.constantFrom("a", "b"), stream: fc.constantFrom("o", "e"), later: fc.nat(2) }),
  {
    minLength: 1,
    maxLength: 60,
  },
).map((steps) => {
  const at = new Map<string, number>();
  return steps.map(({ task, stream, later }): Line => {
    const nanos = (at.get(task) ?? 0) + later;
    at.set(task, nanos);
    return { task, stream, time: timeOf(nanos) };
  });
});

Deno.test("KnownLines shows each line once where a log is cut off anywhere and resumed behind its last cursor", () => {
  const sizes = fc.array(fc.tuple(fc.nat(20), fc.nat(20), fc.boolean()), { maxLength: 8 });
  fc.assert(
    fc.property(LOG, sizes, (log, parts) => {
      const known = new KnownLines();
      const shown: Line[] = [];
      const read = (from: number, to: number) => {
        for (const line of log.slice(from, to)) {
          const { isNew, gap } = known.take(line.task, line.stream, line.time);
          assert.equal(gap, null);
          if (isNew) shown.push(line);
        }
      };
      let cursor = 0;
      for (const [told, more, hasCursor] of parts) {
        read(cursor, cursor + told);
        if (hasCursor) {
          cursor = Math.min(log.length, cursor + told);
          known.mark();
          read(cursor, cursor + more);
        }
        known.resume(true);
      }
      read(cursor, log.length);

      assert.deepEqual(shown, log);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("KnownLines tells where lines may be missing that the last ones of a task do not reach back to", () => {
  const known = new KnownLines();
  const take = (at: number) => known.take("a", "stdout", timeOf(at));
  for (const at of [1, 2, 3]) assert.deepEqual(take(at), { isNew: true, gap: null });

  known.resume(false);
  assert.deepEqual([2, 3, 4].map(take), [
    { isNew: false, gap: null },
    { isNew: false, gap: null },
    { isNew: true, gap: null },
  ]);

  known.resume(false);
  assert.deepEqual([8, 9].map(take), [
    { isNew: true, gap: { after: timeOf(4), before: timeOf(8) } },
    { isNew: true, gap: null },
  ]);
});

Deno.test("KnownLines shows a gap once that is told again after a cut", () => {
  const known = new KnownLines();
  const gap = { after: timeOf(1), before: null };
  known.take("a", "stdout", timeOf(1));
  assert.ok(known.takeGap("a", gap));
  known.resume(true);
  assert.ok(!known.takeGap("a", gap));
  assert.ok(known.takeGap("a", { after: timeOf(2), before: null }));
});

Deno.test("KnownLines shows lines of a clock that was put back, also after a cut", () => {
  const known = new KnownLines();
  const isNew = (at: number) => known.take("a", "stdout", timeOf(at)).isNew;
  assert.deepEqual([5, 6].map(isNew), [true, true]);
  known.resume(true);
  assert.deepEqual([6, 7, 2, 3].map(isNew), [false, true, true, true]);
});
