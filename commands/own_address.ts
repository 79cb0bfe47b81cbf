/** The address at which commands reach the berth of the same settings. */
import type { Config } from "../config/config.ts";

/** Returns the address of this service on its own machine. */
export function ownAddress({ host, port, tls }: Pick<Config, "host" | "port" | "tls">): string {
  const reached = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `${tls === null ? "http" : "https"}://${reached.includes(":") ? `[${reached}]` : reached}:${port}`;
}
