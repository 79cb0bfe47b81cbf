import assert from "node:assert/strict";
import { isForPlatform } from "./image_platform.ts";

Deno.test("isForPlatform() compares platforms as containerd does, by whatever name", () => {
  const image = (Architecture: string, Variant = "", Os = "linux") => ({ Os, Architecture, Variant });
  const same = [
    ["linux/amd64", image("amd64")],
    ["linux/x86_64", image("amd64", "v1")],
    ["amd64", image("amd64")],
    ["linux", image("riscv64")],
    ["Linux/ARM64/v8", image("arm64")],
    ["linux/aarch64", image("arm64", "v8")],
    ["linux/arm", image("arm", "v6")],
    ["linux/arm/7", image("arm", "v7")],
    ["linux/armhf", image("arm", "v7")],
    ["linux/arm/v7", image("arm", "v6")],
    ["linux/arm/v7", image("arm")],
    ["linux/amd64/v3", image("amd64")],
    ["linux/amd64/v3", image("amd64", "v2")],
    ["linux/arm64/v8", image("arm64")],
    ["linux/arm64/v8", image("arm64", "v8")],
    ["linux/arm64/v9", image("arm64")],
    ["linux/arm64/v8.10", image("arm64", "v8.9")],
    ["linux/i386", image("386")],
  ] as const;
  const other = [
    ["linux/arm64", image("amd64")],
    ["linux/amd64", image("amd64", "v3")],
    ["linux/amd64/v2", image("amd64", "v3")],
    ["linux/arm/v6", image("arm", "v7")],
    ["linux/arm/v8", image("arm64", "v8")],
    ["linux/arm64/v8", image("arm64", "v8.1")],
    ["linux/arm64/v8", image("arm", "v7")],
    ["windows/amd64", image("amd64")],
    ["386", image("amd64")],
  ] as const;
  for (const [asked, one] of same) assert.equal(isForPlatform(one, asked), true, asked);
  for (const [asked, one] of other) assert.equal(isForPlatform(one, asked), false, asked);
  assert.equal(isForPlatform({}, "linux/amd64"), null, "an engine that does not tell");
});
