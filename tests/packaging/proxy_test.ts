/** The proxy files of packaging/, each before a real berth: lists, quiet streams, sockets, peers, hosts and slow callers. */
import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { eventually } from "../support/eventually.ts";
import { askInside } from "./inside.ts";
import { behind, CADDY, called, nginx, TRAEFIK } from "./proxies.ts";
import type { Seen } from "./proxy_caller.ts";
import type { SlowSeen } from "./slow_callers.ts";

const { test } = await sharedEngine("docker");
const isProof = Deno.env.get("BERTH_PROOF") === "1";
/** Longer than the time between two signs of life; the proof takes ten minutes. */
const QUIET_S = Number(Deno.env.get("BERTH_QUIET_SECONDS") ?? (isProof ? 600 : 24));

/** Debian has no Traefik, so that none is asked for where all other parts must be there. */
const hasTraefik = await isThere("traefik", "version");
if (!hasTraefik) console.error("NOT RUN: berth behind Traefik, because there is no Traefik on the path");

async function isThere(program: string, argument: string): Promise<boolean> {
  try {
    return (await new Deno.Command(program, { args: [argument], stdout: "null" }).output()).success;
  } catch {
    return false;
  }
}

/** All of them in the proof, the shipped one on every commit. */
const PROXIES = isProof ? [CADDY, nginx(), ...(hasTraefik ? [TRAEFIK] : [])] : [CADDY];
for (const [at, proxy] of PROXIES.entries()) {
  const missing = proxy === TRAEFIK
    ? null
    : await Deno.stat(proxy.program).then(() => null, () => `${proxy.name} is not installed`);
  test(
    `behind ${proxy.name} lists, quiet streams and sockets work, and slow callers are cut (F1)`,
    async (engine) => {
      await engine.cli("run", "-d", "--name", "poet", FIXTURE, "sh", "-c", "echo a line; exec idle");
      await behind(engine, proxy, 8701 + at, async (key, data) => {
        const seen: Seen = await called(engine, "proxy_caller.ts", data, key, String(QUIET_S));

        assert.deepEqual(seen.names, ["poet"]);
        assert.ok(seen.firstLineMs >= 0 && seen.firstLineMs < 10_000, "nothing is held back");
        // Every fifteen seconds, and somewhat later on a busy machine
        assert.ok(seen.comments >= Math.floor(QUIET_S / 18), `${seen.comments} signs of life`);
        assert.ok(seen.eventsOpen, "the quiet stream is open");
        assert.deepEqual(seen.echoes, ["before", "after"]);
        assert.ok(seen.slowEndedMs !== null, "half a request is given up");

        const forged = ["-k", "--interface", "127.0.0.2", "-H", "x-forwarded-for: 9.9.9.9"];
        assert.equal(
          (await askInside(engine, "https://localhost/api/auth/me", { key, curl: forged })).status,
          200,
        );
        await eventually("the log has it", async () => {
          const lines = (await Deno.readTextFile(`${data}/berth.log`)).split("\n");
          return lines.some((line) => line.includes("/api/auth/me") && line.includes('"peer":"127.0.0.2"'));
        });
        const foreign = await askInside(engine, "https://localhost/api/auth/status", {
          curl: ["-k", "-H", "host: evil.example"],
        });
        // Caddy answers an empty 200 to a name that it does not know.
        assert.equal(foreign.body.authenticated, undefined, "a foreign host does not reach berth");
      });
      await engine.cli("rm", "-f", "poet");
    },
    missing,
  );
}

/** Half a body is given up by berth after 30 s, and by the proxy after 60 at the latest; a busy machine is late. */
const GIVEN_UP_MS = 90_000;
/** One of 13,000 was seen to be kept by Caddy for its idle time, too, another 60 s. */
const LONGEST_MS = 150_000;
const MOST_KEPT = 1 / 1_000;
const SLOW_S = Number(Deno.env.get("BERTH_SLOW_SECONDS") ?? "0");

for (const [at, proxy] of [CADDY, nginx()].entries()) {
  const name = `behind ${proxy.name} 1,000 callers who never finish are cut, and a good one is answered (F1)`;
  if (SLOW_S === 0) {
    Deno.test({ name, ignore: true, fn: () => {} });
    continue;
  }
  test(name, async (engine) => {
    await behind(engine, proxy, 8720 + at, async (key, data) => {
      const seen: SlowSeen = await called(
        engine,
        "slow_callers.ts",
        data,
        key,
        String(SLOW_S),
        "1000",
        String(GIVEN_UP_MS),
      );
      console.log(proxy.name, JSON.stringify(seen));

      assert.ok(seen.cut >= 1_000 * Math.floor(SLOW_S * 1_000 / GIVEN_UP_MS), `${seen.cut} were cut`);
      assert.ok(
        seen.kept <= seen.cut * MOST_KEPT,
        `${seen.kept} of ${seen.cut} lived longer than ${GIVEN_UP_MS} ms`,
      );
      assert.ok(Math.max(...seen.longestMs) < LONGEST_MS, `one lived for ${seen.longestMs} ms`);
      assert.deepEqual(seen.beside.failures, []);
      assert.ok(seen.beside.answers >= SLOW_S && seen.beside.p99Ms < 5_000, `p99 ${seen.beside.p99Ms} ms`);
    });
  });
}

test("behind a proxy file with the Host left out, berth refuses with 421, and only probes are answered", async (engine) => {
  const forgetful = nginx((text) =>
    text.replace("proxy_set_header Host $http_host;", "").replace("http://127.0.0.1:8700", "http://berth")
      .replace("server {", "upstream berth { server 127.0.0.1:8700; }\nserver {")
  );
  await behind(engine, forgetful, 8710, async (key) => {
    const { status, body } = await askInside(engine, "https://localhost/api/containers", {
      key,
      curl: ["-k"],
    });

    assert.deepEqual([status, body.code], [421, "wrong_host"]);
    assert.match(body.title, /BERTH_BASE_URL/);
  });
});
