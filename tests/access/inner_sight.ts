/**
 * Reads from inside a container what a process of it has of the host and of others, as the kernel tells it. It knows
 * nothing of berth's table of rights, nor of the engine's own description.
 */
import type { TestEngine } from "../support/engine.ts";

/** One line a fact: namespaces, rights, mounts with the place they come from, devices, addresses, and canaries. */
const LOOK = String.raw`
for one in pid net ipc uts mnt user cgroup; do echo "ns $one $(readlink /proc/$$/ns/$one)"; done
grep -E '^(CapBnd|Seccomp|NoNewPrivs):' /proc/$$/status
echo "oom $(cat /proc/$$/oom_score_adj)"
while read -r a b c from to rest; do echo "mount $to $from $rest"; done < /proc/$$/mountinfo
for one in /dev/*; do echo "dev $one"; done
ip -o addr 2>/dev/null | while read -r n dev family address rest; do echo "address $address"; done
find / '(' -path /proc -o -path /sys ')' -prune -o -type f -size -64 -exec grep -lsF "$1" {} + 2>/dev/null |
  while read -r one; do echo "canary $one"; done
grep -sF "$1" /proc/$$/environ >/dev/null && echo "canary in the environment"
if [ -n "$2" ]; then nc -w 1 "$2" 8080 < /dev/null >/dev/null 2>&1 && echo "reaches their address"; fi
exit 0
`;

/** Put there by the engine itself, for a terminal and for a first process that collects others. */
const GIVEN = /^(?:\/dev\/console|\/sbin\/docker-init|\/run\/podman-init|\/dev\/init)$/;
/** A volume without a name is its container's own. */
const ANONYMOUS = /\/volumes\/[0-9a-f]{64}\/_data$/;

export interface Sight {
  readonly namespaces: ReadonlyMap<string, string>;
  readonly capabilities: bigint;
  readonly isConfined: boolean;
  readonly oom: number;
  readonly mounts: readonly { readonly at: string; readonly from: string; readonly rest: string }[];
  readonly devices: ReadonlySet<string>;
  /** Found where it must see none. */
  readonly canaries: readonly string[];
}

/** Looks from inside; null where no process runs. `address` is where a neighbour's network listens. */
export async function sightOf(
  engine: TestEngine,
  container: string,
  canary: string,
  address: string,
): Promise<Sight | null> {
  if (await engine.cli("inspect", "--format", "{{.State.Running}}", container) !== "true") return null;
  const text = await engine.cli("exec", "--user", "0", container, "sh", "-c", LOOK, "sh", canary, address);
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const words = (first: string) =>
    lines.filter((line) => line.startsWith(`${first} `)).map((line) => line.slice(first.length + 1));
  const status = (name: string) => /\S+$/.exec(lines.find((line) => line.startsWith(`${name}:`)) ?? "")?.[0];
  return {
    namespaces: new Map(
      words("ns").map((line) => line.split(" ")).map(([name = "", id = ""]) => [name, id]),
    ),
    capabilities: BigInt(`0x${status("CapBnd") ?? "ffffffffffffffff"}`),
    isConfined: status("Seccomp") === "2",
    oom: Number(words("oom")[0]),
    mounts: words("mount").map((line) => {
      const [at = "", from = "", ...rest] = line.split(" ");
      return { at, from, rest: rest.join(" ") };
    }),
    devices: new Set(words("dev")),
    canaries: lines.filter((line) => /^(?:canary|reaches) /.test(line)),
  };
}

/** Other processes that a container is compared with. */
export interface Beside {
  /** Of an ordinary container that the engine's own command made. */
  readonly ordinary: Sight;
  /** Of the host and of everybody who is not of the project. */
  readonly strangers: readonly Sight[];
  /** Parts of the paths of the project's own folders and volumes. */
  readonly own: readonly string[];
}

/** Everything that the container has beyond its project. */
export function beyond(sight: Sight, { ordinary, strangers, own }: Beside): string[] {
  // On Podman, networks are not kept apart: there an ordinary container reaches that address as well.
  const found = sight.canaries.filter((one) => !ordinary.canaries.includes(one));
  for (const [name, id] of sight.namespaces) {
    const isTheirs = strangers.some((one) => one.namespaces.get(name) === id);
    if (isTheirs && ordinary.namespaces.get(name) !== id) found.push(`the ${name} namespace of a stranger`);
  }
  if ((sight.capabilities & ~ordinary.capabilities) !== 0n) found.push("more capabilities");
  if (!sight.isConfined && ordinary.isConfined) found.push("no filter of system calls");
  if (sight.oom < ordinary.oom) found.push("kept alive before processes of the host");
  for (const device of sight.devices) {
    if (!ordinary.devices.has(device) && !GIVEN.test(device)) found.push(`the device ${device}`);
  }
  const usual = new Set(ordinary.mounts.map(({ at }) => at));
  for (const { at, from, rest } of sight.mounts) {
    if (usual.has(at) || GIVEN.test(at)) continue;
    // Docker's own volumes follow what happens on the host.
    const isVolume = /\/volumes\/[^/]+\/_data/.test(from);
    if (/shared:/.test(rest) || !isVolume && /master:/.test(rest)) found.push(`a shared mount at ${at}`);
    if (/ - (?:tmpfs|mqueue) /.test(` ${rest} `)) continue;
    if (!own.some((one) => from.includes(one)) && !ANONYMOUS.test(from)) {
      found.push(`${from} mounted at ${at}`);
    }
  }
  return found;
}
