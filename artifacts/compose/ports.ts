/** Published ports, short and long. */

import type { Node, NumberRange, Port } from "../artifact.ts";
import { isFilled, isUnknown, shownOf, textOf, valueAt, writtenOr } from "../yaml/values.ts";

const NOTHING: NumberRange = { first: 0, last: 0 };

/** The ports of a service, each once: what says the same in another form is no other port. */
export function readPorts(nodes: readonly Node[]): Port[] {
  const ports = new Map<string | Node, Port>();
  for (const node of nodes) {
    const port = readPort(node);
    ports.set(port.unknown || port.invalid !== null ? node : portKey(port), port);
  }
  return [...ports.values()];
}

/** Equal for ports that Compose takes for one. */
export function portKey({ hostIp, published, target, protocol }: Port): string {
  return JSON.stringify([hostIp || "0.0.0.0", published, target, protocol]);
}

export function readPort(node: Node): Port {
  if (node.kind === "mapping") return longPort(node);
  const text = textOf(node) ?? "";
  const filled = isFilled(node);
  if (isUnknown(node)) {
    const value = node.kind === "scalar" ? String(node.value) : "";
    return { ...broken(node, writtenOr(node, value), null, true), filled };
  }
  return { ...shortPort(node, text), written: writtenOr(node, text), filled };
}

function shortPort(at: Node, written: string): Port {
  let rest = written;
  let protocol = "tcp";
  const slash = rest.lastIndexOf("/");
  if (slash !== -1) {
    protocol = rest.slice(slash + 1).toLowerCase();
    rest = rest.slice(0, slash);
  }
  const colon = rest.lastIndexOf(":");
  const target = range(colon === -1 ? rest : rest.slice(colon + 1));
  if (!target) return broken(at, written, "the container port must be 1 to 65535");
  if (!/^[a-z]+$/.test(protocol)) return broken(at, written, "unknown protocol");
  let hostIp: string | null = null;
  let published: NumberRange | null = null;
  if (colon !== -1) {
    rest = rest.slice(0, colon);
    const before = rest.endsWith("]") ? -1 : rest.lastIndexOf(":");
    const host = before === -1 ? (rest.endsWith("]") ? "" : rest) : rest.slice(before + 1);
    const ip = before === -1 ? (rest.endsWith("]") ? rest : "") : rest.slice(0, before);
    if (ip !== "") hostIp = ip.replace(/^\[(.*)\]$/, "$1");
    if (host !== "") {
      published = range(host, 0);
      if (!published) return broken(at, written, "the published port must be 0 to 65535");
      if (published.last === 0) published = null;
    }
  }
  return { written, hostIp, published, target, protocol, invalid: null, unknown: false, filled: false, at };
}

function longPort(node: Node): Port {
  const targetAt = valueAt(node, "target");
  const publishedAt = valueAt(node, "published");
  const ipAt = valueAt(node, "host_ip");
  const protocolAt = valueAt(node, "protocol");
  const protocol = (textOf(protocolAt) ?? "tcp").toLowerCase();
  const hostIp = textOf(ipAt);
  const target = textOf(targetAt);
  const published = textOf(publishedAt);
  const filled = [targetAt, publishedAt, ipAt, protocolAt].some(isFilled);
  const shownIp = shownOf(ipAt);
  const host = published === null
    ? ""
    : `${shownIp === null ? "" : `${shownIp}:`}${writtenOr(publishedAt, published)}:`;
  const shownProtocol = writtenOr(protocolAt, protocol);
  const written = `${host}${shownOf(targetAt) ?? ""}${shownProtocol === "tcp" ? "" : `/${shownProtocol}`}`;
  const wrong = (why: string | null) => ({ ...broken(node, written, why, why === null), filled });
  if ([targetAt, publishedAt, ipAt, protocolAt].some(isUnknown)) return wrong(null);
  const inside = target === null ? null : range(target);
  if (!inside) return wrong("the target must be 1 to 65535");
  let outside = published === null || published === "" ? null : range(published, 0);
  if (published && !outside) return wrong("the published port must be 0 to 65535");
  if (outside?.last === 0) outside = null;
  return {
    written,
    hostIp,
    published: outside,
    target: inside,
    protocol,
    invalid: null,
    unknown: false,
    filled,
    at: node,
  };
}

function range(text: string, least = 1): NumberRange | null {
  const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text);
  if (!match) return null;
  const first = Number(match[1]);
  const last = match[2] === undefined ? first : Number(match[2]);
  return first < least || last > 65535 || last < first ? null : { first, last };
}

function broken(at: Node, written: string, invalid: string | null, unknown = false): Port {
  return {
    written,
    hostIp: null,
    published: null,
    target: NOTHING,
    protocol: "tcp",
    invalid,
    unknown,
    filled: false,
    at,
  };
}
