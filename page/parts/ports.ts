/** Published ports in short: `127.0.0.1:8080 → 80`. */
import type { Container } from "../../client/berth/containers.ts";
import { shown } from "./shown.ts";

const EVERYWHERE = ["0.0.0.0", "::", ""];

interface Published {
  readonly text: string;
  /** Null for what no browser speaks. */
  readonly href: string | null;
}

export function publishedBy({ ports }: Pick<Container, "ports">): readonly Published[] {
  const found = new Map<string, Published>();
  for (const { host, address, container, protocol } of ports) {
    if (host === null) continue;
    const isEverywhere = EVERYWHERE.includes(address ?? "");
    const at = isEverywhere ? "" : `${address}:`;
    const text = shown(`${at}${host} → ${container}${protocol === "tcp" ? "" : `/${protocol}`}`);
    const name = isEverywhere ? location.hostname : address!.includes(":") ? `[${address}]` : address!;
    const href = `http://${name}:${host}/`;
    found.set(text, { text, href: protocol === "tcp" && URL.canParse(href) ? href : null });
  }
  return [...found.values()];
}

export function portsOf(container: Pick<Container, "ports">): string {
  return publishedBy(container).map(({ text }) => text).join(", ");
}
