/** Files that berth says are saved: seen from outside to be on the disk before they have their names. */
import assert from "node:assert/strict";

const canTrace = await new Deno.Command("strace", { args: ["-o", "/dev/null", "true"], stderr: "null" })
  .output().then(({ success }) => success, () => false);
if (!canTrace) {
  console.error("NOT RUN: that files are on the disk before they are named, because that takes strace");
}

Deno.test({
  name: "a saved file and an export are on the disk before they have their names",
  ignore: !canTrace,
  async fn() {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-synced-" }));
    const trace = `${folder}.trace`;
    try {
      const { success, stderr } = await new Deno.Command("strace", {
        args: [
          ...["-f", "-y", "-qq", "-e", "trace=fsync,fdatasync,rename,renameat,renameat2", "-o", trace],
          ...[Deno.execPath(), "run", "-A", "--no-check"],
          ...[new URL("synced_writer.ts", import.meta.url).pathname, folder],
        ],
        stdin: "null",
        stderr: "piped",
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
      const calls = (await Deno.readTextFile(trace)).split("\n");
      const syncs = (path: RegExp) => calls.findIndex((call) => /sync\(/.test(call) && path.test(call));
      const named = (path: RegExp) => calls.findIndex((call) => /rename/.test(call) && path.test(call));

      const saved = syncs(/\/\.berth-[0-9a-f-]{36}\.new>/);
      assert.ok(
        saved >= 0 && saved < named(/"[^"]*compose\.yaml"/),
        "the text of a saved file is on the disk first",
      );
      const entries = calls.findIndex((call, at) =>
        at > saved && /sync\(/.test(call) && call.includes(`<${folder}>`)
      );
      assert.ok(entries > named(/"[^"]*compose\.yaml"/), "and its name after it");
      const exported = syncs(/export\.ndjson\.[0-9a-f-]{36}\.partial>/);
      assert.ok(exported >= 0 && exported < named(/export\.ndjson"/), "so is an export");
    } finally {
      await Deno.remove(folder, { recursive: true });
      await Deno.remove(trace).catch(() => {});
    }
  },
});
