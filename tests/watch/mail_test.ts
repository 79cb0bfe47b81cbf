/** Notices as mail: a real server gets them over TLS and with a login, and what it refuses is said in plain words. */
import assert from "node:assert/strict";
import { runBerth } from "../support/berth_process.ts";
import { selfSigned } from "../support/self_signed.ts";
import { eventually } from "../support/eventually.ts";
import { mailServerMissing, type ReceivedMail, startMailServer } from "../support/mail_server.ts";
import { startService, type TestService } from "../support/service.ts";
import { mailTargetIn } from "../../projects/notices/mail/mail_address.ts";
import { submit } from "../../projects/notices/mail/smtp.ts";

const FAST = { watchTimes: { notices: { tickMs: 20, foldMs: 0, retryMs: [20], deadMs: 60_000 } } };
const PASSWORD = "canary-p4ssword";
const WAY = "from=berth@example.org&to=ada%2Bhome@example.org,bob@example.org";

if (mailServerMissing !== null) {
  console.error(`NOT RUN: tests of notices as mail, because ${mailServerMissing}`);
}

const test = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name, fn, ignore: mailServerMissing !== null });

async function certificate() {
  const folder = await Deno.makeTempDir({ prefix: "berth-mail-" });
  const { cert } = await selfSigned(folder);
  return {
    ca: cert,
    files: { cert: `${folder}/cert.pem`, key: `${folder}/key.pem` },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

async function added(
  berth: TestService,
  address: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const { status, body, text } = await berth.call("POST /api/notices", {
    name: "Postausgang",
    kind: "mail",
    address,
    ...more,
  });
  assert.equal(status, 201, text);
  return body.id;
}

// deno-lint-ignore no-explicit-any -- a test reads what it expects
const tested = async (berth: TestService, id: string): Promise<any> =>
  (await berth.call(`POST /api/notices/${id}/test`)).body;

/** Reads a mail as Python's own parser does. */
async function parsed({ text }: ReceivedMail) {
  const script = "import email, email.policy, json, sys\n" +
    "m = email.message_from_string(sys.stdin.read(), policy=email.policy.default)\n" +
    "print(json.dumps({'headers': dict(m.items()), 'body': m.get_content(), 'defects': [str(d) for d in m.defects]}))";
  const child = new Deno.Command("python3", { args: ["-c", script], stdin: "piped", stdout: "piped" })
    .spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  return JSON.parse(new TextDecoder().decode((await child.output()).stdout));
}

for (const tls of ["start", "direct"] as const) {
  for (const without of ["LOGIN", "PLAIN"]) {
    test(`a mail reaches a server with TLS (${tls}) and a login that is not ${without}`, async () => {
      await using certs = await certificate();
      await using server = await startMailServer({
        tls,
        ...certs.files,
        password: PASSWORD,
        without: [without],
      });
      await using berth = await startService(FAST);
      const scheme = tls === "start" ? "smtp" : "smtps";
      const address = `${scheme}://127.0.0.1:${server.port}?${WAY}&user=berth`;
      const id = await added(berth, address, { secret: PASSWORD, ca: certs.ca });
      const { taken, status, problem } = await tested(berth, id);
      assert.deepEqual([taken, status, problem], [true, 250, null]);
      const [mail] = server.taken;
      assert.deepEqual([mail?.from, mail?.to, mail?.tls, mail?.user], [
        "berth@example.org",
        ["ada+home@example.org", "bob@example.org"],
        true,
        "berth",
      ]);
      const { headers, body, defects } = await parsed(mail!);
      assert.deepEqual([defects, headers.Subject, headers["Auto-Submitted"]], [
        [],
        "berth: this is a test",
        "auto-generated",
      ]);
      assert.match(body, /The notice "Postausgang" reaches you/);
      for (const text of [(await berth.call("GET /api/notices")).text, berth.logged().join("\n")]) {
        assert.ok(!text.includes("canary") && !text.includes("ada+home"));
      }
    });
  }
}

test("hostile names in a mail end no line of its headers, and its Message-ID is the same on each try", async () => {
  await using server = await startMailServer({ tls: "none", answers: ["451 later", "250 OK"] });
  await using berth = await startService(FAST);
  await added(berth, `smtp://127.0.0.1:${server.port}?${WAY}&tls=no`, { afterS: 0 });
  const unit = `unit:sh\r\nBcc: eve@evil.example\r\n\r\n.\r\nöp äöü ${"ß".repeat(200)}`;
  const subject = {
    kind: "unit",
    workspace: "all",
    group: "shop",
    project: "shop",
    unit,
    engine: "one",
    container: null,
  } as const;
  const state = {
    kind: "broken",
    since: Date.now(),
    atLatest: false,
    cause: { kind: "ended", exitCode: 3 },
    fields: [],
  } as const;
  const { withTellings } = await import("../../projects/watch/tellings.ts");
  await berth.berth.store.incidents.write([
    withTellings(
      {
        incident: {
          ...state,
          id: "web",
          subject,
          openedAt: Date.now(),
          closedAt: null,
          end: null,
          endings: 1,
          atFirst: false,
          lines: 1,
        },
        line: { at: Date.now(), ...state },
      },
      null,
      await berth.berth.store.notices.list(),
      { at: Date.now(), mono: Date.now() },
    ),
  ]);
  await eventually("it is told", () => server.taken.length === 1);
  const { headers, body, defects } = await parsed(server.taken[0]!);
  assert.deepEqual([defects, headers.Bcc], [[], undefined]);
  assert.match(headers.Subject, /^berth: sh Bcc: eve·evil\.example \. öp äöü ß+… broken$/);
  assert.match(headers["Message-ID"], /^<[0-9a-f-]{36}@example\.org>$/);
  assert.match(body, /öp äöü/);
  assert.ok(server.taken[0]!.text.split("\r\n").every((line) => line.length <= 78), server.taken[0]!.text);
});

test("what a mail server refuses is said in plain words, without a word of its own", async () => {
  await using certs = await certificate();
  await using secured = await startMailServer({ tls: "start", ...certs.files, password: PASSWORD });
  await using plain = await startMailServer({ tls: "none", answers: ["554 canary words"] });
  using silent = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  await using berth = await startService(FAST);
  const at = (port: number, more = "") => `smtp://127.0.0.1:${port}?${WAY}${more}`;
  const cases: readonly [string, Record<string, unknown>, RegExp, number | null][] = [
    [at(secured.port, "&user=berth"), { secret: PASSWORD }, /certificate is not trusted/, null],
    [at(secured.port, "&user=berth"), { secret: "wrong", ca: certs.ca }, /refused the login/, 535],
    [at(secured.port), { ca: certs.ca }, /refused the sender: it answered 530/, 530],
    [at(plain.port), {}, /offers no STARTTLS/, null],
    [at(plain.port, "&tls=no"), {}, /refused the message: it answered 554/, 554],
    [
      at(plain.port, "&tls=no").replace("ada%2Bhome@example.org,bob@", "nobody@"),
      {},
      /refused recipient 1 of 1/,
      550,
    ],
    [at((silent.addr as Deno.NetAddr).port, "&tls=no"), {}, /no answer within 10 s/, null],
    [`smtp://169.254.169.254:25?${WAY}&tls=no`, {}, /may not be called/, null],
  ];
  for (const [address, more, words, status] of cases) {
    const result = await tested(berth, await added(berth, address, more));
    assert.equal(result.taken, false, address);
    assert.match(result.problem, words);
    assert.ok(!result.problem.includes("canary"));
    assert.equal(result.status, status, result.problem);
  }
});

test("a mailbox that is refused keeps the mail from no other, and the test says which one it is", async () => {
  await using server = await startMailServer({ tls: "none" });
  await using berth = await startService(FAST);
  const way = "from=berth@example.org&to=ada@example.org,nobody@example.org,bob@example.org&tls=no";
  const id = await added(berth, `smtp://127.0.0.1:${server.port}?${way}`);
  const { taken, status, problem } = await tested(berth, id);
  assert.deepEqual([taken, status, problem], [true, 250, "it refused recipient 2 of 3: it answered 550"]);
  assert.deepEqual(server.taken[0]?.to, ["ada@example.org", "bob@example.org"]);
  const run = await runBerth(["notices", "test", "Postausgang"], {
    BERTH_URL: berth.url,
    BERTH_KEY: berth.credential!,
  });
  assert.deepEqual([run.code, run.stderr], [
    1,
    "berth: Not by all: it refused recipient 2 of 3: it answered 550\n",
  ]);
  const none = way.replace("ada@", "nobody@").replace("bob@", "nobody@");
  const refused = await tested(berth, await added(berth, `smtp://127.0.0.1:${server.port}?${none}`));
  assert.deepEqual([refused.taken, refused.problem], [false, "it refused recipient 1 of 3: it answered 550"]);
});

test("a mailbox that a server lets wait before its first mail gets it with the others", async () => {
  await using server = await startMailServer({ tls: "none" });
  const to = ["ada@example.org", "later@example.org", "nobody@example.org"];
  const target = mailTargetIn(
    `smtp://127.0.0.1:${server.port}?from=berth@example.org&to=${to.join()}&tls=no`,
    false,
  );
  assert.ok(typeof target !== "string");
  const signal = AbortSignal.timeout(60_000);
  const hand = (isPatient: boolean) =>
    submit({ ...target, password: null, ca: null, text: "Subject: x\r\n\r\nYQ==\r\n", isPatient, signal });
  await assert.rejects(hand(true), /it refused recipient 2 of 3: it answered 450/);
  assert.equal(server.taken.length, 0);
  await hand(true);
  assert.deepEqual(server.taken[0]?.to, to.slice(0, 2), "one that is refused for ever keeps it from nobody");
});

Deno.test("mailTargetIn() refuses what could end a line, send a password in the clear, or name nobody", () => {
  const cases: readonly [string, boolean, RegExp][] = [
    ["https://mail.example.org?from=a@b.c&to=d@e.f", false, /smtp:\/\//],
    ["smtp://mail.example.org?from=a@b.c", false, /needs \?from=/],
    ["smtp://mail.example.org?from=a@b.c%0d%0aRCPT&to=d@e.f", false, /mail address/],
    ["smtp://mail.example.org?from=a@b.c&to=d@e.f%0aBcc:x@y.z", false, /mail address/],
    ["smtp://mail.example.org?from=a@b.c&to=<d@e.f>", false, /mail address/],
    ["smtp://ada:pw@mail.example.org?from=a@b.c&to=d@e.f", false, /no user or password/],
    ["smtp://mail.example.org?from=a@b.c&to=d@e.f&user=ada", false, /needs both/],
    ["smtp://mail.example.org?from=a@b.c&to=d@e.f", true, /needs both/],
    ["smtp://mail.example.org?from=a@b.c&to=d@e.f&user=ada&tls=no", true, /never sent without TLS/],
    ["smtp://mail.example.org?from=a@b.c&to=d@e.f&starttls=1", false, /"starttls" is none/],
  ];
  for (const [address, hasSecret, words] of cases) {
    const why = mailTargetIn(address, hasSecret);
    assert.ok(typeof why === "string" && words.test(why), `${address}: ${JSON.stringify(why)}`);
  }
  const target = mailTargetIn("smtps://mail.example.org?from=a@b.c&to=d+x@e.f&user=ada", true);
  assert.deepEqual(target, {
    host: "mail.example.org",
    port: 465,
    tls: "direct",
    user: "ada",
    from: "a@b.c",
    to: ["d+x@e.f"],
  });
});
