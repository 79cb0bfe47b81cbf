import assert from "node:assert/strict";
import { gzip, takesGzip } from "./gzip.ts";

Deno.test("only who takes gzip gets it, and q=0 takes none", () => {
  const asks = (accepted: string) =>
    takesGzip(new Request("http://berth.test/", { headers: { "accept-encoding": accepted } }));

  for (const accepted of ["gzip", "br, gzip", "deflate,GZIP;q=0.5, br", "gzip; q=1"]) {
    assert.equal(asks(accepted), true, accepted);
  }
  for (const accepted of ["", "br", "gzip;q=0", "br, gzip; q=0.000", "x-gzip", "gzipped", "identity"]) {
    assert.equal(asks(accepted), false, accepted);
  }
});

Deno.test("what was compressed is what was given", async () => {
  const text = "é".repeat(100_000);
  const unzipped = new Blob([await gzip(text)]).stream().pipeThrough(new DecompressionStream("gzip"));

  assert.equal(await new Response(unzipped).text(), text);
});
