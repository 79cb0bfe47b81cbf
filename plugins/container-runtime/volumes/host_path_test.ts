/** Which volume options reach the host. */
import assert from "node:assert/strict";
import { bindsHostPath } from "./host_path.ts";

Deno.test("bindsHostPath finds every way to name a folder of the host", () => {
  const reaching: Record<string, string>[] = [
    { device: "/etc" },
    { Device: "/etc" },
    { " device ": "/etc" },
    { type: "none", o: "bind", device: "/" },
    { o: "ro,bind" },
    { o: "rbind" },
    { o: "BIND" },
    { type: "overlay", o: "lowerdir=/etc" },
    { o: "device=/etc" },
    { mountpoint: "/srv" },
  ];
  for (const options of reaching) {
    assert.equal(bindsHostPath("local", options), true, JSON.stringify(options));
  }
  assert.equal(bindsHostPath("some-plugin", { anything: "/etc" }), true);
});

Deno.test("bindsHostPath lets plain volumes through", () => {
  const plain: Record<string, string>[] = [{}, { type: "tmpfs", o: "size=10m,uid=1000" }, { o: "ro,noexec" }];
  for (const options of plain) {
    assert.equal(bindsHostPath(undefined, options), false, JSON.stringify(options));
  }
});
