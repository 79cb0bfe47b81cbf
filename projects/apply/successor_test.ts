/** Rules for a new container beside the old one. */
import assert from "node:assert/strict";
import type { ContainerSpec } from "../../core/runtime.ts";
import type { Declared } from "../fields/field.ts";
import { startsFirst } from "./successor.ts";

const network = {
  name: "own",
  aliases: [],
  ipv4Address: null,
  ipv6Address: null,
  linkLocalAddresses: [],
  macAddress: null,
  links: [],
  driverOptions: {},
  gatewayPriority: 0,
};
const volume = { type: "volume", source: "a", target: "/a", readOnly: true, options: [] };
const scalar = (value: string) => ({ kind: "scalar", value });
const mapping = (key: string, value: unknown) => ({ kind: "mapping", entries: new Map([[key, { value }]]) });
const declared = {
  unit: { value: mapping("deploy", mapping("update_config", mapping("order", scalar("start-first")))) },
  service: { containerName: null },
} as unknown as Declared;

Deno.test("A container starts beside the old one only where it shares nothing that one alone can have", () => {
  const shared: Partial<ContainerSpec> = {
    mounts: [volume, { ...volume, type: "tmpfs", readOnly: false }],
    volumesFrom: ["db:ro"],
    networks: [network],
  };
  assert.equal(startsFirst(declared, shared), true);
  const alone: readonly Partial<ContainerSpec>[] = [
    { mounts: [{ ...volume, readOnly: false }] },
    { volumesFrom: ["other:ro", "db"] },
    { networks: [{ ...network, macAddress: "02:42:ac:11:00:09" }] },
    { networks: [{ ...network, linkLocalAddresses: ["169.254.1.2"] }] },
    { networks: [{ ...network, ipv4Address: "10.0.0.2" }] },
    { devices: [{ source: "/dev/ttyUSB0", target: "/dev/ttyUSB0", rights: "rwm" }] },
  ];
  for (const spec of alone) {
    assert.equal(startsFirst(declared, { ...shared, ...spec }), false, JSON.stringify(spec));
  }
});
