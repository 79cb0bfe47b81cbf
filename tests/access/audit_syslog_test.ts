/** Promise: a syslog receiver gets every entry, in order, however often it or berth goes away; and costs nobody anything. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { sealsFrom } from "../../auth/audit/seals.ts";
import { receiverAt } from "../../auth/audit/syslog.ts";
import { syslogLine } from "../../auth/audit/syslog_line.ts";
import { auditEntryOf } from "./audit_entry.ts";
import { certificates } from "../client/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";
import { parsed, SyslogReceiver } from "../support/syslog_receiver.ts";

const hasOpenssl = await new Deno.Command("openssl", { args: ["version"], stdout: "null", stderr: "null" })
  .output().then(({ success }) => success, () => false);
if (!hasOpenssl) console.warn("SKIPPED: 2 tests of syslog over TLS, because openssl is not installed");

function over(transport: "tcp" | "tls" | "udp", port: number, ca: string | null = null) {
  return { transport, hostname: "127.0.0.1", port, ca };
}

async function makeKeys(berth: TestService, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await berth.key("viewer");
}

function seqs(receiver: SyslogReceiver): number[] {
  return receiver.distinct("changes").map(({ seq }) => seq);
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

async function auditHealth(berth: TestService): Promise<string> {
  return (await berth.call("GET /api/health")).body.checks.audit.status;
}

Deno.test("Entries reach a receiver over TCP as RFC 5424 has them, changes and refusals, in order", async () => {
  await using receiver = new SyslogReceiver();
  receiver.come();
  await using berth = await startService({ auditSyslog: over("tcp", receiver.port) });
  await makeKeys(berth, 3);
  await berth.call("DELETE /api/settings/api-keys/none");
  await eventually(
    "all are there",
    () => seqs(receiver).length === 4 && receiver.distinct("refusals").length === 1,
  );
  assert.deepEqual(seqs(receiver), upTo(4));
  const [refusal] = receiver.distinct("refusals");
  assert.match(refusal?.raw ?? "", /^<108>1 /);
  assert.deepEqual([refusal?.entry.result, refusal?.entry.actor.name], ["not_found", "test admin"]);
  assert.match(receiver.distinct("changes")[0]?.raw ?? "", /^<110>1 /);
  assert.equal(await auditHealth(berth), "ok");
});

Deno.test("A receiver that is away costs no request; what waited arrives in order when it comes (F102)", async () => {
  await using receiver = new SyslogReceiver();
  await using berth = await startService({ auditSyslog: over("tcp", receiver.port) });
  await makeKeys(berth, 8);
  await eventually("health says so", async () => await auditHealth(berth) === "degraded");
  receiver.come();
  await eventually("all are there", () => seqs(receiver).length === 9);
  assert.deepEqual(receiver.messages.map(({ seq }) => seq), upTo(9));
  await receiver.leave();
  await makeKeys(berth, 2);
  receiver.come();
  await eventually("the rest is there", () => seqs(receiver).length === 11);
  assert.deepEqual(seqs(receiver), upTo(11));
  await eventually("health is well", async () => await auditHealth(berth) === "ok");
});

Deno.test("A receiver that dies in the middle of reading gets it again: nothing is missing, everything in order", async () => {
  await using receiver = new SyslogReceiver();
  receiver.dropAfter = 5;
  await using berth = await startService({ auditSyslog: over("tcp", receiver.port) });
  await makeKeys(berth, 60);
  receiver.come();
  await eventually("all are there", () => seqs(receiver).length === 61);
  assert.deepEqual(seqs(receiver), upTo(61));
  assert.ok(receiver.connections >= 2 && receiver.messages.length >= 66, "it was given again");
});

Deno.test("A restart of berth goes on where the receiver was, with nothing lost and nothing said twice", async () => {
  await using receiver = new SyslogReceiver();
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-syslog-" }));
  try {
    receiver.come();
    const auditSyslog = over("tcp", receiver.port);
    const first = await startService({ folder, auditSyslog });
    await makeKeys(first, 3);
    const { audit } = first.berth.store;
    await eventually(
      "the first are taken",
      async () => (await audit.delivered(`tcp://127.0.0.1:${receiver.port}`)).changes === 4,
    );
    await receiver.leave();
    await makeKeys(first, 3);
    await first[Symbol.asyncDispose]();

    await using second = await startService({ folder, auditSyslog, admin: first.admin ?? "" });
    await makeKeys(second, 1);
    receiver.come();
    await eventually("the others are there", () => seqs(receiver).length === 8);
    assert.deepEqual(receiver.messages.map(({ seq }) => seq), upTo(8));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("A receiver that takes a connection and never reads holds up nobody, not even berth's end", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const held: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of listener) held.push(connection);
  })();
  const berth = await startService({ auditSyslog: over("tcp", listener.addr.port) });
  await makeKeys(berth, 2);
  await eventually("it has one connection", () => held.length > 0);
  const began = performance.now();
  await berth[Symbol.asyncDispose]();
  assert.ok(performance.now() - began < 10_000, "it ended in time");
  listener.close();
  for (const connection of held) connection.close();
  await accepting;
});

Deno.test({
  name: "TLS is spoken with a receiver whose authority is known",
  ignore: !hasOpenssl,
  fn: async () => {
    const { cert, key, ca } = (await certificates())["private CA"];
    await using receiver = new SyslogReceiver({ cert, key });
    receiver.come();
    const file = await Deno.makeTempFile();
    await Deno.writeTextFile(file, ca);
    try {
      await using berth = await startService({ auditSyslog: over("tls", receiver.port, file) });
      await makeKeys(berth, 2);
      await eventually("all are there", () => seqs(receiver).length === 3);
      assert.deepEqual(receiver.messages.map(({ seq }) => seq), upTo(3));
    } finally {
      await Deno.remove(file);
    }
  },
});

Deno.test({
  name: "Nothing is sent over TLS to a receiver that cannot prove who it is",
  ignore: !hasOpenssl,
  fn: async () => {
    const all = await certificates();
    for (
      const [kind, ca] of [
        ["private CA", null],
        ["wrong host", all["wrong host"].ca],
        ["expired", all["expired"].ca],
        ["self-signed leaf", null],
      ] as const
    ) {
      const { cert, key } = all[kind];
      await using receiver = new SyslogReceiver({ cert, key });
      receiver.come();
      using sender = receiverAt(over("tls", receiver.port), ca);
      await assert.rejects(sender.send(["<110>1 - - - - - - canary"], new AbortController().signal), kind);
      assert.deepEqual(receiver.messages, [], kind);
    }
  },
});

Deno.test("UDP takes each entry as a datagram", async () => {
  const socket = createSocket("udp4");
  const messages: string[] = [];
  socket.on("message", (bytes) => messages.push(bytes.toString()));
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  try {
    await using berth = await startService({ auditSyslog: over("udp", socket.address().port) });
    await makeKeys(berth, 2);
    await eventually("all are there", () => messages.length === 3);
    assert.deepEqual(messages.map((raw) => parsed(raw).seq), upTo(3));
  } finally {
    await new Promise<void>((resolve) => socket.close(() => resolve()));
  }
});

Deno.test("Nothing that a caller chooses ends a line of syslog, begins another, or leaves its field", async () => {
  const seals = await sealsFrom(new Uint8Array(32));
  const evil = '"]\n<0>1 - evil \\ \u0000\u2028\r é';
  const entry = {
    ...auditEntryOf({ target: evil, action: evil, result: evil, particulars: { [evil]: evil } }),
    id: 1,
    seq: 7,
  };
  const line = syslogLine({ ...entry, mac: seals.mac(new Uint8Array(32), entry) }, "host\n name\u00e9");
  // deno-lint-ignore no-control-regex -- that is what must not be there
  assert.doesNotMatch(line, /[\u0000-\u001f]/);
  const { seq, entry: sent } = parsed(line);
  assert.deepEqual([seq, sent.target, sent.particulars[evil]], [7, evil, evil]);
  assert.match(line, / hostname berth - changes /);
});
