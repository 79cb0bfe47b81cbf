/** Ports and mounts mean the same in short and in long form. */

import assert from "node:assert/strict";
import type { Node } from "../artifact.ts";
import { parseNow } from "../files/parse_file.ts";
import { readMount } from "./mounts.ts";
import { readPort } from "./ports.ts";

function node(text: string): Node {
  return parseNow({ path: "compose.yaml", kind: "compose", text, hash: "" }).documents[0]!;
}

function port(text: string): string {
  const { hostIp, published, target, protocol, invalid } = readPort(node(text));
  if (invalid !== null) return "invalid";
  const range = (one: { first: number; last: number }) =>
    one.first === one.last ? one.first : `${one.first}-${one.last}`;
  return `${hostIp ?? "*"} ${published ? range(published) : "any"} ${range(target)} ${protocol}`;
}

const PORTS: [text: string, port: string][] = [
  ["80", "* any 80 tcp"],
  ["'8080:80'", "* 8080 80 tcp"],
  ["'8080:80/udp'", "* 8080 80 udp"],
  ["'127.0.0.1:8080:80'", "127.0.0.1 8080 80 tcp"],
  ["'127.0.0.1::80'", "127.0.0.1 any 80 tcp"],
  ["'[::1]:8080:80'", "::1 8080 80 tcp"],
  ["'::1:8080:80'", "::1 8080 80 tcp"],
  ["'3000-3005'", "* any 3000-3005 tcp"],
  ["'9090-9091:8080-8081'", "* 9090-9091 8080-8081 tcp"],
  ["{target: 80, published: '8080', protocol: udp}", "* 8080 80 udp"],
  ["{target: 80, published: 8080, host_ip: 127.0.0.1}", "127.0.0.1 8080 80 tcp"],
  ["{target: 80}", "* any 80 tcp"],
  ["'web:80'", "invalid"],
  ["'8080:'", "invalid"],
  ["'70000:80'", "invalid"],
  ["'90-80'", "invalid"],
  ["{published: 80}", "invalid"],
];
for (const [text, expected] of PORTS) {
  Deno.test(`port ${text} is ${expected}`, () => assert.equal(port(text), expected));
}

const MOUNTS: [text: string, mount: string][] = [
  ["data:/var/lib", "volume data /var/lib rw"],
  ["./html:/usr/share:ro", "bind ./html /usr/share ro"],
  ["/abs:/x", "bind /abs /x rw"],
  ["~/x:/x", "bind ~/x /x rw"],
  ["/anonymous", "volume - /anonymous rw"],
  ["'C:\\data:/x:ro'", "bind C:\\data /x ro"],
  ["'C:/data:D:\\x'", "bind C:/data D:\\x rw"],
  ["{type: bind, source: ./a, target: /b, read_only: true}", "bind ./a /b ro"],
  ["{type: tmpfs, target: /b}", "tmpfs - /b rw"],
  ["{type: volume, source: a}", "invalid"],
  ["a:b:c:d", "invalid"],
];
for (const [text, expected] of MOUNTS) {
  Deno.test(`mount ${text} is ${expected}`, () => {
    const { type, source, target, readOnly, invalid } = readMount(node(text));
    const shown = `${type} ${source ?? "-"} ${target} ${readOnly ? "ro" : "rw"}`;
    assert.equal(invalid === null ? shown : "invalid", expected);
  });
}
