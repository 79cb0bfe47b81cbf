/** What is cut out of text and arguments, and what is left as it is. */
import assert from "node:assert/strict";
import { networkRow } from "./network.ts";
import { maskArguments, maskObject, maskText } from "./mask.ts";

Deno.test("a secret inside one shell command line is cut out, however it is written", () => {
  const lines = [
    "curl --password canary http://x",
    "curl -u admin:canary http://x",
    "curl --user=admin:canary http://x",
    "sh -c 'client --api-key canary'",
    'client --auth-token "canary words"',
    "PGPASSWORD=canary psql",
    "psql postgres://u:canary@h/db",
    "curl -H 'Authorization: Bearer canary-canary'",
  ];
  for (const line of lines) {
    assert.ok(!maskText(line).includes("canary"), maskText(line));
    const health = { Config: { Healthcheck: { Test: ["CMD-SHELL", line] } } };
    assert.ok(!JSON.stringify(maskObject(health)).includes("canary"), line);
  }
  assert.deepEqual(maskArguments(["curl", "-u", "admin:canary", "--password", "canary"]), [
    "curl",
    "-u",
    "admin:********",
    "--password",
    "********",
  ]);
});

Deno.test("what is no secret stays readable", () => {
  const lines = [
    "chown -u 1000:1000 /data",
    "app --no-token-check --port 80",
    "app --password-file",
    "wget http://host:80/path",
    "postgres -c max_connections=100",
  ];
  for (const line of lines) assert.equal(maskText(line), line);
  assert.deepEqual(maskArguments(["run", "--user", "1000:1000"]), ["run", "--user", "1000:1000"]);
});

Deno.test("a network's secret options are masked in lists too", () => {
  const row = networkRow({
    Id: "a".repeat(64),
    Name: "n",
    Options: { "driver.token": "canary", mtu: "1500" },
  }, "docker");

  assert.deepEqual(row?.options, { "driver.token": "********", mtu: "1500" });
});
