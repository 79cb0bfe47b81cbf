/** The JSON by which an engine is asked for a network, of its own or of its swarm, and by which it shows one. */
import type { NetworkSpec } from "../../core/engine_acts.ts";
import { flagOf, listOf, mapOf, objectOf, textOf, textOrNull, type Wire } from "./wire.ts";

/** Leaves out what is not said. */
const given = (wire: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(wire).filter(([, value]) => value !== undefined));

export function networkBody(spec: NetworkSpec): Readonly<Record<string, unknown>> {
  const pools = spec.pools.map(({ subnet, range, gateway, reserved }) =>
    given({
      Subnet: subnet ?? undefined,
      IPRange: range ?? undefined,
      Gateway: gateway ?? undefined,
      AuxiliaryAddresses: Object.keys(reserved).length === 0 ? undefined : reserved,
    })
  );
  const hasIpam = pools.length > 0 || spec.ipamDriver !== null || Object.keys(spec.ipamOptions).length > 0;
  return given({
    Name: spec.name,
    CheckDuplicate: true,
    Driver: spec.driver ?? undefined,
    Options: spec.driverOptions,
    Internal: spec.internal,
    Attachable: spec.attachable,
    EnableIPv4: spec.ipv4 ?? undefined,
    EnableIPv6: spec.ipv6 ?? undefined,
    IPAM: hasIpam
      ? given({ Driver: spec.ipamDriver ?? undefined, Options: spec.ipamOptions, Config: pools })
      : undefined,
    Labels: spec.labels,
  });
}

/** Reads a network as an engine shows it; null where it has what no request of ours can say. */
export function networkSpecOf(wire: Wire): NetworkSpec | null {
  const ipam = objectOf(wire.IPAM);
  if (textOf(objectOf(wire.ConfigFrom).Network) !== "" || flagOf(wire.ConfigOnly) || flagOf(wire.Ingress)) {
    return null;
  }
  return {
    name: textOf(wire.Name),
    driver: textOrNull(wire.Driver),
    driverOptions: mapOf(wire.Options),
    internal: flagOf(wire.Internal),
    attachable: flagOf(wire.Attachable),
    ipv4: typeof wire.EnableIPv4 === "boolean" ? wire.EnableIPv4 : null,
    ipv6: typeof wire.EnableIPv6 === "boolean" ? wire.EnableIPv6 : null,
    ipamDriver: textOrNull(ipam.Driver),
    ipamOptions: mapOf(ipam.Options),
    pools: listOf(ipam.Config).map(objectOf).map((pool) => ({
      subnet: textOrNull(pool.Subnet),
      range: textOrNull(pool.IPRange),
      gateway: textOrNull(pool.Gateway),
      reserved: mapOf(pool.AuxiliaryAddresses),
    })),
    labels: mapOf(wire.Labels),
  };
}
