/** Volumes of drivers: those that can be a folder of the host. */
import assert from "node:assert/strict";
import { mayBeFolder } from "./facts.ts";

Deno.test("A volume of the engine's own driver is a folder of the host only where its options can bind one", () => {
  const cases: readonly (readonly [string, Readonly<Record<string, string>>, boolean])[] = [
    ["local", {}, false],
    ["local", { size: "10G" }, false],
    ["local", { type: "nfs", o: "addr=10.0.0.2,rw", device: ":/export" }, false],
    ["local", { type: "nfs4", o: "addr=10.0.0.2", device: ":/" }, false],
    ["local", { type: "cifs", o: "username=a,password=b", device: "//nas/share" }, false],
    ["local", { type: "tmpfs", o: "size=100m,uid=1000", device: "tmpfs" }, false],
    ["local", { type: "none", o: "bind", device: "/etc" }, true],
    ["local", { type: "nfs", o: "rw,rbind", device: "/etc" }, true],
    ["local", { o: "bind", device: "/etc" }, true],
    ["local", { type: "bind", device: "/etc" }, true],
    ["local", { device: "/dev/sda1" }, true],
    ["local", { type: "ext4", device: "/dev/sda1" }, true],
    ["local", { type: "overlay", o: "lowerdir=/etc:/usr", device: "overlay" }, true],
    ["local", { mountpoint: "/etc" }, true],
    ["nas", {}, true],
  ];
  for (const [driver, options, isFolder] of cases) {
    assert.equal(mayBeFolder(driver, options), isFolder, `${driver} ${JSON.stringify(options)}`);
  }
});
