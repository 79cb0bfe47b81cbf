/** berth behind the nginx and the Caddy that Debian has, set up as people do it, and as it should be. */
import assert from "node:assert/strict";
import { AUTH_ME } from "../../client/berth/auth.ts";
import { CONTAINER_EXEC } from "../../client/berth/containers.ts";
import { connect } from "../../client/connect.ts";
import { openWebSocket } from "../../commands/beside.ts";
import { clientFor } from "../../commands/connection.ts";
import { readClientSettings } from "../../config/client.ts";
import { runBerth } from "../support/berth_process.ts";
import { proxy } from "../support/reverse_proxy.ts";
import { startService, type TestService } from "../support/service.ts";

/** An answer to a request by any host name. */
async function ask(port: number, host: string, more = ""): Promise<{ status: number; text: string }> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const request = `GET /api/auth/status HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n`;
  await connection.write(new TextEncoder().encode(request));
  const text = await new Response(connection.readable).text();
  return { status: Number(text.split(" ")[1]), text };
}

const named = { trustedProxies: ["127.0.0.1"], baseUrl: "https://berth.example" };
const plain = (berth: TestService) => `proxy_pass http://127.0.0.1:${berth.port};`;

Deno.test("nginx's plain proxy_pass hides the host name: every request is refused, and the answer says what to set", async () => {
  await using berth = await startService(named);
  await using front = await proxy("nginx", plain(berth));
  if (front === null) return;

  for (const host of ["evil.example", "berth.example", "127.0.0.1"]) {
    const { status, text } = await ask(front.port, host);
    assert.equal(status, 421, `${host}: ${text}`);
    assert.match(text, /proxy_set_header Host \$host;.*BERTH_URL/);
  }
});

Deno.test("nginx that passes the host name on is answered for that of BERTH_BASE_URL alone", async () => {
  await using berth = await startService(named);
  const right = `${plain(berth)} proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr;`;
  await using front = await proxy("nginx", right);
  if (front === null) return;

  assert.equal((await ask(front.port, "berth.example")).status, 200);
  for (const host of ["evil.example", "127.0.0.1", `127.0.0.1:${berth.port}`, "localhost"]) {
    assert.equal((await ask(front.port, host)).status, 421, host);
  }
});

Deno.test("Caddy passes the host name on by itself", async () => {
  await using berth = await startService(named);
  await using front = await proxy("caddy", `reverse_proxy 127.0.0.1:${berth.port}`);
  if (front === null) return;

  assert.equal((await ask(front.port, "berth.example")).status, 200);
  for (const host of ["evil.example", `127.0.0.1:${berth.port}`]) {
    assert.equal((await ask(front.port, host)).status, 421, host);
  }
});

Deno.test("a proxy that is not named is refused by what it adds, and the answer names the settings", async () => {
  await using berth = await startService();
  const adding = `${plain(berth)} proxy_set_header X-Real-IP $remote_addr;`;
  await using first = await proxy("nginx", adding);
  const second = `reverse_proxy 127.0.0.1:${berth.port} {\n header_up Host 127.0.0.1:${berth.port}\n }`;
  await using other = await proxy("caddy", second);

  for (const front of [first, other]) {
    if (front === null) continue;
    const { status, text } = await ask(front.port, "evil.example");
    assert.equal(status, 421, text);
    assert.match(text, /BERTH_TRUSTED_PROXIES.*127\.0\.0\.1.*BERTH_BASE_URL/);
  }
});

Deno.test("each forwarding header from loopback counts as a proxy, and none as a person", async () => {
  await using berth = await startService();
  const host = `127.0.0.1:${berth.port}`;

  assert.equal((await ask(berth.port, host)).status, 200);
  for (
    const header of [
      "Forwarded: for=1.2.3.4",
      "X-Forwarded-For: 1.2.3.4",
      "X-Forwarded-Host: evil.example",
      "X-Forwarded-Proto: https",
      "X-Real-IP: 1.2.3.4",
      "Via: 1.1 proxy",
    ]
  ) assert.equal((await ask(berth.port, host, `${header}\r\n`)).status, 421, header);
});

Deno.test("without BERTH_BASE_URL a named proxy may use the names of loopback, and people on it always may", async () => {
  await using trusting = await startService({ trustedProxies: ["127.0.0.1"] });
  await using addressed = await startService({ baseUrl: "https://berth.example" });

  assert.equal(
    (await ask(trusting.port, `127.0.0.1:${trusting.port}`, "X-Real-IP: 1.2.3.4\r\n")).status,
    200,
  );
  assert.equal((await ask(addressed.port, `localhost:${addressed.port}`)).status, 200);
});

// The connections of a command end with its process.
const kept = { sanitizeResources: false };

Deno.test(
  "the command line reaches the berth beside it past the proxy, by the name of BERTH_BASE_URL",
  kept,
  async () => {
    const around: Record<string, string> = {
      BERTH_BASE_URL: `${named.baseUrl}/`,
      BERTH_TRUSTED_PROXIES: "127.0.0.1",
    };
    const hosts = [["0.0.0.0", "127.0.0.1", "127.0.0.1"], ["::1", "::1", "[::1]"]] as const;
    for (const [host, peer, hostname] of hosts) {
      await using berth = await startService({ ...named, host, trustedProxies: [peer] });
      const env = {
        ...around,
        BERTH_TRUSTED_PROXIES: peer,
        BERTH_HOST: host,
        BERTH_PORT: String(berth.port),
      };
      const settings = readClientSettings((name) => new Map(Object.entries(env)).get(name));
      assert.deepEqual(settings.beside, { url: named.baseUrl, hostname, port: berth.port });
      const { beside } = settings;
      using client = clientFor({ url: named.baseUrl, key: berth.credential! }, 15, settings);

      assert.equal((await client.get(AUTH_ME)).statusCode, 200);
      await using exec = await connect(client, CONTAINER_EXEC, {
        params: { id: "none" },
        query: { cmd: ["true"] },
        webSocket: (url, protocols) => openWebSocket(url, protocols, beside),
      });
      for await (const message of exec) {
        assert.ok(!(message instanceof Uint8Array) && message.type === "error");
        assert.equal(message.code, "no_engine", "it has come through the check of the name");
      }
    }

    const without = (change: Readonly<Record<string, string>>) =>
      readClientSettings((name) => ({ ...around, ...change })[name]).beside;
    assert.equal(without({ BERTH_URL: "https://other.example" }), null);
    for (const name of ["BERTH_BASE_URL", "BERTH_TRUSTED_PROXIES"]) {
      assert.equal(
        without({ [name]: "" }),
        null,
      );
    }
    assert.equal(without({ BERTH_TLS_CERT: "/cert.pem" }), null, "it does not speak plain HTTP");
  },
);

Deno.test("no proxy of the environment, and no exception from one, takes a key away from this machine", async () => {
  using stranger = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let heard = "";
  const hearing = (async () => {
    for await (const connection of stranger) {
      const bytes = new Uint8Array(4_096);
      heard += new TextDecoder().decode(bytes.subarray(0, await connection.read(bytes) ?? 0));
      connection.close();
    }
  })();
  const { port } = stranger.addr;
  const baseUrl = `https://localhost:${port}`;
  await using berth = await startService({ baseUrl, trustedProxies: ["127.0.0.2"] });
  const proxies = { HTTP_PROXY: `http://127.0.0.1:${port}`, BERTH_KEY: berth.credential! };
  const beside = {
    ...{ BERTH_BASE_URL: baseUrl, BERTH_TRUSTED_PROXIES: "127.0.0.2", BERTH_PORT: String(berth.port) },
    ...{ ...proxies, NO_PROXY: "localhost" },
  };

  const [named, loopback, socket] = await Promise.all([
    runBerth(["ls"], beside),
    runBerth(["ls"], { ...proxies, BERTH_URL: `http://127.0.0.1:${berth.port}` }),
    runBerth(["exec", "none", "true"], beside),
  ]);
  stranger.close();
  await hearing;
  assert.equal(heard, "");
  assert.deepEqual([named.code, named.stderr, loopback.code, loopback.stderr], [0, "", 0, ""]);
  assert.match(socket.stderr, /engine/);
});
