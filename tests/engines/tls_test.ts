/** Promises of a listener with TLS of its own, which is what allows another address than loopback (R1). */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { certificates } from "../client/certificates.ts";
import { renewTls } from "../../app/certificate.ts";
import { listen } from "../../http/serve/listener.ts";
import { SILENT } from "../support/silent_log.ts";
import { StartFailure } from "../../app/start_failure.ts";
import { runBerth, startBerthProcess } from "../support/berth_process.ts";
import { eventually } from "../support/eventually.ts";
import { startService } from "../support/service.ts";

const hasOpenssl = await new Deno.Command("openssl", { args: ["version"], stdout: "null", stderr: "null" })
  .output().then(({ success }) => success, () => false);
if (!hasOpenssl) console.warn("SKIPPED: tests of TLS, because openssl is not installed");
const options = { ignore: !hasOpenssl };

async function withPems<T>(use: (pems: { cert: string; key: string; ca: string }) => Promise<T>): Promise<T> {
  const { cert, key, ca } = (await certificates())["private CA"];
  const folder = await Deno.makeTempDir({ prefix: "berth-tls-" });
  try {
    await Deno.writeTextFile(`${folder}/cert.pem`, cert);
    await Deno.writeTextFile(`${folder}/key.pem`, key);
    return await use({ cert: `${folder}/cert.pem`, key: `${folder}/key.pem`, ca });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test(
  "with a certificate and its key berth speaks TLS, says so in its address, and asks browsers to insist (R14)",
  options,
  async () => {
    await withPems(async ({ cert, key, ca }) => {
      await using berth = await startService({ install: [], host: "0.0.0.0", tls: { cert, key } });
      assert.match(berth.url, /^https:\/\/127\.0\.0\.1:\d+$/);
      using client = Deno.createHttpClient({ caCerts: [ca], poolMaxIdlePerHost: 0 });

      const response = await fetch(`${berth.url}/api/health`, { client });

      assert.equal(response.status, 200, "HTTP/2 has no Host header, and is answered all the same");
      assert.match(response.headers.get("strict-transport-security") ?? "", /max-age=/);
      await response.body?.cancel();
      using old = Deno.createHttpClient({
        caCerts: [ca],
        poolMaxIdlePerHost: 0,
        http2: false,
        allowHost: true,
      });
      const first = await fetch(`${berth.url}/api/health`, { client: old });
      const foreign = await fetch(`${berth.url}/api/health`, {
        client: old,
        headers: { host: "evil.example" },
      });
      assert.deepEqual([first.status, foreign.status], [200, 421]);
      await Promise.all([first.body?.cancel(), foreign.body?.cancel()]);
      await assert.rejects(fetch(`http://127.0.0.1:${berth.port}/api/health`));
    });
  },
);

Deno.test("a TLS file that is missing, or is none, stops the start with one sentence", options, async () => {
  await withPems(async ({ cert, key }) => {
    await assert.rejects(
      startService({ install: [], tls: { cert, key: `${key}.gone` } }),
      { name: "StartFailure", message: `Cannot read the TLS file "${key}.gone": it does not exist` },
    );
    const why = async (tls: { cert: string; key: string }) => {
      const failed = await startService({ install: [], tls }).then(() => null, (error: unknown) => error);
      assert.ok(failed instanceof StartFailure);
      return failed.message.replace(/^Cannot listen on \S+: /, "");
    };
    const other = `${cert}.other`;
    await Deno.writeTextFile(other, (await certificates())["self-signed leaf"].key);
    assert.equal(await why({ cert, key: other }), "the TLS key is not the certificate's");
    assert.equal(await why({ cert, key: cert }), "the TLS key's file holds no PEM key");
    await Deno.writeTextFile(cert, "this is no certificate");
    assert.equal(await why({ cert, key }), "the TLS certificate's file holds no PEM certificate");
  });
});

Deno.test(
  "SIGHUP reads the certificate again and ends nothing; a pair that does not fit is refused aloud",
  options,
  async () => {
    await withPems(async ({ cert, key, ca }) => {
      const other = (await certificates())["self-signed leaf"];
      await using berth = await startBerthProcess({ env: { BERTH_TLS_CERT: cert, BERTH_TLS_KEY: key } });
      using before = Deno.createHttpClient({ caCerts: [ca] });
      using after = Deno.createHttpClient({ caCerts: [other.ca] });
      const admin = await runBerth(["admin-key", "me"], { BERTH_DATA: berth.data });
      const headers = { authorization: `Bearer ${admin.stdout.trim()}` };
      const open = await fetch(`${berth.url}/api/system/logs?follow=true&lines=0`, {
        client: before,
        headers,
      });
      const lines = open.body!.pipeThrough(new TextDecoderStream()).getReader();

      await Deno.writeTextFile(key, other.key);
      berth.child.kill("SIGHUP");
      await eventually("it refuses half a pair", () => berth.stderr.includes("Cannot renew the certificate"));
      await Deno.writeTextFile(cert, other.cert);
      berth.child.kill("SIGHUP");
      await eventually("it was read again", () => berth.stderr.includes("The certificate was read again"));

      const fresh = await fetch(`${berth.url}/api/health/live`, { client: after });
      assert.equal(await fresh.text(), "live\n");
      let seen = "";
      while (!seen.includes("/api/health/live")) seen += (await lines.read()).value;
      await lines.cancel();
      assert.equal((await berth.end()).code, 0);
    });
  },
);

Deno.test("SIGHUP without TLS ends nothing, and one during the start is done once berth stands", async () => {
  const serve = new URL("../../commands/serve.ts", import.meta.url).href;
  const program = `import { run } from "${serve}";
    const running = run();
    Deno.kill(Deno.pid, "SIGHUP");
    Deno.exit(await running);`;
  await using berth = await startBerthProcess({
    permissions: ["-A", "--no-check", `--config=${new URL("../../deno.json", import.meta.url).pathname}`],
    main: `data:application/typescript,${encodeURIComponent(program)}`,
  });
  const times = () => berth.stderr.split("role rules were read again").length - 1;
  await eventually("it says so", () => times() === 1);
  berth.child.kill("SIGHUP");
  await eventually("it says so again", () => times() === 2);
  assert.equal((await berth.end()).code, 0);
});

Deno.test(
  "a quiet listener takes one new certificate after the other, and refuses what TLS does not take",
  options,
  async () => {
    const made = await certificates();
    const [one, two] = [made["private CA"], made["self-signed leaf"]];
    const odd = await withPems(async ({ cert, key }) => {
      const { success } = await new Deno.Command("openssl", {
        args: [
          ..."req -x509 -newkey ec -pkeyopt ec_paramgen_curve:secp256k1 -nodes -days 2 -subj /CN=odd".split(
            " ",
          ),
          ...["-keyout", key, "-out", cert],
        ],
        stderr: "null",
      }).output();
      assert.ok(success);
      return { cert: await Deno.readTextFile(cert), key: await Deno.readTextFile(key) };
    });
    const serve = Deno.serve;
    let tries = 0;
    Object.assign(Deno, {
      serve: (...given: Parameters<typeof serve>) => {
        tries++;
        return serve(...given);
      },
    });
    const listener = listen({
      hostname: "127.0.0.1",
      port: 0,
      tls: one,
      handler: () => Promise.resolve(new Response("served")),
      log: SILENT,
    });
    try {
      assert.deepEqual(await Promise.all([two, one, two].map((tls) => listener.renew(tls))), [
        true,
        true,
        true,
      ]);
      assert.equal(await listener.renew(two), false, "it is the one in use");
      await assert.rejects(listener.renew(odd), /failed to parse private key/);
      const before = tries;
      await new Promise((resolve) => setTimeout(resolve, 250));
      assert.equal(tries, before, "nobody goes on trying to listen");
      using client = Deno.createHttpClient({ caCerts: [two.ca], poolMaxIdlePerHost: 0 });
      const answer = await fetch(`https://localhost:${listener.port}/`, { client });
      assert.equal(await answer.text(), "served");
    } finally {
      Object.assign(Deno, { serve });
      assert.equal(await listener.drain(1_000), true);
    }
  },
);

Deno.test(
  "a renewal reaches every port although one refuses it, and says until when the certificate lasts",
  options,
  async () => {
    await withPems(async ({ cert, key }) => {
      const lines: [level: string, message: string, fields: Record<string, unknown> | undefined][] = [];
      const log = {
        ...SILENT,
        info: (message: string, fields?: Record<string, unknown>) => lines.push(["info", message, fields]),
        error: (message: string, fields?: Record<string, unknown>) => lines.push(["error", message, fields]),
      };
      const port = (number: number, answer: () => Promise<boolean>) => ({ port: number, renew: answer });
      const reached: number[] = [];
      const takes = port(2, () => Promise.resolve(reached.push(2) > 1));
      await renewTls({ tls: { cert, key } }, [port(1, () => Promise.reject(new Error("no"))), takes], log);
      assert.deepEqual([reached, lines.length, lines[0]!.slice(0, 2)], [
        [2],
        1,
        ["error", "Cannot renew the certificate; the current one stays in use"],
      ]);
      assert.equal(lines[0]![2]!.port, 1);
      lines.length = reached.length = 0;

      await renewTls({ tls: { cert, key } }, [takes], log);
      await renewTls({ tls: { cert, key } }, [takes], log);

      const ends = new Date(new X509Certificate(await Deno.readTextFile(cert)).validTo).toISOString();
      assert.deepEqual(lines, [
        ["info", "The certificate's files hold the one in use", { ends }],
        ["info", "The certificate was read again", { ends }],
      ]);
    });
  },
);
