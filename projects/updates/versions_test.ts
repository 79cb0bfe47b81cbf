import assert from "node:assert/strict";
import { NewerVersions, versionIn } from "./versions.ts";

function newer(tag: string, tags: readonly string[]): string[] {
  const found = new NewerVersions(versionIn(tag)!);
  for (const one of tags) found.add(one);
  return found.found().map(({ tag, step }) => `${step} ${tag}`);
}

Deno.test("the newest version of each step has the same number of parts, prefix and suffix", () => {
  const tags = [
    "1.4.1",
    "1.4.2",
    "1.4.10",
    "1.4.5",
    "1.4",
    "1",
    "latest",
    "1.4.11-alpine",
    "1.4.12-rc1",
    "v1.4.13",
    "1.4.2.1",
    "1.10.0",
    "1.9.9",
    "2.0.0",
    "10.0.1",
    "sha256-0123456789.sig",
    `sha256-${"1".repeat(64)}`,
    "1.4.99.sig",
  ];
  assert.deepEqual(newer("1.4.2", tags), ["patch 1.4.10", "minor 1.10.0", "major 10.0.1"]);
  assert.deepEqual(newer("v1.4.2", tags), ["patch v1.4.13"]);
  assert.deepEqual(newer("1.4.2-alpine", tags), ["patch 1.4.11-alpine"]);
  assert.deepEqual(newer("1.4.13", tags), ["minor 1.10.0", "major 10.0.1"]);
});

Deno.test("a tag of one part has major versions alone, and below 1.0 the second part is the major one", () => {
  assert.deepEqual(newer("16-alpine", ["16-alpine", "17-alpine", "18-alpine", "18"]), ["major 18-alpine"]);
  assert.deepEqual(newer("0.107.1", ["0.107.5", "0.108.0", "1.0.0"]), ["patch 0.107.5", "major 1.0.0"]);
  assert.deepEqual(newer("2024.01", ["2024.1", "2024.02", "2025.01"]), ["minor 2024.02", "major 2025.01"]);
});

Deno.test("the longest run of numbers in a tag is its version, and a hash is none", () => {
  assert.deepEqual(newer("pg16-v0.8.0", ["pg17-v0.8.1", "pg16-v0.8.2"]), ["patch pg16-v0.8.2"]);
  assert.deepEqual(newer("1.4-alpine3.18", ["1.5-alpine3.18", "1.6-alpine3.19"]), ["minor 1.5-alpine3.18"]);
  for (const none of ["latest", "alpine", "sha-1234567", `sha256-${"1".repeat(64)}`, "20240115123000"]) {
    assert.equal(versionIn(none), null, none);
  }
});
