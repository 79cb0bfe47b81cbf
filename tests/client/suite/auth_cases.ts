/** Promises about credentials: one retry after a 401, one login however many wait, no token where it can be read. */
import {
  type Auth,
  BearerAuth,
  Client,
  Endpoint,
  isStatusError,
  isTimeoutError,
  type TokenPair,
} from "@berth/client";
import { equal, eventually, freshKey, ok, promise, rejection } from "./ground.ts";
import { release, seen } from "./seen.ts";

const GUARDED = new Endpoint("do/guarded");
const OPEN = new Endpoint("echo");

/** An Auth that hands out the given tokens, one a login, and counts. */
class Scripted implements Auth {
  asked = 0;
  invalidated = 0;
  logins = 0;
  #token: string | undefined;
  readonly #tokens: string[];
  readonly #before: () => void | Promise<void>;

  constructor(tokens: string[], before: () => void | Promise<void> = () => {}) {
    this.#tokens = tokens;
    this.#before = before;
  }

  async authHeaders(): Promise<Record<string, string>> {
    this.asked++;
    if (this.#token === undefined) {
      this.logins++;
      await this.#before();
      this.#token = this.#tokens.shift() ?? "stale";
    }
    return { authorization: `Bearer ${this.#token}` };
  }

  invalidate(): void {
    this.invalidated++;
    this.#token = undefined;
  }

  get counts(): number[] {
    return [this.asked, this.invalidated, this.logins];
  }
}

promise(
  "87, 91 credentials go out with auth and not without; a 401 without auth is not retried",
  async (ground) => {
    using open = new Client({ baseUrl: ground.http });
    using closed = new Client({ baseUrl: ground.http, auth: new BearerAuth("fresh") });
    const sent = async (client: Client) =>
      ((await client.get(OPEN)).json() as { headers: Record<string, string> }).headers["authorization"];
    equal([await sent(open), await sent(closed)], [undefined, "Bearer fresh"]);
    const key = freshKey();
    ok(isStatusError(await rejection(open.get(GUARDED, { query: { key } }))), "not a StatusError");
    equal((await seen(ground, key)).length, 1);
  },
);

promise("88 after a 401: invalidate(), authHeaders(), and the same request once more", async (ground) => {
  const auth = new Scripted(["stale", "fresh"]);
  using client = new Client({ baseUrl: ground.http, auth });
  const key = freshKey();
  const payload = { big: "é".repeat(1000) };
  equal((await client.post(GUARDED, { payload, query: { key } })).json(), { ok: true });
  const arrived = await seen(ground, key);
  equal(arrived.map(({ method, body }) => [method, body]), Array(2).fill(["POST", JSON.stringify(payload)]));
  equal(arrived.map(({ headers }) => headers["authorization"]), ["Bearer stale", "Bearer fresh"]);
  equal(auth.counts, [2, 1, 2]);
});

promise("89, 90 the second answer counts, be it 401, 403 or 500: two requests, no more", async (ground) => {
  for (
    const [tokens, other, code] of [[["stale"], 0, 401], [["stale", "odd"], 500, 500], [
      ["stale", "odd"],
      403,
      403,
    ]] as const
  ) {
    const auth = new Scripted([...tokens]);
    using client = new Client({ baseUrl: ground.http, auth });
    const key = freshKey();
    const error = await rejection(client.get(GUARDED, { query: { key, other } }));
    ok(isStatusError(error), `gave ${error}`);
    equal([error.response.statusCode, (await seen(ground, key)).length, auth.invalidated], [code, 2, 1]);
  }
});

promise("100 a 403 refreshes nothing", async (ground) => {
  const auth = new Scripted(["odd"]);
  using client = new Client({ baseUrl: ground.http, auth });
  await rejection(client.get(GUARDED, { query: { other: 403 } }));
  equal(auth.counts, [1, 0, 1]);
});

promise("103 an expected 401 is retried like any other, then accepted", async (ground) => {
  const auth = new Scripted(["stale", "stale"]);
  using client = new Client({ baseUrl: ground.http, auth });
  const key = freshKey();
  const { statusCode } = await client.get(GUARDED, { query: { key }, expectedStatus: [200, 401] });
  equal([statusCode, (await seen(ground, key)).length, ...auth.counts], [401, 2, 2, 1, 2]);
});

promise("92 fifty parallel 401s make one invalidate(), one login and a hundred requests", async (ground) => {
  const auth = new Scripted(["stale", "fresh"]);
  using client = new Client({ baseUrl: ground.http, auth });
  const key = freshKey();
  // A browser opens six connections at a time, so only as many can be gathered; equal GETs it sends one by one.
  const gather = ground.runtime === "browser" ? 6 : 50;
  const calls = Array.from({ length: gather }, () => client.post(GUARDED, { query: { key, gather } }));
  equal((await Promise.all(calls)).map((r) => r.statusCode), Array(gather).fill(200));
  equal([(await seen(ground, key)).length, auth.invalidated, auth.logins], [2 * gather, 1, 2]);
});

promise("93, 97 first calls share one login, over clients that share the Auth", async (ground) => {
  const auth = new Scripted(["fresh"], () => new Promise((resolve) => setTimeout(resolve, 20)));
  using one = new Client({ baseUrl: ground.http, auth });
  using two = new Client({ baseUrl: ground.http + "/", auth });
  await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 ? one : two).get(GUARDED)));
  equal(auth.counts, [1, 0, 1]);
});

promise("94 a late 401 does not throw away the token that came since", async (ground) => {
  const auth = new Scripted(["stale", "fresh"]);
  using client = new Client({ baseUrl: ground.http, auth });
  const key = freshKey();
  const late = client.get(GUARDED, { query: { key, gather: 99 } });
  await eventually("the first request is held", async () => (await seen(ground, key)).length === 1);
  await client.get(GUARDED);
  equal([auth.invalidated, auth.logins], [1, 2]);
  await eventually("it is let go", async () => await release(ground, key) === 1);
  equal((await late).statusCode, 200);
  equal([auth.invalidated, auth.logins], [1, 2]);
});

promise("95 a call begun during a login waits for it and is sent once", async (ground) => {
  let done = () => {};
  const auth: Scripted = new Scripted(["stale", "fresh"], async () => {
    if (auth.logins === 2) await new Promise<void>((resolve) => done = resolve);
  });
  using client = new Client({ baseUrl: ground.http, auth });
  const first = client.get(GUARDED);
  await eventually("the second login runs", () => auth.logins === 2);
  const key = freshKey();
  const second = client.get(GUARDED, { query: { key } });
  done();
  equal([(await first).statusCode, (await second).statusCode, (await seen(ground, key)).length], [
    200,
    200,
    1,
  ]);
});

promise("96 a failed login rejects all who wait for it, and the next call tries anew", async (ground) => {
  let fail = true;
  const auth = new Scripted(["fresh"], () => {
    if (fail) throw new Error("no login today");
  });
  using client = new Client({ baseUrl: ground.http, auth });
  const failed = await Promise.all(Array.from({ length: 5 }, () => rejection(client.get(GUARDED))));
  equal([failed.map((error) => error.message), auth.logins], [Array(5).fill("no login today"), 1]);
  fail = false;
  equal((await client.get(GUARDED)).statusCode, 200);
});

promise("98 a waiter that gives up leaves the login to the others", async (ground) => {
  let done = () => {};
  const auth = new Scripted(["fresh"], () => new Promise<void>((resolve) => done = resolve));
  using client = new Client({ baseUrl: ground.http, auth });
  using hasty = new Client({ baseUrl: ground.http, auth, timeoutS: 0.05 });
  const controller = new AbortController();
  const aborted = rejection(client.get(GUARDED, { signal: controller.signal }));
  const patient = client.get(GUARDED);
  ok(isTimeoutError(await rejection(hasty.get(GUARDED))), "the hasty one waited");
  controller.abort("enough");
  equal(await aborted as unknown, "enough");
  done();
  equal([(await patient).statusCode, auth.logins], [200, 1]);
});

promise(
  "99 invalidate() may be asynchronous, and a login that calls its own client ends by its time",
  async (ground) => {
    const steps: string[] = [];
    let token = "stale";
    const slow: Auth = {
      authHeaders: () => (steps.push("ask " + token), { authorization: "Bearer " + token }),
      async invalidate() {
        await new Promise((resolve) => setTimeout(resolve, 5));
        token = "fresh";
        steps.push("invalidated");
      },
    };
    using client = new Client({ baseUrl: ground.http, auth: slow });
    await client.get(GUARDED);
    equal(steps, ["ask stale", "invalidated", "ask fresh"]);

    const circular: Auth = {
      authHeaders: async () => (await own.get(OPEN), {}),
      invalidate() {},
    };
    using own = new Client({ baseUrl: ground.http, auth: circular, timeoutS: 0.1 });
    ok(isTimeoutError(await rejection(own.get(OPEN))), "not a TimeoutError");
  },
);

promise("101 a header that cannot be sent is refused without being quoted", async (ground) => {
  for (const value of ["sécret\u0416", "secret\r\nX: 1", "secret\0"]) {
    using client = new Client({
      baseUrl: ground.http,
      auth: { authHeaders: () => ({ "x-key": value }), invalidate() {} },
    });
    const error = await rejection(client.get(OPEN));
    ok(error instanceof TypeError && !/s.cret/.test(error.message + String(error.cause)), `${error}`);
  }
});

promise("101 BearerAuth takes a token, or what fetches one, and trims it", async () => {
  for (const source of ["tok", " tok\n", () => "tok\r\n", () => Promise.resolve("tok")]) {
    equal(await new BearerAuth(source).authHeaders(), { authorization: "Bearer tok" });
  }
});

promise("101 BearerAuth refuses a token that a header cannot hold, and quotes it nowhere", async () => {
  for (const bad of ["", " \n", "secret\r\nX: 1", "secret two", "sécret", "secret\u0416", 7, undefined, {}]) {
    for (
      const make of [
        () => new BearerAuth(bad as string),
        () => new BearerAuth(() => bad as string).authHeaders(),
      ]
    ) {
      const error = await rejection(async () => await make());
      ok(
        error instanceof TypeError && !/s.cret/.test(error.message + error.stack),
        `${String(bad)} gave ${error}`,
      );
    }
  }
});

promise("101 no token is shown by an Auth, a client or an error", async (ground) => {
  const auth = new BearerAuth("hush-hush");
  using client = new Client({ baseUrl: ground.http, auth });
  using nowhere = new Client({ baseUrl: ground.dead, auth });
  const errors = [await rejection(client.get(GUARDED)), await rejection(nowhere.get(OPEN))];
  const { Deno, Bun, process } = globalThis as unknown as
    & Record<"Deno" | "Bun", { inspect(it: unknown): string }>
    & {
      process?: { getBuiltinModule?(id: string): { inspect(it: unknown, options: object): string } };
    };
  const shown = [auth, client, ...errors].map((it) =>
    JSON.stringify(it) + String(it) + ((it as Error).stack ?? "") +
    (Deno?.inspect(it) ?? "") + (Bun?.inspect(it) ?? "") +
    (process?.getBuiltinModule?.("node:util").inspect(it, { showHidden: true, depth: 9 }) ?? "")
  );
  ok(!shown.join().includes("hush"), "the token was shown");
});

promise("101 BearerAuth by itself logs in once for all who ask, and again after invalidate()", async () => {
  let logins = 0;
  const auth = new BearerAuth(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return `t${++logins}`;
  });
  const asked = () => Promise.all(Array.from({ length: 5 }, () => auth.authHeaders()));
  equal(await asked(), Array(5).fill({ authorization: "Bearer t1" }));
  auth.invalidate();
  equal(await asked(), Array(5).fill({ authorization: "Bearer t2" }));
});

promise(
  "104 a token pair is rotated: each refresh token is spent once, whoever gives up midway",
  async (ground) => {
    const spent: string[] = [];
    let done = () => {};
    const auth = new BearerAuth({
      accessToken: "stale",
      refreshToken: "r0",
      async refresh(refreshToken: string): Promise<TokenPair> {
        spent.push(refreshToken);
        await new Promise<void>((resolve) => done = resolve);
        return { accessToken: spent.length > 1 ? "fresh" : "stale", refreshToken: `r${spent.length}` };
      },
    });
    using client = new Client({ baseUrl: ground.http, auth });
    const controller = new AbortController();
    const given = rejection(client.get(GUARDED, { signal: controller.signal }));
    await eventually("the refresh runs", () => spent.length === 1);
    controller.abort("enough");
    equal(await given as unknown, "enough");
    const next = client.get(GUARDED);
    done();
    await eventually("the next refresh runs", () => spent.length === 2);
    done();
    equal([(await next).statusCode, spent], [200, ["r0", "r1"]]);
  },
);

promise(
  "104 a refresh that fails is reported, and its token tried again by the next call only",
  async (ground) => {
    const spent: string[] = [];
    const auth = new BearerAuth({
      accessToken: "stale",
      refreshToken: "r0",
      refresh(refreshToken: string): TokenPair {
        spent.push(refreshToken);
        if (spent.length === 1) throw new Error("offline");
        return { accessToken: "fresh", refreshToken: "r1" };
      },
    });
    using client = new Client({ baseUrl: ground.http, auth });
    equal((await rejection(client.get(GUARDED))).message, "offline");
    equal([(await client.get(GUARDED)).statusCode, spent], [200, ["r0", "r0"]]);
  },
);
