/** Promises about time: one budget a call, whose end is told apart from an abort and from close(). */
import { Client, ClosedError, Endpoint, isClosedError, isTimeoutError, TimeoutError } from "@berth/client";
import { equal, eventually, freshKey, ok, promise, rejection } from "./ground.ts";
import { seen } from "./seen.ts";

const HANG = new Endpoint("do/hang");
const GUARDED = new Endpoint("do/guarded");
const ECHO = new Endpoint("echo");

/** The garbage collector, where it can be called. */
const collect = (globalThis as { gc?: () => void }).gc;

promise(
  "71-73, 77, 81 time runs out before the headers, within the body and in a trickle",
  async ({ http }) => {
    using client = new Client({ baseUrl: http, timeoutS: 0.3 });
    const collecting = setInterval(() => collect?.(), 20);
    try {
      for (const path of ["do/hang", "do/stall", "do/trickle"]) {
        const error = await rejection(client.get(new Endpoint(path as string)));
        ok(error instanceof TimeoutError && isTimeoutError(error), `${path} gave ${error}`);
        equal([error.method, error.url], ["GET", `${http}/${path}`]);
      }
    } finally {
      clearInterval(collecting);
    }
  },
);

promise(
  "71 the time of a call takes the place of the client's, be it longer or shorter",
  async ({ http }) => {
    using client = new Client({ baseUrl: http, timeoutS: 0.2 });
    const late = new Endpoint("do/late");
    equal((await client.get(late, { query: { ms: 400 }, timeoutS: 5 })).statusCode, 200);
    using patient = new Client({ baseUrl: http });
    ok(
      isTimeoutError(await rejection(patient.get(HANG, { timeoutS: 0.1 }))),
      "the client's own time counted",
    );
  },
);

promise("74 a login that never ends is bounded by the call's time", async ({ http }) => {
  const auth = { authHeaders: () => new Promise<Record<string, string>>(() => {}), invalidate() {} };
  using client = new Client({ baseUrl: http, timeoutS: 0.1, auth });
  ok(isTimeoutError(await rejection(client.get(ECHO))), "not a TimeoutError");
});

promise("75 the retry gets what is left of the time, not a budget of its own", async ({ http }) => {
  const auth = { authHeaders: () => ({ authorization: "Bearer stale" }), invalidate() {} };
  using client = new Client({ baseUrl: http, timeoutS: 0.5, auth });
  // Two answers of 300 ms each: within two budgets of 500 ms, never within one.
  ok(isTimeoutError(await rejection(client.get(GUARDED, { query: { ms: 300 } }))), "not a TimeoutError");
});

promise("74 a call that ended while it waited for a login is not sent after it", async (ground) => {
  const key = freshKey();
  let done = (_: Record<string, string>) => {};
  const login = new Promise<Record<string, string>>((resolve) => done = resolve);
  using client = new Client({
    baseUrl: ground.http,
    timeoutS: 0.1,
    auth: { authHeaders: () => login, invalidate() {} },
  });
  await rejection(client.get(ECHO, { query: { key } }));
  done({});
  using other = new Client({ baseUrl: ground.http });
  await other.get(ECHO);
  equal((await seen(ground, key)).length, 0);
});

promise("76 timeoutS is above 0; fractions and huge values do what they say", async ({ http }) => {
  for (const timeoutS of [0, -1, NaN]) {
    ok(
      await rejection(() => new Client({ baseUrl: http, timeoutS })) instanceof TypeError,
      `${timeoutS} was accepted`,
    );
  }
  for (const timeoutS of [1e9, Infinity, 100.0001]) {
    using client = new Client({ baseUrl: http, timeoutS });
    equal((await client.get(new Endpoint("do/late"), { query: { ms: 20 } })).statusCode, 200, `${timeoutS}`);
  }
  using brief = new Client({ baseUrl: http, timeoutS: 0.0015 });
  ok(isTimeoutError(await rejection(brief.get(HANG))), "0.0015 did not end it");
});

promise("78 an abort rejects with the caller's own reason, at whatever time", async (ground) => {
  using client = new Client({ baseUrl: ground.http });
  for (const reason of [new Error("mine"), "a string", { an: "object" }]) {
    const early = new AbortController();
    const before = client.get(HANG, { signal: early.signal });
    early.abort(reason);
    equal(await rejection(before) === reason, true);
    for (const path of ["do/hang", "do/stall"]) {
      const key = freshKey();
      const during = new AbortController();
      const call = rejection(
        client.get(new Endpoint(path as string), { signal: during.signal, query: { key } }),
      );
      await eventually("the request arrives", async () => (await seen(ground, key)).length === 1);
      during.abort(reason);
      equal(await call === reason as unknown, true, path);
    }
  }
});

promise("79 with a signal that is aborted already nothing is sent", async (ground) => {
  using client = new Client({ baseUrl: ground.http });
  const key = freshKey();
  const error = await rejection(client.get(ECHO, { signal: AbortSignal.abort("gone"), query: { key } }));
  equal([error, (await seen(ground, key)).length], ["gone", 0]);
});

promise(
  "80, 83 fifty calls may share one signal, and an abort after their end is silent",
  async ({ http }) => {
    const warnings: unknown[] = [];
    const warned = (warning: unknown) => warnings.push(warning);
    const { process } = globalThis as { process?: { on?: typeof on; off?: typeof on } };
    const on = (_event: string, _listener: (warning: unknown) => void) => {};
    process?.on?.("warning", warned);
    try {
      using client = new Client({ baseUrl: http });
      const { signal, abort } = new class extends AbortController {
        override readonly abort = super.abort.bind(this);
      }();
      const all = await Promise.all(Array.from({ length: 50 }, () => client.get(ECHO, { signal })));
      equal(all.map((response) => response.statusCode), Array(50).fill(200));
      abort("late");
      await new Promise((resolve) => setTimeout(resolve, 0));
      equal(warnings.map(String), []);
    } finally {
      process?.off?.("warning", warned);
    }
  },
);

promise("78 one signal ends all calls that share it", async (ground) => {
  using client = new Client({ baseUrl: ground.http });
  const controller = new AbortController();
  const calls = Array.from({ length: 5 }, () => rejection(client.get(HANG, { signal: controller.signal })));
  controller.abort("all");
  equal(await Promise.all(calls), Array(5).fill("all"));
});

promise(
  "77, 105 close() rejects what runs and what comes with a ClosedError, and may be said twice",
  async (ground) => {
    const client = new Client({ baseUrl: ground.http });
    const key = freshKey();
    const body = rejection(client.get(new Endpoint("do/stall"), { query: { key } }));
    const head = rejection(client.get(HANG));
    await eventually("the request arrives", async () => (await seen(ground, key)).length === 1);
    client.close();
    client.close();
    for (const error of [await body, await head, await rejection(client.get(ECHO))]) {
      ok(error instanceof ClosedError && isClosedError(error), `gave ${error}`);
    }
  },
);

promise("105 close() ends a call that waits for its login", async ({ http }) => {
  const auth = { authHeaders: () => new Promise<Record<string, string>>(() => {}), invalidate() {} };
  const client = new Client({ baseUrl: http, auth });
  const waiting = rejection(client.get(ECHO));
  client.close();
  ok(isClosedError(await waiting), "not a ClosedError");
});

promise("102 using and await using close the client", async ({ http }) => {
  let kept: Client;
  {
    using client = new Client({ baseUrl: http });
    kept = client;
    await client.get(ECHO);
  }
  ok(isClosedError(await rejection(kept.get(ECHO))), "using left it open");
  {
    await using client = new Client({ baseUrl: http });
    kept = client;
  }
  ok(isClosedError(await rejection(kept.get(ECHO))), "await using left it open");
});

promise("71 the time bounds a fetch of one's own, even one that ignores its signal", async ({ http }) => {
  const fetch = () => new Promise<Response>(() => {});
  using client = new Client({ baseUrl: http, timeoutS: 0.05, fetch });
  ok(isTimeoutError(await rejection(client.get(ECHO))), "not a TimeoutError");
});

promise("84 thousands of calls over one signal leave nothing behind", async ({ http }) => {
  if (!collect) return;
  const { process } = globalThis as unknown as { process: { memoryUsage(): { heapUsed: number } } };
  using client = new Client({ baseUrl: http });
  const { signal } = new AbortController();
  const heapAfter = async (calls: number) => {
    for (let i = 0; i < calls; i += 20) {
      await Promise.all(Array.from({ length: 20 }, () => client.get(ECHO, { signal })));
    }
    for (let i = 0; i < 5; i++) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return process.memoryUsage().heapUsed;
  };
  const before = await heapAfter(2000);
  const after = await heapAfter(6000);
  // A listener, timer or controller kept a call would be several hundred bytes each: 2 MB and more.
  ok(after - before < 1_500_000, `the heap grew by ${after - before} bytes`);
});
