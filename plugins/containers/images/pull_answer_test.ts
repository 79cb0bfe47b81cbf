import assert from "node:assert/strict";
import { streamPull } from "./pull_answer.ts";

Deno.test("a reader who leaves a pull that says nothing is let go at once, and the pull is told", async () => {
  const left = Promise.withResolvers<never>();
  const response = await streamPull(
    "application/x-ndjson",
    (progress) => {
      progress({ layer: null, status: "Waiting", current: null, total: null });
      return left.promise;
    },
    () => left.reject(new Error("The reader has left")),
  );
  const reader = response.body!.getReader();
  await reader.read();
  const read = reader.read();
  await new Promise((resolve) => setTimeout(resolve)); // the wait for the next frame has begun
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<string>((resolve) => timer = setTimeout(() => resolve("it still waits"), 1_000));

  const ended = await Promise.race([reader.cancel(), late]).finally(() => clearTimeout(timer));

  assert.equal(ended, undefined);
  assert.equal((await read).done, true);
  await assert.rejects(left.promise);
});
