/** Promises about TLS: what is verified, by what, and what is said when it is not. */
import {
  Client,
  type ClientOptions,
  Endpoint,
  isBodyLimitError,
  isNetworkError,
  isTimeoutError,
} from "@berth/client";
import type { Kind } from "../certificates.ts";
import { equal, freshKey, type Ground, ok, promise, rejection } from "./ground.ts";
import { seen } from "./seen.ts";

const ECHO = new Endpoint("echo");

function at(ground: Ground, kind: Kind, options: Partial<ClientOptions> = {}): Client {
  return new Client({ baseUrl: `https://127.0.0.1:${ground.https[kind].port}`, ...options });
}

/** Runs it with `console.warn` caught; gives what was warned. */
async function warnings(run: () => Promise<void>): Promise<string[]> {
  const { warn } = console;
  const caught: string[] = [];
  console.warn = (text: string) => caught.push(text);
  try {
    await run();
  } finally {
    console.warn = warn;
  }
  return caught;
}

const kinds: Kind[] = ["self-signed CA", "self-signed leaf", "no SAN", "private CA", "wrong host", "expired"];

promise("102 by default and with verifyTls: false any certificate will do", async (ground) => {
  await warnings(async () => {
    for (const kind of kinds) {
      for (const options of [{}, { verifyTls: false }]) {
        using client = at(ground, kind, options);
        equal((await client.post(ECHO, { payload: "é" })).statusCode, 200, kind);
      }
    }
  });
}, ["browser"]);

promise("102 with verifyTls: true no certificate of an unknown issuer will do", async (ground) => {
  for (const kind of kinds) {
    using client = at(ground, kind, { verifyTls: true });
    const error = await rejection(client.get(ECHO));
    ok(isNetworkError(error) && error.cause !== undefined, `${kind} gave ${error}`);
  }
});

promise("102 caCerts trust what they vouch for; host and expiry still count", async (ground) => {
  for (const kind of kinds) {
    using client = at(ground, kind, { caCerts: [ground.https[kind].ca] });
    const outcome = await client.get(ECHO).then(
      () => "answers",
      (error) => isNetworkError(error) ? "fails" : error,
    );
    if (kind === "private CA") equal(outcome, "answers", kind);
    else if (kind === "wrong host" || kind === "expired") equal(outcome, "fails", kind);
    // Runtimes differ on certificates that vouch for themselves, and on names without SAN.
    else ok(["answers", "fails"].includes(outcome), `${kind} gave ${outcome}`);
  }
}, ["browser"]);

promise("102 caCerts replace the runtime's roots, and others do not vouch", async (ground) => {
  using client = at(ground, "private CA", { caCerts: [ground.https["self-signed CA"].ca] });
  ok(isNetworkError(await rejection(client.get(ECHO))), "a stranger vouched");
  using two = at(ground, "private CA", {
    caCerts: [ground.https["self-signed CA"].ca, ground.https["private CA"].ca],
  });
  equal((await two.get(ECHO)).statusCode, 200);
}, ["browser"]);

promise("102 what one client did not verify the next one still does", async (ground) => {
  await warnings(async () => {
    using lax = at(ground, "private CA");
    await lax.get(ECHO);
    using strict = at(ground, "private CA", { verifyTls: true });
    ok(isNetworkError(await rejection(strict.get(ECHO))), "fetch took it");
    using pinned = at(ground, "private CA", { caCerts: [ground.https["self-signed CA"].ca] });
    ok(isNetworkError(await rejection(pinned.get(ECHO))), "node:https took it");
  });
}, ["browser"]);

promise(
  "106 one warning a client when https is not verified, naming the origin, and none else",
  async (ground) => {
    const origin = `https://127.0.0.1:${ground.https["private CA"].port}`;
    const caught = await warnings(async () => {
      using lax = at(ground, "private CA");
      await lax.get(ECHO);
      await lax.get(ECHO);
      using pinned = at(ground, "private CA", { caCerts: [ground.https["private CA"].ca] });
      await pinned.get(ECHO);
      using plain = new Client({ baseUrl: ground.http });
      await plain.get(ECHO);
    });
    equal(caught.map((text) => text.includes(origin)), [true]);
  },
  ["browser"],
);

promise("102 TLS options that cannot be honoured are refused", async (ground) => {
  const ca = ground.https["private CA"].ca;
  const send = (url: string, init: RequestInit) => fetch(url, init);
  const wrong: Partial<ClientOptions>[] = [
    { caCerts: [] },
    { caCerts: [ca], verifyTls: false },
    { fetch: send, verifyTls: true },
    { fetch: send, verifyTls: false },
    { fetch: send, caCerts: [ca] },
  ];
  for (const options of wrong) {
    ok(
      await rejection(() => at(ground, "private CA", options)) instanceof TypeError,
      `${Object.keys(options)}`,
    );
  }
});

promise(
  "102 where TLS cannot be changed only the unspoken default is accepted, and verifies",
  async (ground) => {
    const { process } = globalThis as { process?: { getBuiltinModule?: unknown } };
    const kept = process?.getBuiltinModule;
    if (process) process.getBuiltinModule = undefined;
    try {
      const ca = ground.https["private CA"].ca;
      for (const options of [{ verifyTls: false }, { caCerts: [ca] }]) {
        ok(
          await rejection(() => at(ground, "private CA", options)) instanceof TypeError,
          `${Object.keys(options)}`,
        );
      }
      using client = at(ground, "private CA");
      ok(isNetworkError(await rejection(client.get(ECHO))), "it did not verify");
    } finally {
      if (process) process.getBuiltinModule = kept;
    }
  },
);

promise("57, 59, 63, 85 over node:https odd answers neither hang nor crash", async (ground) => {
  await warnings(async () => {
    using client = at(ground, "private CA");
    const get = (path: string, query = {}, expectedStatus = 200) =>
      client.get(new Endpoint(path), { query, expectedStatus });
    for (const code of [204, 205, 304, 599]) {
      equal((await get("do/status", { code }, code)).text, "", `${code}`);
    }
    ok(isNetworkError(await rejection(get("do/status", { code: 999 }))), "999");
    ok(isNetworkError(await rejection(get("do/big", { how: "gzip", size: 100 }))), "gzip, unasked");
    ok(isNetworkError(await rejection(get("do/truncated"))), "truncated");
    ok(isNetworkError(await rejection(get("do/reset"))), "reset");
    equal((await get("do/hints")).json(), { after: 103 });
    equal((await get("do/headers")).headers.getSetCookie(), ["a=1", "b=2"]);
    equal((await get("do/big", { how: "chunked", size: 3_000_000 })).text.length, 3_000_000);
  });
}, ["browser"]);

promise("71, 72, 78, 107 over node:https time, abort and cap hold as over fetch", async (ground) => {
  await warnings(async () => {
    using brief = at(ground, "private CA", { timeoutS: 0.3, maxBodyBytes: 1000 });
    for (const path of ["do/hang", "do/stall", "do/trickle"]) {
      const error = await rejection(brief.get(new Endpoint(path as string)));
      ok(isTimeoutError(error), `${path} gave ${error}`);
    }
    using client = at(ground, "private CA", { maxBodyBytes: 1000 });
    for (const how of ["plain", "chunked"]) {
      const big = (size: number) => client.get(new Endpoint("do/big"), { query: { how, size } });
      equal((await big(1000)).text.length, 1000);
      ok(isBodyLimitError(await rejection(big(1001))), how);
    }
    const key = freshKey();
    const signal = AbortSignal.abort("gone");
    equal(await rejection(client.get(ECHO, { signal, query: { key } })) as unknown, "gone");
    equal((await seen(ground, key)).length, 0);
  });
}, ["browser"]);
