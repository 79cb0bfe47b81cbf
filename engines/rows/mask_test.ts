/** Secrets are cut out of an engine's own object, wherever they stand in it. */
import assert from "node:assert/strict";
import { networkRow } from "./network.ts";
import { maskObject } from "./mask.ts";

Deno.test("a secret in a raw object is cut out: in arguments, in a health check, in labels and environments (R20)", () => {
  const raw = {
    Config: {
      Env: ["A=canary", "B"],
      Cmd: ["client", "--password", "canary"],
      Labels: { "api.token": "canary", "traefik.rule": "Host(`x`)" },
      Healthcheck: { Test: ["CMD-SHELL", "PGPASSWORD=canary psql postgres://u:canary@h/db"] },
    },
    Args: ["redis-cli", "-a", "canary"],
    Mounts: [{ Source: "https://hooks.slack.com/services/T00000000/B00000000/canarycanary" }],
  };
  const masked = JSON.stringify(maskObject(raw));
  assert.ok(!masked.includes("canary"), masked);
  assert.ok(masked.includes("Host(`x`)") && masked.includes('"B"'), masked);
});

Deno.test("the arguments of a swarm's service are masked by its command", () => {
  const container = { Command: ["redis-cli"], Args: ["-a", "canary", "ping"] };
  const masked = JSON.stringify(maskObject({ TaskTemplate: { ContainerSpec: container } }));
  assert.ok(!masked.includes("canary") && masked.includes("ping"), masked);
});

Deno.test("a network's secret options are masked in lists too", () => {
  const row = networkRow({
    Id: "a".repeat(64),
    Name: "n",
    Options: { "driver.token": "canary", mtu: "1500" },
  }, "docker");

  assert.deepEqual(row?.options, { "driver.token": "********", mtu: "1500" });
});
