/** Published ports in short: `127.0.0.1:8080 → 80`. */
import type { Container } from "../../client/berth/containers.ts";
import { shown } from "./shown.ts";

const EVERYWHERE = ["0.0.0.0", "::", ""];

export function portsOf({ ports }: Pick<Container, "ports">): string {
  const texts = ports.filter(({ host }) => host !== null).map(({ host, address, container, protocol }) => {
    const at = EVERYWHERE.includes(address ?? "") ? "" : `${address}:`;
    return `${at}${host} → ${container}${protocol === "tcp" ? "" : `/${protocol}`}`;
  });
  return shown([...new Set(texts)].join(", "));
}
