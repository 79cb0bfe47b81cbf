/** A volume as lists show it, read from the engine's list or its `inspect`. */
import * as z from "../../core/schema.ts";
import { Stale } from "./stale.ts";
import { looksSecret, MASK, maskText, maskValues } from "../../core/secrets.ts";
import { mapOf, numberOf, objectOf, textOf, timeOf } from "../calls/wire.ts";
import { UsingContainer } from "./using_container.ts";

export const Volume = z.object({
  name: z.string().describe("The volume's name"),
  driver: z.string().describe("The driver that keeps it"),
  mountpoint: z.string().describe("Path on the host"),
  scope: z.string().describe("The reach of its driver, as `local`"),
  labels: z.record(z.string(), z.string()).describe("Values of labels that look secret are masked"),
  options: z.record(z.string(), z.string()).describe("Passwords in mount options are masked"),
  createdAt: z.string().nullable().describe("When it was made"),
  usedBy: z.array(UsingContainer).nullable().describe(
    "The containers that mount it, running or not; null without `containers:read`",
  ),
  size: z.int().nullable().describe("Bytes; null where not measured"),
  backend: z.string().describe("The engine it is on, by name"),
  stale: Stale,
}).meta({ id: "Volume" });

/** A row of the mirror; its users are added when a list is built. */
export type VolumeRow = Readonly<Omit<z.infer<typeof Volume>, "usedBy" | "stale">>;

/** Null for an answer without a name. */
export function volumeRow(answer: unknown, backend: string): VolumeRow | null {
  const wire = objectOf(answer);
  const name = textOf(wire.Name);
  if (name === "") return null;
  const size = numberOf(objectOf(wire.UsageData).Size, -1);
  return {
    name,
    driver: textOf(wire.Driver),
    mountpoint: textOf(wire.Mountpoint),
    scope: textOf(wire.Scope) || "local",
    labels: maskValues(mapOf(wire.Labels)),
    options: maskOptions(mapOf(wire.Options)),
    createdAt: timeOf(wire.CreatedAt),
    size: size < 0 ? null : size,
    backend,
  };
}

/** A CIFS mount carries `password=…` inside its `o` option. */
function maskOptions(options: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      looksSecret(name) ? MASK : value.split(",").map(maskOption).join(","),
    ]),
  );
}

function maskOption(option: string): string {
  const equals = option.indexOf("=");
  if (equals > 0 && looksSecret(option.slice(0, equals))) return `${option.slice(0, equals)}=${MASK}`;
  return maskText(option);
}
