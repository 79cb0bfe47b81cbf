/** Promise: Mailpit, a mail server of somebody else, takes notices as they are, and its API reads them back. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { mailpitMissing, startMailpit } from "../support/mailpit.ts";
import { selfSigned } from "../support/self_signed.ts";
import { startService } from "../support/service.ts";

const FAST = { watchTimes: { notices: { tickMs: 20, foldMs: 0, retryMs: [20], deadMs: 60_000 } } };
const PASSWORD = "canary-p4ssword";

if (mailpitMissing !== null) console.error(`NOT RUN: notices beside Mailpit, because ${mailpitMissing}`);

Deno.test({
  name:
    "Mailpit takes a notice over STARTTLS with a login, reads back its name and text, and refuses a wrong password",
  ignore: mailpitMissing !== null,
  fn: async () => {
    const folder = await Deno.makeTempDir({ prefix: "berth-mailpit-" });
    try {
      const { cert: ca } = await selfSigned(folder);
      const login = { user: "berth", password: PASSWORD };
      await using server = await startMailpit({
        cert: `${folder}/cert.pem`,
        key: `${folder}/key.pem`,
        ...login,
      });
      await using berth = await startService(FAST);
      const address =
        `smtp://127.0.0.1:${server.port}?from=berth@example.org&to=ada%2Bhome@example.org&user=berth`;
      const added = async (name: string, secret: string): Promise<string> => {
        const { status, body, text } = await berth.call("POST /api/notices", {
          ...{ name, kind: "mail", address, secret, ca, afterS: 0 },
        });
        assert.equal(status, 201, text);
        return body.id;
      };
      const wrong = await added("wrong", "not the password");
      const refused = (await berth.call(`POST /api/notices/${wrong}/test`)).body;
      assert.deepEqual([refused.taken, refused.status], [false, 535]);
      assert.deepEqual(await server.messages(), []);

      const id = await added("Postausgang äöü ß €", PASSWORD);
      const { taken, status } = (await berth.call(`POST /api/notices/${id}/test`)).body;
      assert.deepEqual([taken, status], [true, 250]);
      const [mail = assert.fail()] = await eventually("it is there", async () => {
        const all = await server.messages();
        return all.length === 1 ? all : null;
      });
      assert.deepEqual([mail.from, mail.to, mail.subject], [
        "berth@example.org",
        ["ada+home@example.org"],
        "berth: this is a test",
      ]);
      assert.match(mail.text, /The notice "Postausgang äöü ß €" reaches you/);
      assert.deepEqual(mail.headers["Auto-Submitted"], ["auto-generated"]);
      assert.match(mail.id, /^[0-9a-f-]{36}@/);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
