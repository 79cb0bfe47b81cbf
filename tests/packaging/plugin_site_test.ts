/** Promises of a plugin's page: served at `/`, strictly typed and guarded, and never a file outside its folder. */
import assert from "node:assert/strict";
import { plugin } from "../../plugins/plugin.ts";
import type { Site } from "../../http/site/static_site.ts";
import { sendRaw } from "../support/raw_http.ts";
import { startService } from "../support/service.ts";

function paged(site: Site, name = "page") {
  return plugin({
    name,
    summary: "Serves a page",
    version: "1.0.0",
    site,
    start: () => Promise.resolve({ [Symbol.asyncDispose]: () => Promise.resolve() }),
  });
}

/** A built page as a bundler leaves it, beside a secret that is not its own. */
async function builtPage() {
  const folder = await Deno.makeTempDir({ prefix: "berth-page-" });
  await Deno.mkdir(`${folder}/dist/assets`, { recursive: true });
  await Deno.writeTextFile(`${folder}/secret.txt`, "canary-1177");
  await Deno.writeTextFile(`${folder}/dist/index.html`, "<!doctype html><title>A page</title>");
  await Deno.writeTextFile(`${folder}/dist/assets/app-3fa9c1b2.js`, `console.log("${"x".repeat(2_000)}");`);
  await Deno.writeTextFile(`${folder}/dist/a b.css`, "a{}");
  await Deno.symlink(`${folder}/secret.txt`, `${folder}/dist/link.txt`);
  return {
    files: new URL(`file://${folder}/dist`),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

Deno.test("a plugin's page is served at /, with types, tags and headers, without a credential", async () => {
  await using page = await builtPage();
  await using berth = await startService({ install: [paged(page)] });
  const caller = berth.anonymous();

  const index = await caller.call("GET /");
  const script = await caller.call("GET /assets/app-3fa9c1b2.js");
  const style = await caller.call("GET /a%20b.css");

  assert.deepEqual([index.status, index.text], [200, "<!doctype html><title>A page</title>"]);
  assert.equal(index.headers.get("content-type"), "text/html; charset=utf-8");
  assert.equal(index.headers.get("cache-control"), "no-cache, no-transform");
  const policy = index.headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /unsafe/);
  assert.equal(index.headers.get("x-content-type-options"), "nosniff");
  assert.equal(script.headers.get("content-type"), "text/javascript; charset=utf-8");
  assert.match(script.headers.get("cache-control") ?? "", /immutable/);
  assert.equal(style.headers.get("content-type"), "text/css; charset=utf-8");
  const again = await caller.call("GET /", undefined, {
    headers: { "if-none-match": index.headers.get("etag") ?? "" },
  });
  assert.deepEqual([again.status, again.text], [304, ""]);
});

Deno.test("a view of the page answers index.html to a browser, and everything else stays a problem", async () => {
  await using page = await builtPage();
  await using berth = await startService({ install: [paged(page)] });
  const browser = { headers: { accept: "text/html,application/xhtml+xml" } };

  for (const path of ["/projects/shop", "/projects/shop.example"]) {
    assert.match((await berth.call(`GET ${path}`, undefined, browser)).text, /A page/, path);
  }
  for (
    const [route, status, code] of [
      ["GET /projects/shop", 404, "not_found"],
      ["GET /missing.js", 404, "not_found"],
      ["POST /", 404, "not_found"],
      ["GET /api/none", 404, "not_found"],
      ["GET /api", 404, "not_found"],
    ] as const
  ) {
    const { body, ...answer } = await berth.call(route, undefined, route.includes("/api") ? browser : {});
    assert.deepEqual([answer.status, body.code], [status, code], route);
  }
});

Deno.test("no spelling of a path leaves the page's folder, and a link in it is not followed", async () => {
  await using page = await builtPage();
  await using berth = await startService({ install: [paged(page)] });

  for (
    const path of [
      "/link.txt",
      "/../secret.txt",
      "/assets/../../secret.txt",
      "/%2e%2e/secret.txt",
      "/..%2fsecret.txt",
      "/%252e%252e/secret.txt",
      "/..\\secret.txt",
      "//secret.txt",
      "/assets/%00",
    ]
  ) {
    const { status, body } = await sendRaw(
      berth.port,
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${berth.port}\r\nConnection: close\r\n\r\n`,
    );
    assert.ok(status === 404 || status === 400, `${path}: ${status}`);
    assert.ok(!body.includes("canary-1177"), path);
  }
});

Deno.test("HEAD says the length of GET, and gzip is used where the caller takes it", async () => {
  await using page = await builtPage();
  await using berth = await startService({ install: [paged(page)] });
  const ask = (method: string, accepts: string) =>
    sendRaw(
      berth.port,
      `${method} /assets/app-3fa9c1b2.js HTTP/1.1\r\nHost: 127.0.0.1:${berth.port}\r\n` +
        `Accept-Encoding: ${accepts}\r\nConnection: close\r\n\r\n`,
    );

  for (const accepts of ["identity", "gzip"]) {
    const [got, head] = [await ask("GET", accepts), await ask("HEAD", accepts)];
    assert.equal(got.headers.get("content-encoding"), accepts === "gzip" ? "gzip" : null);
    assert.deepEqual(
      [head.status, head.body, head.headers.get("content-length")],
      [200, "", got.headers.get("content-length")],
    );
  }
});

Deno.test("a page may be a map of files, and may open only harmless sources", async () => {
  const files = { "index.html": "<p>hi", "logo.png": new Uint8Array([1, 2, 3]) };
  await using berth = await startService({ install: [paged({ files, sources: { "img-src": ["blob:"] } })] });

  const { headers, text } = await berth.call("GET /");
  assert.equal(text, "<p>hi");
  assert.match(headers.get("content-security-policy") ?? "", /img-src 'self' data: blob:;/);
  assert.equal((await berth.call("GET /logo.png")).headers.get("content-type"), "image/png");
  for (
    const sources of [{ "script-src": ["blob:"] }, { "img-src": ["'unsafe-inline'"] }, {
      "img-src": ["a; b"],
    }]
  ) {
    await assert.rejects(startService({ install: [paged({ files, sources })] }), /may not open/);
  }
});

Deno.test("/ says that the plugin with the page is off, and a second page fails alone", async () => {
  const files = { "index.html": "one" };
  await using none = await startService({ install: [paged({ files })], plugins: [] });
  await using two = await startService({ install: [paged({ files }), paged({ files: {} }, "other")] });

  assert.equal((await none.call("GET /")).body.code, "plugin_disabled");
  assert.equal((await two.call("GET /")).text, "one");
  assert.deepEqual(
    (await two.call("GET /api/system/plugins")).body.items.map((one: { state: string }) => one.state),
    ["running", "failed"],
  );
});
