/**
 * The view of a process inside a container that Compose made, and inside the one that berth made of the same service:
 * variables, files with their modes and owners, mounts, limits and rights.
 */
import assert from "node:assert/strict";
import { project, scene, service } from "./apply_scene.ts";
import { composeOfToday, composeToday } from "../support/compose.ts";
import type { TestEngine } from "../support/engine.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { FILES, MORE } from "./exact/forms.ts";

const SERVICES: readonly string[] = [
  "env_file: odd.env",
  "env_file: [{ path: raw.env, format: raw }, crlf.env, bom.env]",
  "environment: { A: 0x1F, B: 010, C: 1e6, D: 'a b', E: '', F: ~, KNOWN: , Q: \"two\\nlines\", Z: '$$x' }",
  "env_file: odd.env\nenvironment: { DOLLAR: mine, N2: '${NOPE:-}' }",
  "secrets: [word, file, { source: word, target: deep/er, mode: 0400, uid: '1', gid: '2' }]",
  "secrets: [{ source: word, mode: '0440' }, { source: file, target: /elsewhere }]",
  "configs: [inline, file, { source: inline, target: /etc/c, mode: 0o444, uid: '10' }]",
  "volumes: ['data:/data', './own:/own:ro', '/anonymous', { type: tmpfs, target: /t, tmpfs: { size: 1m, mode: 0700 } }]",
  "tmpfs: ['/y:size=1m,mode=1777']\nread_only: true\nshm_size: 32m",
  "user: '1000:100'\ngroup_add: ['7']\nworking_dir: /tmp\nhostname: box\ndomainname: lan",
  "ulimits: { nofile: { soft: 100, hard: 200 }, nproc: 50 }\noom_score_adj: 100",
  "cap_drop: [NET_RAW]\ncap_add: [NET_ADMIN]\nsecurity_opt: ['no-new-privileges:true']\ninit: true",
  "dns: [127.0.0.9]\ndns_search: lan\nextra_hosts: ['a:127.0.0.1', 'b:::1']\nsysctls: { net.core.somaxconn: 100 }",
  "networks: { inner: { aliases: [x] }, other: {} }\nmem_limit: 64m\ncpus: 0.5\npids_limit: 100",
];

/** Prints all of it, in one order. Names that an engine chooses by itself are taken out. */
const LOOK = `
env | sort; id; pwd; umask
for one in /run/secrets /run/secrets/deep /inline /file /etc/c /elsewhere /data /own /anonymous /t /y /dev/shm /tmp; do
  [ -e $one ] && ls -lnd $one | awk '{ print $1, $3, $4, $NF }' && ls -ln $one | awk '{ print $1, $3, $4, $5, $NF }'
done
for one in /run/secrets/* /run/secrets/deep/* /inline /file /etc/c /elsewhere; do [ -f $one ] && md5sum $one; done
awk '{ print $2, $3, $4 }' /proc/mounts | sort
cat /proc/1/limits
grep -E '^(Cap|NoNewPrivs|Groups|Uid|Gid)' /proc/self/status
cat /proc/self/oom_score_adj /proc/sys/net/core/somaxconn /etc/resolv.conf
grep -vE '^[0-9.]+[[:space:]]' /etc/hosts; grep -E '^127|::' /etc/hosts | sort; true`;

/** Returns what a process sees in each container, by the service. */
async function seenIn(engine: TestEngine): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  for (let n = 0; n < SERVICES.length; n++) {
    const text = await engine.cli("exec", `inside-s${n}-1`, "sh", "-c", LOOK);
    // The engine's own folder, and the short id that is the host's name.
    seen[`s${n}`] = text.replaceAll(/[0-9a-f]{64}|[0-9a-f]{12}|l\/[A-Z0-9]{26}/g, "<id>");
  }
  return seen;
}

const { test } = await sharedEngine("docker");

test(
  "A process sees the same variables, files, mounts and rights in a container of berth as in one of Compose",
  async (engine) => {
    const text = project("inside", SERVICES.map((lines, n) => service(`s${n}`, lines)), MORE);
    await scene(engine, "inside", text, async (scene) => {
      await Deno.mkdir(`${scene.path}/own`);
      for (const [path, text] of Object.entries(FILES)) {
        await Deno.writeTextFile(`${scene.path}/${path}`, text);
      }
      assert.equal(await composeToday(engine.socket, scene.path, "up", "-d"), "");
      const ofCompose = await seenIn(engine);
      await scene.clear();
      const applied = await scene.apply();
      assert.equal(applied.state, "done", applied.reason ?? "");
      const ofBerth = await seenIn(engine);
      for (const [n, lines] of SERVICES.entries()) assert.equal(ofBerth[`s${n}`], ofCompose[`s${n}`], lines);
      assert.match(ofCompose["s0"]!, /^DOLLAR=a/m, "the look sees variables");
      assert.match(ofCompose["s4"]!, /secrets\/word/, "the look sees files");
    });
  },
  composeOfToday.missing,
);
