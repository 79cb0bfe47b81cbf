/** Attacks of strangers on the edge: rebinding, compressed and huge bodies, addresses that want to be headers. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import fc from "npm:fast-check@4.10.2";
import { startBerthProcess } from "../support/berth_process.ts";
import { sendRaw } from "../support/raw_http.ts";
import { startService } from "../support/service.ts";

const MIB = 1024 * 1024;

Deno.test("a rebound name gets 421 and no cookie, whatever cookie and Origin it brings (F6)", async () => {
  await using berth = await startService({ install: [] });
  const evil = "rebound.example";
  const targets = ["GET /api/health", "POST /api/auth/refresh", "POST /api/auth/password", "GET /"];
  for (const target of targets) {
    for (
      const origin of [`http://${evil}`, `http://${evil}:${berth.port}`, `http://127.0.0.1:${berth.port}`]
    ) {
      const { status, headers, body } = await sendRaw(
        berth.port,
        `${target} HTTP/1.1\r\nHost: ${evil}:${berth.port}\r\nOrigin: ${origin}\r\nX-Berth: x\r\n` +
          `Cookie: __Host-berth_refresh=stolen\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 0\r\n` +
          "Connection: close\r\n\r\n",
      );
      assert.equal(status, 421, `${target} ${origin}`);
      assert.equal(headers.get("set-cookie"), null);
      assert.equal(headers.get("access-control-allow-origin"), null);
      assert.equal(JSON.parse(body).code, "wrong_host");
    }
  }
  const answered = berth.logged().map((line) => JSON.parse(line)).filter(({ path }) => path !== undefined);
  assert.deepEqual(answered.filter(({ status }) => status < 400), []);
});

Deno.test("a compressed body is refused unread, and large ones leave no memory behind (F4)", async () => {
  await using berth = await startBerthProcess();
  const small = new Uint8Array(gzipSync(new Uint8Array(50 * MIB)));
  const zipped = await fetch(`${berth.url}/api/settings/setup`, {
    method: "POST",
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
    body: small,
  });
  assert.ok([400, 413, 415].includes(zipped.status), `${zipped.status}`);
  await zipped.body?.cancel();
  const send = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const head = "POST /api/settings/setup HTTP/1.1\r\n" +
        `Host: 127.0.0.1:${berth.port}\r\nContent-Type: application/json\r\n`;
      const body = `"${"a".repeat(10 * MIB)}"`;
      const announced = n % 2 === 0
        ? `Content-Length: ${body.length}\r\n\r\n${body}`
        : "Transfer-Encoding: chunked\r\n\r\n" +
          `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      const { status } = await sendRaw(berth.port, head + announced);
      assert.ok(status === 413 || status === null, `${status}`);
    }
  };
  await send(10);
  const before = await residentBytes(berth.pid);
  await send(20);
  const grown = await residentBytes(berth.pid) - before;
  assert.ok(grown < 40 * MIB, `${Math.round(grown / MIB)} MiB more after 200 MiB of bodies`);
});

Deno.test("whatever stands in a path or a query, no answer gains a header or leads elsewhere (F50, R16)", async () => {
  await using berth = await startService({ install: [] });
  const fragment = fc.oneof(
    fc.constantFrom(
      "%0d%0aX-Injected:%20yes",
      "%0aX-Injected: yes",
      "//evil.example",
      "/\\evil.example",
      "%2f%2fevil.example",
    ),
    fc.constantFrom(
      "https:%2f%2fevil.example",
      "..%2f..%2f",
      "%5c",
      '%22;filename="x',
      "%00",
      "%e2%80%a8",
      "@evil.example",
    ),
    fc.string({ maxLength: 12 }).map(encodeURIComponent),
  );
  const places = [
    "/",
    "/api/",
    "/api/docs/",
    "/api/workspaces/",
    "/api/settings/api-keys/",
    "/api/system/logs?text=",
  ];
  const address = fc.tuple(fc.constantFrom(...places), fc.array(fragment, { minLength: 1, maxLength: 4 }))
    .map(([place, parts]) => place + parts.join(""));
  await fc.assert(
    fc.asyncProperty(address, async (target) => {
      const { status, headers } = await sendRaw(
        berth.port,
        `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${berth.port}\r\nAuthorization: Bearer ${berth.admin}\r\n` +
          "Connection: close\r\n\r\n",
      );
      assert.equal(headers.get("x-injected"), null, target);
      const location = headers.get("location");
      if (location === null) return;
      const own = `http://127.0.0.1:${berth.port}`;
      assert.equal(new URL(location, own + target).origin, own, `${target} leads to ${location}`);
      assert.ok(status !== null && status < 400);
    }),
    { numRuns: 300 },
  );
  // Text of a body comes back in headers of the answer, and not as more of them
  for (const name of ["a\r\nX-Injected: yes", "a\nb", '"; filename="x', "//evil.example"]) {
    const made = await berth.call("POST /api/settings/api-keys", { name, role: "viewer" });
    assert.equal(made.headers.get("x-injected"), null);
    assert.match(made.headers.get("location") ?? "/api/", /^\/api\//);
  }
});

async function residentBytes(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
