/** Promises about payloads, statuses, responses, errors and broken networks. */
import {
  Client,
  ClientError,
  Endpoint,
  HttpResponse,
  isBodyLimitError,
  isClientError,
  isJsonError,
  isNetworkError,
  isStatusError,
  isTimeoutError,
  JsonError,
  NetworkError,
  StatusError,
} from "@berth/client";
import { equal, freshKey, type Ground, ok, promise, rejection } from "./ground.ts";
import { seen } from "./seen.ts";

const ECHO = new Endpoint("echo");
const STATUS = new Endpoint("do/status");

interface Echo {
  method: string;
  headers: Record<string, string>;
  body: string;
}

function at(ground: Ground, options: object = {}): Client {
  return new Client({ baseUrl: ground.http, ...options });
}

promise("42, 43, 48 any JSON value is a payload, and says that it is JSON", async (ground) => {
  using client = at(ground);
  const payloads = [{ a: [1, { b: "é" }] }, [1], null, 0, false, "", new Date(0), { toJSON: () => 7 }];
  for (const payload of payloads) {
    const { method, headers, body } = (await client.post(ECHO, { payload })).json() as Echo;
    equal([method, headers["content-type"], body], ["POST", "application/json", JSON.stringify(payload)]);
  }
});

promise("44, 49 without a payload there is no body; PUT and DELETE may have one", async (ground) => {
  using client = at(ground);
  for (const options of [{}, { payload: undefined }]) {
    const { headers, body } = (await client.post(ECHO, options)).json() as Echo;
    equal([headers["content-type"], body], [undefined, ""]);
  }
  const put = (await client.put(ECHO, { payload: 1 })).json() as Echo;
  const deleted = (await client.delete(ECHO, { payload: 2 })).json() as Echo;
  equal([put.method, put.body, deleted.method, deleted.body], ["PUT", "1", "DELETE", "2"]);
});

promise(
  "45, 46 a payload for GET, or one that JSON cannot say, is refused before anything is sent",
  async (ground) => {
    using client = at(ground);
    const key = freshKey();
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    for (const payload of [circle, 1n, () => 1, Symbol("s")]) {
      ok(
        await rejection(client.post(ECHO, { payload, query: { key } })) instanceof TypeError,
        "not a TypeError",
      );
    }
    // @ts-expect-error: GET takes no payload
    const get = client.get(ECHO, { payload: null, query: { key } });
    ok(await rejection(get) instanceof TypeError, "GET took a payload");
    equal((await seen(ground, key)).length, 0);
  },
);

promise("47 the length of a body counts bytes of UTF-8", async (ground) => {
  using client = at(ground);
  const { headers, body } = (await client.post(ECHO, { payload: "é😀" })).json() as Echo;
  equal([headers["content-length"], body], ["8", '"é😀"']);
});

promise("50 each method expects its own statuses and no neighbour of theirs", async (ground) => {
  using client = at(ground);
  const expected = { get: [200], post: [200, 201], put: [200, 201], delete: [200, 201, 204] } as const;
  for (const method of ["get", "post", "put", "delete"] as const) {
    for (const code of [200, 201, 202, 203, 204, 206]) {
      const call = client[method](STATUS, { query: { code } });
      if ((expected[method] as readonly number[]).includes(code)) equal((await call).statusCode, code);
      else {
        const error = await rejection(call);
        ok(isStatusError(error), `${method} ${code} gave ${error}`);
        equal([error.response.statusCode, error.expectedStatus], [code, expected[method]]);
      }
    }
  }
});

promise(
  "51, 52 expectedStatus replaces the default: a number, or anything that lists integers",
  async (ground) => {
    using client = at(ground);
    const get = (code: number, expectedStatus: number | Iterable<number>) =>
      client.get(STATUS, { query: { code }, expectedStatus });
    equal((await get(404, 404)).statusCode, 404);
    equal((await get(404, [403, 404])).statusCode, 404);
    equal((await get(503, new Set([503]))).statusCode, 503);
    ok(isStatusError(await rejection(get(200, 404))), "200 was not replaced");
    for (const wrong of [[], new Set<number>(), [1.5], NaN, "200" as unknown as number[]]) {
      ok(await rejection(get(200, wrong)) instanceof TypeError, `${wrong} was accepted`);
    }
  },
);

promise("53-55 a StatusError holds the whole response and quotes little of it, safely", async (ground) => {
  using client = at(ground);
  const body = "<html>\x1b[31m\x07" + "x".repeat(5000);
  const error = await rejection(client.get(STATUS, { query: { code: 500, body } }));
  ok(error instanceof StatusError && error instanceof ClientError && error.name === "StatusError", "not one");
  equal([error.method, error.url.startsWith(ground.http), error.response.text], ["GET", true, body]);
  ok(
    error.message.startsWith(`GET ${ground.http}/do/status: status 500, expected 200: <html>`),
    error.message,
  );
  // deno-lint-ignore no-control-regex -- they must not be there
  ok(error.message.length < 500 && !/[\x00-\x09\x0b-\x1f]/.test(error.message), error.message);
});

promise("56 a redirect is never followed", async (ground) => {
  using client = at(ground);
  const key = freshKey();
  const location = `${ground.http}/stolen?key=${key}`;
  for (const code of [301, 302, 303, 307, 308]) {
    const error = await rejection(client.post(STATUS, { payload: "secret", query: { code, location } }));
    if (ground.runtime === "browser") ok(isNetworkError(error) && /redirect/.test(error.message), `${error}`);
    else ok(isStatusError(error) && error.message.includes(`redirects to ${ground.http}/stolen`), `${error}`);
  }
  equal((await seen(ground, key)).length, 0);
});

promise("57 odd statuses neither hang nor crash", async (ground) => {
  using client = at(ground);
  equal((await client.get(new Endpoint("do/hints"))).json(), { after: 103 });
  for (const code of [304, 599]) {
    const error = await rejection(client.get(STATUS, { query: { code } }));
    ok(isStatusError(error) && error.response.statusCode === code, `${code} gave ${error}`);
  }
  const error = await rejection(client.get(STATUS, { query: { code: 999 } }));
  ok(isNetworkError(error) || isStatusError(error), `999 gave ${error}`);
});

promise("58, 67 json() is typed, and may be asked twice", async (ground) => {
  using client = at(ground);
  const typed = new Endpoint("do/status").typed<{ get: { response: { n: number } } }>();
  const response = await client.get(typed, { query: { body: `{"n":1}` } });
  const n: number = response.json().n;
  equal([n, response.json().n, response instanceof HttpResponse], [1, 1, true]);
});

promise(
  "59, 60 json() of an empty body, bad JSON or HTML is a JsonError with the response",
  async (ground) => {
    using client = at(ground);
    const bodies: [number, string][] = [[200, ""], [204, ""], [205, ""], [200, "{"], [200, "<p>"], [
      200,
      '"\x1b',
    ]];
    for (const [code, body] of bodies) {
      const response = await client.get(STATUS, { query: { code, body }, expectedStatus: code });
      const error = await rejection(() => response.json());
      ok(error instanceof JsonError && isJsonError(error) && error.response === response, `${error}`);
      ok(!error.message.includes("\x1b"), "an escape came through");
    }
  },
);

promise("61-63, 66 text is UTF-8 without its mark, chunked or compressed", async (ground) => {
  using client = at(ground);
  const raw = (b64: string) => client.get(new Endpoint("do/raw"), { query: { b64 } });
  equal((await raw(btoa("\xef\xbb\xbf{}"))).json(), {});
  equal((await raw(btoa('"\xe9"'))).text, '"\ufffd"');
  equal((await raw(btoa('"\xc3\xa9"'))).text, '"é"');
  const big = (how: string) => client.get(new Endpoint("do/big"), { query: { how, size: 100_000 } });
  for (const how of ["plain", "chunked", "gzip"]) equal((await big(how)).text, "a".repeat(100_000), how);
  const parts = ['["é', '😀"', "]"];
  equal((await client.get(new Endpoint("do/chunks"), { query: { parts: JSON.stringify(parts) } })).json(), [
    "é😀",
  ]);
});

promise("64, 65 headers keep every cookie and join what is repeated", async (ground) => {
  using client = at(ground);
  const { headers } = await client.get(new Endpoint("do/headers"));
  equal(headers.get("x-twice"), "1, 2");
  if (ground.runtime !== "browser") equal(headers.getSetCookie(), ["a=1", "b=2"]);
});

promise("68 show() prints method, URL, status and body, without control characters", async (ground) => {
  using client = at(ground);
  const bodies = [`{"a":[1]}`, "plain", "", "\x1b[2Jtext\u009b\x7f"];
  const responses = await Promise.all(bodies.map((body) => client.get(STATUS, { query: { body } })));
  const log = console.log;
  const printed: string[] = [];
  console.log = (text: string) => printed.push(text);
  try {
    for (const response of responses) response.show();
  } finally {
    console.log = log;
  }
  equal(printed.map((text) => text.split("\n").slice(1).join("\n")), [
    '200\n{\n  "a": [\n    1\n  ]\n}',
    "200\nplain",
    "200\n",
    "200\n\\x1b[2Jtext\\x9b\\x7f",
  ]);
  ok(printed[0]?.startsWith(`GET ${ground.http}/do/status?body=`), `${printed[0]}`);
});

promise("69, 107 a body may be as long as maxBodyBytes, decoded, and no longer", async (ground) => {
  using client = at(ground);
  const big = (limited: Client, how: string, size: number, code = 200) =>
    limited.get(new Endpoint("do/big"), { query: { how, size, code } });
  equal((await big(client, "plain", 10_000_000)).text.length, 10_000_000);
  using small = at(ground, { maxBodyBytes: 1000 });
  for (const how of ["plain", "chunked", "gzip"]) {
    equal((await big(small, how, 1000)).text.length, 1000, how);
    const error = await rejection(big(small, how, 1001));
    ok(isBodyLimitError(error), `${how} gave ${error}`);
  }
  ok(isBodyLimitError(await rejection(big(small, "gzip", 5_000_000))), "a bomb went off");
  ok(isBodyLimitError(await rejection(big(small, "plain", 5000, 500))), "an error's body was read whole");
  for (const maxBodyBytes of [0, -1, NaN]) {
    ok(
      await rejection(() => at(ground, { maxBodyBytes })) instanceof TypeError,
      `${maxBodyBytes} was accepted`,
    );
  }
});

promise("85 a connection that fails is a NetworkError with its cause", async (ground) => {
  for (const baseUrl of [ground.dead, "http://nowhere.invalid"]) {
    using client = new Client({ baseUrl });
    const error = await rejection(client.get(ECHO));
    ok(
      error instanceof NetworkError && isNetworkError(error) && error.cause !== undefined,
      `${baseUrl} gave ${error}`,
    );
    if (ground.runtime !== "browser") ok(!/: fetch failed$/.test(error.message), error.message);
  }
});

promise("85 a body that is cut short is a NetworkError", async (ground) => {
  using client = at(ground);
  for (const path of ["do/reset", "do/truncated"]) {
    const error = await rejection(client.get(new Endpoint(path as string)));
    ok(isNetworkError(error) && error.cause !== undefined, `${path} gave ${error}`);
  }
});

promise("86 nothing but a 401 is sent again", async (ground) => {
  const auth = { authHeaders: () => ({}), invalidate() {} };
  // Some runtimes repeat by themselves what was reset on a kept connection, so that one is on a fresh one.
  for (
    const [path, code] of [["do/reset", 0], ["do/status", 500], ["do/status", 503], [
      "do/status",
      403,
    ]] as const
  ) {
    const key = freshKey();
    using client = new Client({ baseUrl: code ? ground.http : ground.spare, auth });
    await rejection(client.post(new Endpoint(path as string), { payload: 1, query: { code, key } }));
    equal((await seen(ground, key)).length, 1, `${path} ${code}`);
  }
});

promise("108 guards know errors of another copy, and nothing else", async (ground) => {
  using client = at(ground);
  const own = await rejection(client.get(STATUS, { query: { code: 500 } }));
  equal([isClientError(own), isStatusError(own), isTimeoutError(own)], [true, true, false]);
  class TimeoutError extends Error {
    override readonly name: string = "TimeoutError";
  }
  const others = [
    new DOMException("x", "TimeoutError"),
    new TimeoutError(),
    new Error("x"),
    null,
    undefined,
    "x",
    1,
  ];
  for (const other of others) {
    equal([isClientError(other), isTimeoutError(other), isStatusError(other)], [false, false, false]);
  }
  const foreign = Object.assign(Object.create({ [Symbol.for("@berth/client")]: 1 }), {
    name: "TimeoutError",
  });
  equal([isClientError(foreign), isTimeoutError(foreign), isStatusError(foreign)], [true, true, false]);
});
