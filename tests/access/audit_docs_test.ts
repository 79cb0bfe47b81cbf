/** docs/audit.md says what is so: its requests, its settings, its example. */
import assert from "node:assert/strict";
import { readConfig } from "../../config/config.ts";
import { startService } from "../support/service.ts";

const page = await Deno.readTextFile(new URL("../../docs/audit.md", import.meta.url));

Deno.test("docs/audit.md shows requests that work as they stand, in a shell", async () => {
  await using berth = await startService();
  await berth.key("viewer");
  const commands = [...page.replace(/\\\n +/g, "").matchAll(/^curl .*$/gm)].map(([command]) => command);
  assert.equal(commands.length, 4);
  for (const command of commands) {
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: ["-c", command.replace("curl ", "curl --fail --max-time 2 ")],
      env: { BERTH: berth.url, KEY: berth.admin ?? "" },
      stdin: "null",
    }).output();
    const text = new TextDecoder();
    const follows = command.includes("follow=true");
    assert.equal(code, follows ? 28 : 0, `${command}: ${text.decode(stderr)}`); // 28: curl's own time was up
    const items = follows ? [] : JSON.parse(text.decode(stdout)).items;
    if (command.includes("limit=20")) {
      const shown = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? "");
      assert.deepEqual(Object.keys(shown).sort(), Object.keys(items[0]).sort());
    }
  }
});

Deno.test("docs/audit.md shows settings that berth reads without a mistake", async () => {
  const block = /^```yaml\n(auditSyslog:[\s\S]*?)^```$/m.exec(page)?.[1] ?? assert.fail("it shows none");
  const file = await Deno.makeTempFile({ suffix: ".yaml" });
  await Deno.writeTextFile(file, block);
  const config = await readConfig({
    env: (name) => ({ HOME: "/home/ada", BERTH_CONFIG: file })[name],
  });
  await Deno.remove(file);
  assert.deepEqual(config.auditSyslog, {
    transport: "tls",
    hostname: "logs.example.org",
    port: 6514,
    ca: "/etc/berth/logs-ca.pem",
  });
});
