import assert from "node:assert/strict";
import { selfSigned } from "../tests/support/self_signed.ts";
import { kindOfAddress, Outbound, OutboundFailure } from "./outbound.ts";

Deno.test("kindOfAddress tells public, private and forbidden addresses apart in every form", () => {
  const kinds = {
    public: [
      "93.184.216.34",
      "172.32.0.1",
      "2606:4700::1111",
      "::ffff:8.8.8.8",
      "2002:808:808::1",
      "2001:db9::1",
      "100.128.0.1",
    ],
    private: [
      "127.0.0.1",
      "10.1.2.3",
      "172.31.255.1",
      "192.168.0.1",
      "100.64.0.1",
      "::1",
      "fd12::1",
      "::ffff:10.0.0.1",
    ],
    refused: [
      "169.254.169.254",
      "0.0.0.0",
      "224.0.0.1",
      "255.255.255.255",
      "fe80::1",
      "fe80::1%eth0",
      "febf::1",
      "::",
      "ff02::1",
      "::ffff:169.254.169.254",
      "64:ff9b::a9fe:a9fe",
      "fd00:ec2::254",
      "fd00:0ec2::254",
      "fd20:ce::254",
      "100.100.100.200",
      "::ffff:100.100.100.200",
      "192.0.0.192",
      "168.63.129.16",
      "2002:a9fe:a9fe::1",
      "2001:0:a9fe:a9fe::1",
      "1.2.3",
      "host",
    ],
  };
  for (const [kind, addresses] of Object.entries(kinds)) {
    for (const address of addresses) assert.equal(kindOfAddress(address), kind, address);
  }
});

Deno.test("Outbound.call reaches this machine only where private addresses are allowed, and no link-local one", async () => {
  let asked = 0;
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ headers }) => {
    asked += 1;
    return new Response(headers.get("host"));
  });
  using outbound = new Outbound();
  const { port } = server.addr;
  for (
    const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `[::ffff:127.0.0.1]:${port}`,
      `2130706433:${port}`,
    ]
  ) {
    await assert.rejects(
      outbound.call(new URL(`http://${host}/`), { allowsPrivate: false }),
      (error) => error instanceof OutboundFailure && error.kind === "address",
      host,
    );
  }
  const linkLocal = outbound.call(new URL("http://169.254.169.254/latest"), { allowsPrivate: true });
  await assert.rejects(linkLocal, (error) => error instanceof OutboundFailure && error.kind === "address");

  const here = new URL(`http://localhost:${port}/`);
  await assert.rejects(
    outbound.call(here, { allowsPrivate: true, sentBy: "203.0.113.7" }),
    (error) => error instanceof OutboundFailure && error.kind === "address",
    "from a public address nobody is sent to a private one",
  );
  assert.equal(asked, 0);
  assert.equal((await outbound.call(here, { allowsPrivate: true, sentBy: "127.0.0.2" })).status, 200);

  const { status, body } = await outbound.call(here, { allowsPrivate: true });

  assert.deepEqual([status, new TextDecoder().decode(body)], [200, `localhost:${port}`]);
});

Deno.test("Outbound.call reads no more than it may, and follows no redirect", async () => {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    ({ url }) =>
      url.endsWith("/away")
        ? Response.redirect("http://169.254.169.254/")
        : new Response(new Uint8Array(1_000)),
  );
  using outbound = new Outbound();
  const base = `http://127.0.0.1:${server.addr.port}`;

  const away = await outbound.call(new URL(`${base}/away`), { allowsPrivate: true });
  const large = outbound.call(new URL(base), { allowsPrivate: true, maxBytes: 999 });

  assert.equal(away.status, 302);
  await assert.rejects(large, (error) => error instanceof OutboundFailure && error.kind === "tooLarge");
});

Deno.test("Outbound.call ends where headers flood, never end, or are told twice, and holds none of them", async () => {
  const answers: Readonly<Record<string, (send: (text: string) => Promise<void>) => Promise<void>>> = {
    many: async (send) => {
      for (let n = 0;; n++) await send(`x-${n}: ${"a".repeat(1_000)}\r\n`);
    },
    one: async (send) => {
      for (await send("x: ");;) await send("a".repeat(10_000));
    },
    early: async (send) => {
      for (;;) await send("x: y\r\n\r\nHTTP/1.1 103 Early Hints\r\n");
    },
    slow: async (send) => {
      await send("x: y\r\n");
      await new Promise<void>(() => {});
    },
    twice: (send) => send("content-length: 1\r\ncontent-length: 5\r\n\r\nabcde"),
  };
  for (const [name, answer] of Object.entries(answers)) {
    const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
    using outbound = new Outbound();
    const serving = (async () => {
      using connection = await listener.accept();
      await connection.read(new Uint8Array(4_096));
      const send = async (text: string) => {
        for (let left = new TextEncoder().encode(text); left.length > 0;) {
          left = left.subarray(await connection.write(left));
        }
      };
      await send(name === "early" ? "HTTP/1.1 103 Early Hints\r\n" : "HTTP/1.1 200 OK\r\n");
      const closed = connection.read(new Uint8Array(1)).catch(() => null);
      await Promise.race([answer(send).catch(() => {}), closed]);
    })();
    const url = new URL(`http://127.0.0.1:${listener.addr.port}/`);
    await assert.rejects(
      outbound.call(url, { allowsPrivate: true, totalMs: 300 }),
      (error) => error instanceof OutboundFailure && ["late", "unreachable"].includes(error.kind),
      name,
    );
    listener.close();
    await serving;
  }
});

Deno.test("Outbound.call speaks TLS where the address says so, to the name's certificate alone", async () => {
  const folder = await Deno.makeTempDir();
  const { cert, keyPem: key } = await selfSigned(folder);
  await Deno.remove(folder, { recursive: true });
  const listening = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using plain = Deno.serve(listening, () => new Response("plain"));
  await using server = Deno.serve({ ...listening, cert, key }, () => new Response("sealed"));
  using outbound = new Outbound();
  const call = (port: number, ca: string | null) =>
    outbound.call(new URL(`https://localhost:${port}/`), { allowsPrivate: true, ca });

  const isTls = (error: unknown) => error instanceof OutboundFailure && error.kind === "tls";
  await assert.rejects(call(plain.addr.port, cert), isTls);
  await assert.rejects(call(server.addr.port, null), isTls);
  const { body } = await call(server.addr.port, cert);
  assert.equal(new TextDecoder().decode(body), "sealed");
});
