/** Promises about URLs: what base, template, params and query become, and what is refused. */
import { Client, Endpoint } from "@berth/client";
import { equal, freshKey, type Ground, ok, promise, rejection } from "./ground.ts";
import { seen } from "./seen.ts";

/** The request target that arrives. */
async function target(base: string, template: string, options: object = {}): Promise<string> {
  using client = new Client({ baseUrl: base });
  // deno-lint-ignore no-explicit-any -- wrong options are the point of half of these cases
  const answer = await client.get(new Endpoint(template as string), options as any);
  return (answer.json() as { target: string }).target;
}

async function refused(ground: Ground, template: string, options: object): Promise<void> {
  const error = await rejection(target(ground.http, template, options));
  ok(error instanceof TypeError, `not a TypeError: ${error} for ${template} ${Object.keys(options)}`);
}

promise("1-3, 5 a base keeps its path, whatever slashes it ends in", async ({ http }) => {
  for (const base of ["", "/"]) equal(await target(http + base, "x"), "/x");
  for (const base of ["/api", "/api/", "/api//"]) equal(await target(http + base, "x/"), "/api/x/");
  equal(await target(new URL(http + "/a/b").href, "c"), "/a/b/c");
});

promise("4 a template means the same with and without a leading slash", async ({ http }) => {
  equal([await target(http + "/api", "x"), await target(http + "/api", "/x")], ["/api/x", "/api/x"]);
});

promise("6 a base may have a port, an IPv6 address or an international name", () => {
  for (const baseUrl of ["http://[::1]:8080", "https://bücher.example/ü", new URL("http://h:1/x")]) {
    new Client({ baseUrl, verifyTls: true }).close();
  }
});

promise(
  "7-9 a base that is not http, or holds credentials, query or fragment, is refused unquoted",
  async () => {
    const bases = [
      "http://u:secret@h/",
      "http://secret@h",
      "http://h/?secret",
      "http://h/#secret",
      "ftp://secret/",
    ];
    for (const baseUrl of [...bases, "file:///secret", "/secret", "secret", ""]) {
      const error = await rejection(() => new Client({ baseUrl }));
      ok(
        error instanceof TypeError && !/secret/.test(String(error) + error.cause),
        `${baseUrl} gave ${error}`,
      );
    }
  },
);

promise("10 a template that parsing would change is refused", async () => {
  const templates = [
    "http://h/x",
    "//h",
    "/",
    "",
    "a?b",
    "a#b",
    "a\\b",
    "a b",
    "..",
    "a/../b",
    "./a",
    "%2e%2e/a",
  ];
  for (
    const template of [
      ...templates,
      "a/%2E",
      "{",
      "}",
      "{}",
      "{a",
      "a}",
      "{a{b}}",
      "{1}",
      "{a-b}",
      "a\nb",
      "a//b",
    ]
  ) {
    const error = await rejection(() => new Endpoint(template));
    ok(error instanceof TypeError, `${JSON.stringify(template)} gave ${error}`);
  }
});

promise("11-13 every key of a template is filled, key predicates included", async ({ http }) => {
  equal(await target(http, "{a}/{a}", { params: { a: "x" } }), "/x/x");
  equal(await target(http, "N({a},{b})", { params: { b: 2, a: "x" } }), "/N(x,2)");
  equal(await target(http + "/v4", "N({a})/Sub/{b}", { params: { a: 1, b: "y" } }), "/v4/N(1)/Sub/y");
});

promise("14-17, 21, 22, 24, 29 a param is percent-encoded but for A-Za-z0-9-._~", async ({ http }) => {
  const expected: [unknown, string][] = [
    ["a/b", "a%2Fb"],
    [" +&=?#%", "%20%2B%26%3D%3F%23%25"],
    ["!'()*,", "%21%27%28%29%2A%2C"],
    ["1),O(2", "1%29%2CO%282"],
    ["é😀", "%C3%A9%F0%9F%98%80"],
    ["...", "..."],
    ["a..b", "a..b"],
    ["%2e%2e", "%252e%252e"],
    ["$&", "%24%26"],
    ["$1", "%241"],
    ["{b}", "%7Bb%7D"],
    ["AZaz09-._~", "AZaz09-._~"],
    [0, "0"],
    [false, "false"],
    [12345678901234567890n, "12345678901234567890"],
  ];
  for (const [value, text] of expected) {
    equal(await target(http, "N({k})", { params: { k: value } }), `/N(${text})`);
  }
});

promise("the slashes of a {key...} stay as they are, and nothing else of it does", async ({ http }) => {
  const expected = [
    ["a.yaml", "a.yaml"],
    ["web/deep er/a#%.yaml", "web/deep%20er/a%23%25.yaml"],
    ["a%2Fb?c", "a%252Fb%3Fc"],
  ] as const;
  for (const [path, text] of expected) {
    equal(await target(http, "files/{path...}", { params: { path } }), `/files/${text}`);
    equal(await target(http, "files/{path}", { params: { path } }), `/files/${encodeURIComponent(path)}`);
  }
  for (const path of ["../a", "a/../b", "a/.", ""]) {
    const error = await rejection(target(http, "files/{path...}", { params: { path } }));
    ok(error instanceof TypeError, `${path} was sent`);
  }
});

promise(
  "18-20, 23, 25-28, 30 a param that cannot be meant is refused, and nothing is sent",
  async (ground) => {
    const key = freshKey();
    const query = { key };
    const values = ["\ud800", "a\udc00", ".", "..", "../../x", "..\\x", "a/../b", "a/.", "./a", "a\\..", ""];
    const others = [
      NaN,
      Infinity,
      -Infinity,
      null,
      undefined,
      {},
      [],
      ["a"],
      Symbol("s"),
      () => "x",
      new Date(),
    ];
    for (const k of [...values, ...others]) {
      await refused(ground, "x/{k}", { params: { k }, query });
    }
    await refused(ground, "x/{k}", { query });
    await refused(ground, "x/{k}", { params: {}, query });
    await refused(ground, "x/{k}", { params: { k: 1, extra: 1 }, query });
    await refused(ground, "x", { params: { k: 1 }, query });
    for (const name of ["toString", "constructor", "__proto__"]) {
      await refused(ground, `x/{${name}}`, { params: {}, query });
    }
    await refused(ground, "%{k}/x", { params: { k: "2e" }, query });
    equal((await seen(ground, key)).length, 0);
  },
);

promise(
  "31-39, 41 a query is written in order, keys and values encoded, null and undefined left out",
  async ({ http }) => {
    const expected: [object | undefined, string][] = [
      [{ a: 1, b: true, c: "x", d: 5n, e: 0, f: false }, "?a=1&b=true&c=x&d=5&e=0&f=false"],
      [{ a: [1, "b", null, undefined, true] }, "?a=1&a=b&a=true"],
      [{ a: [] }, ""],
      [{ a: null, b: undefined }, ""],
      [{ a: "" }, "?a="],
      [
        { a: new Date(0), b: [new Date(1)] },
        "?a=1970-01-01T00%3A00%3A00.000Z&b=1970-01-01T00%3A00%3A00.001Z",
      ],
      [{ z: 1, a: 2 }, "?z=1&a=2"],
      [{ "$filter": "a eq 'b'", "a&b": "=" }, "?%24filter=a%20eq%20%27b%27&a%26b=%3D"],
      [{ a: "+ é" }, "?a=%2B%20%C3%A9"],
      [{}, ""],
      [undefined, ""],
    ];
    for (const [query, text] of expected) equal(await target(http, "q", { query }), `/q${text}`);
  },
);

promise("36, 40 a query value that is no scalar is refused", async (ground) => {
  for (const a of [new Date(NaN), {}, [[1]], NaN, Infinity, Symbol("s"), () => 1, new Map()]) {
    await refused(ground, "q", { query: { a } });
  }
});

promise("70 the response says the whole URL that was called", async ({ http }) => {
  using client = new Client({ baseUrl: http });
  const { url, method } = await client.get(new Endpoint("x({a})"), { params: { a: "b/c" }, query: { q: 1 } });
  equal([method, url], ["GET", `${http}/x(b%2Fc)?q=1`]);
});
