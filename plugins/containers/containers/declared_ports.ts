/** The ports that a container was asked for, in whatever form its engine tells them. */
import type { InspectedContainer } from "../../../core/runtime.ts";
import { flagOf, listOf, objectOf, textOf, type Wire } from "../../../engines/calls/wire.ts";
import type { ContainerRow } from "../../../engines/rows/container.ts";

/** The ports it was created with: a stopped container has none open, but still declares them. */
export function declaredPorts(
  host: Wire,
  row: ContainerRow,
  exposed: readonly string[],
): InspectedContainer["ports"] {
  // Podman lists the ports of the container whose network this one shares.
  if (textOf(host.NetworkMode).startsWith("container:")) return [];
  const bindings = Object.entries(objectOf(host.PortBindings));
  // Asked for all ports, the engine chooses a port of the host for each that is exposed.
  if (bindings.length === 0 && flagOf(host.PublishAllPorts)) {
    return exposed.map((port) => {
      const [container = "", protocol = "tcp"] = port.split("/");
      return { container: Number(container), protocol, host: null, address: null };
    });
  }
  // A port without a host port is only exposed, perhaps by the image.
  if (bindings.length === 0) return row.ports.filter(({ published }) => published);
  return bindings.flatMap(([name, value]) => {
    const [port = "", protocol = "tcp"] = name.split("/");
    return listOf(value).map(objectOf).map((binding) => {
      const host = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(textOf(binding.HostPort));
      return {
        container: Number(port),
        protocol,
        host: host === null ? null : Number(host[1]) || null, // 0 asks for any
        ...(host?.[2] !== undefined && { hostLast: Number(host[2]) }),
        address: textOf(binding.HostIp) || null,
      };
    });
  });
}
