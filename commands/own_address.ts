/** The address at which commands reach the berth of the same settings. */
import { reachedHostname } from "../config/client.ts";
import type { Config } from "../config/config.ts";

/** Returns the address of this service on its own machine. */
export function ownAddress({ host, port, tls }: Pick<Config, "host" | "port" | "tls">): string {
  return `${tls === null ? "http" : "https"}://${reachedHostname(host)}:${port}`;
}
