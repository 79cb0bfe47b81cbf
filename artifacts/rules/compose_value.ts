/** Rules about single values of a Compose service that have a form of their own. */

import type { Unit } from "../artifact.ts";
import { bytesOf, familyOf, imageReference, nanosecondsOf } from "../compose/amounts.ts";
import type { Say } from "./say.ts";
import { textOf, valueAt } from "../yaml/values.ts";

const DURATIONS: readonly (readonly string[])[] = [
  ["stop_grace_period"],
  ["healthcheck", "interval"],
  ["healthcheck", "timeout"],
  ["healthcheck", "start_period"],
  ["healthcheck", "start_interval"],
  ["deploy", "restart_policy", "delay"],
  ["deploy", "restart_policy", "window"],
  ["deploy", "update_config", "delay"],
  ["deploy", "update_config", "monitor"],
  ["deploy", "rollback_config", "delay"],
  ["deploy", "rollback_config", "monitor"],
];

const BYTES: readonly (readonly string[])[] = [
  ["mem_limit"],
  ["mem_reservation"],
  ["memswap_limit"],
  ["shm_size"],
  ["build", "shm_size"],
  ["deploy", "resources", "limits", "memory"],
  ["deploy", "resources", "reservations", "memory"],
];

/** What can be said of the values of one service. */
export function checkValues(unit: Unit, say: Say): void {
  const { service, value, id: subject } = unit;
  if (service === null || value.kind !== "mapping") return;
  for (const port of service.ports) {
    if (port.unknown) continue;
    if (port.invalid !== null) {
      say("compose/bad-port", port.at, `"${port.written}" is no port mapping: ${port.invalid}`, { subject });
    } else if (port.hostIp !== null && port.hostIp !== "" && familyOf(port.hostIp) === null) {
      say("compose/bad-host-ip", port.at, `"${port.hostIp}" is no IP address`, { subject });
    }
  }
  for (const path of DURATIONS) {
    const node = valueAt(value, ...path);
    const text = textOf(node);
    if (text === null || text === "" || nanosecondsOf(text) !== null) continue;
    say("compose/bad-duration", node, `"${text}" is no duration, as "1m30s" is`, { subject });
  }
  for (const path of BYTES) {
    const node = valueAt(value, ...path);
    const text = textOf(node);
    if (text === null || text === "" || text === "-1" || bytesOf(text) !== null) continue;
    say("compose/bad-bytes", node, `"${text}" is no amount of bytes, as "512m" is`, { subject });
  }
  const image = service.imageAt;
  const text = image === null ? null : textOf(image);
  if (text === null || text === "" || imageReference(text) !== null || /^[0-9a-f]{64}$/.test(text)) return;
  say("compose/bad-image-ref", image, `"${text}" is no image reference`, { subject });
}
