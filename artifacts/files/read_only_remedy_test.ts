/** Promises: the advice for a folder that is mounted read-only fits what made it so. */
import assert from "node:assert/strict";
import { remedyIn } from "./read_only_remedy.ts";

const HOST = "22 1 8:1 / / ro,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro\n" +
  "30 22 8:1 /var/lib/berth /var/lib/berth rw,relatime - ext4 /dev/sda1 rw\n" +
  "31 22 8:2 / /srv/my\\040disk ro - ext4 /dev/sdb1 ro\n";

Deno.test("where the unit makes a folder read-only, the advice is a drop-in for that unit", () => {
  const of = (root: string, groups: string) => remedyIn(root, groups, HOST);
  const system = "0::/system.slice/berth.service\n";

  assert.match(of("/srv/shop", system), /: systemctl edit berth\.service, .*ReadWritePaths="\/srv\/shop" /);
  assert.match(of('/srv/a b"%', system), /ReadWritePaths="\/srv\/a b\\"%%" /);
  const old = "12:cpu:/\n1:name=systemd:/system.slice/berth.service\n0::/\n";
  assert.match(of("/srv/shop", `9:name=systemd:/\n${system}`), /systemctl edit berth\.service/);
  assert.match(of("/srv/shop", old), /systemctl edit berth\.service/);
  const users = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/berth.service\n";
  assert.match(of("/srv/shop", users), /systemctl --user edit berth\.service/);
});

Deno.test("in a container, a terminal, or on a disk that is read-only for all, the advice is another mount", () => {
  const remount =
    /without ":ro" in its volume .* remount,rw "\$\(findmnt -n -o TARGET -T '\/srv\/my disk\/o'/;
  for (
    const groups of ["0::/\n", "0::/user.slice/session-1.scope\n", "", "0::/system.slice/berth.service\n"]
  ) {
    assert.match(remedyIn("/srv/my disk/o", groups, HOST), remount, groups);
  }
  assert.match(remedyIn("/srv/o'o", "0::/\n", HOST), /-T '\/srv\/o'\\''o'\)/);
});
