/** A container of Podman's default network, as others of its project join it. */
import assert from "node:assert/strict";
import { containerNeeds } from "../../core/container_needs.ts";
import { NO_FACTS } from "../../core/spec_rows.ts";
import { lenderOf } from "./lender.ts";

const joined = (name: string) => ({
  name,
  aliases: [],
  ipv4Address: null,
  ipv6Address: null,
  linkLocalAddresses: [],
  macAddress: null,
  links: [],
  driverOptions: {},
  gatewayPriority: 0,
});

/** Returns the networks that a service needs that joins a container of Podman, as Podman tells it. */
function neededBy(networks: readonly string[], kind: "docker" | "podman" = "podman") {
  const found = { networkMode: "bridge", networks: networks.map(joined) };
  const facts = {
    ...NO_FACTS,
    isOwnContainer: () => true,
    networkOwner: () => "other" as const,
    specOf: () => lenderOf(found, kind),
  };
  return containerNeeds({ networkMode: "container:a" }, facts).map(({ name }) => name);
}

Deno.test("A service that joins a container of Podman's default network needs no network", () => {
  assert.deepEqual(neededBy(["podman"]), []);
  // Podman tells the mode "bridge" for networks of others, too.
  assert.deepEqual(neededBy(["podman", "theirs"]), ["theirs"]);
  assert.deepEqual(neededBy(["podman"], "docker"), ["podman"]);
});
