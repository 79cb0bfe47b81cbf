/** Rules about single values of a Compose service that have a form of their own. */

import type { Node, Unit } from "../artifact.ts";
import { splitCommand } from "../compose/command.ts";
import { amountText } from "../compose/number_text.ts";
import { bytesOf, familyOf, imageReference, nanosecondsOf } from "../compose/amounts.ts";
import { isFilled, oneOrMany, shownOf, textOf, valueAt, writtenOr } from "../yaml/values.ts";
import type { Say } from "./say.ts";

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

/** Checks the values of one service. */
export function checkValues(unit: Unit, say: Say): void {
  const { service, value, id: subject } = unit;
  if (service === null || value.kind !== "mapping") return;
  for (const port of service.ports) {
    if (port.unknown) continue;
    if (port.invalid !== null) {
      say("compose/bad-port", port.at, `Invalid port "${port.written}": ${port.invalid}`, { subject });
    } else if (port.hostIp !== null && port.hostIp !== "" && familyOf(port.hostIp) === null) {
      say(
        "compose/bad-host-ip",
        port.at,
        `"${port.filled ? port.written : port.hostIp}" is not an IP address`,
        {
          subject,
        },
      );
    }
  }
  for (const mount of service.mounts) {
    if (mount.unknown || mount.invalid === null) continue;
    say("compose/bad-mount", mount.at, `"${shownOf(mount.at) ?? "This"}" is no mount: it ${mount.invalid}`, {
      subject,
    });
  }
  for (const key of ["command", "entrypoint"]) checkCommand(key, valueAt(value, key), subject, say);
  for (const node of oneOrMany(valueAt(value, "extra_hosts"))) {
    const text = textOf(node);
    const sign = text === null ? 0 : text.includes("=") ? text.indexOf("=") : text.indexOf(":");
    if (text === null || (sign > 0 && !text.slice(0, sign).includes(":"))) continue;
    const lacks = sign === -1 ? "an address" : "a name";
    say(
      "compose/bad-extra-host",
      node,
      `"${writtenOr(node, text)}" lacks ${lacks}: it takes "name=address"`,
      { subject },
    );
  }
  for (const path of DURATIONS) {
    const node = valueAt(value, ...path);
    const text = textOf(node);
    if (text === null || text === "" || nanosecondsOf(text) !== null) continue;
    say("compose/bad-duration", node, `"${writtenOr(node, text)}" is not a duration such as "1m30s"`, {
      subject,
    });
  }
  for (const path of BYTES) {
    const node = valueAt(value, ...path);
    const text = amountText(node);
    if (text === null || text === "" || text === "-1" || bytesOf(text) !== null) continue;
    say("compose/bad-bytes", node, `"${writtenOr(node, text)}" is not a size such as "512m"`, { subject });
  }
  const image = service.imageAt;
  const text = image === null ? null : textOf(image);
  if (text === null || text === "" || imageReference(text) !== null || /^[0-9a-f]{64}$/.test(text)) return;
  say("compose/bad-image-ref", image, `"${writtenOr(image, text)}" is not a valid image name`, { subject });
}

function checkCommand(key: string, node: Node | null, subject: string, say: Say): void {
  const text = node?.kind === "scalar" ? textOf(node) : null;
  if (node === null || text === null) return;
  const split = splitCommand(text);
  if (split === null) {
    say("compose/bad-command", node, `\`${key}\` has a quote or bracket that does not pair up`, { subject });
  } else if (split.cutAt !== null) {
    say(
      "compose/command-cut",
      node,
      `Compose reads \`${key}\` only up to ${
        isFilled(node) ? "an operator of the shell" : `"${text[split.cutAt]}"`
      }: write ["sh", "-c", "..."] for a shell`,
      { subject },
    );
  }
}
