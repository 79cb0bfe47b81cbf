/** The JSON by which an engine is asked for a network, of its own or of its swarm. */
import type { NetworkSpec } from "../../core/engine_acts.ts";

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
