/** Mounts are sent as they were judged. */
import assert from "node:assert/strict";
import { createBody } from "./create_body.ts";

Deno.test("A mount with a colon in a path is sent field by field, so that no engine cuts it elsewhere", () => {
  for (const [source, target] of [["/w/link:/data", "ro"], ["/w/new", "/data:rshared"]] as const) {
    const mounts = [{ type: "bind", source, target, readOnly: false, options: [] }];
    assert.deepEqual(createBody({ mounts }).HostConfig, {
      Binds: [],
      Mounts: [{
        Type: "bind",
        Source: source,
        Target: target,
        ReadOnly: false,
        BindOptions: { CreateMountpoint: true },
      }],
    });
  }
});
