import assert from "node:assert/strict";
import { Responder } from "../serve/responder.ts";
import { CachedText } from "./cached_text.ts";

const responder = new Responder({ tls: false });

async function answer(text: CachedText, headers: Record<string, string>): Promise<Response> {
  const request = new Request("http://berth.test/", { headers });
  return responder.cached(await text.answer(request), request, "id");
}

Deno.test("a cached text is compressed once for all who take it so, and plain for the others", async () => {
  const text = new CachedText(JSON.stringify({ long: "x".repeat(10_000) }));

  const plain = await answer(text, {});
  const zipped = await answer(text, { "accept-encoding": "br, gzip" });
  const again = await text.answer(
    new Request("http://berth.test/", { headers: { "accept-encoding": "gzip" } }),
  );

  assert.equal(plain.headers.get("content-encoding"), null);
  assert.equal(await plain.text(), text.text);
  assert.equal(zipped.headers.get("content-encoding"), "gzip");
  assert.ok((await zipped.arrayBuffer()).byteLength < 1_000);
  const once = await text.answer(
    new Request("http://berth.test/", { headers: { "accept-encoding": "gzip" } }),
  );
  assert.equal(again.gzip, once.gzip);
});

Deno.test("a 304 says how it may be cached, as the 200 did (RFC 9110)", async () => {
  const text = new CachedText("{}");
  const full = await answer(text, {});
  const known = await answer(text, { "if-none-match": full.headers.get("etag") ?? "" });

  assert.equal(known.status, 304);
  for (const name of ["etag", "vary", "cache-control"]) {
    assert.notEqual(full.headers.get(name), null, name);
    assert.equal(known.headers.get(name), full.headers.get(name), name);
  }
});
