/** The owner of an apply: one process, which others on its machine can find to be gone before its lease ends. */

/** Returns an id that no other process has, with the process as far as this machine tells it. */
export function ownerHere(): string {
  const place = placeOf(Deno.pid);
  const id = crypto.randomUUID();
  return place === null ? id : `${id} ${place}`;
}

/** Returns true if the owner was a process of this machine that has ended. */
export function isGone(owner: string): boolean {
  const [, machine, pid, start] = owner.split(" ");
  if (machine === undefined || start === undefined || machine !== machineOf()) return false;
  return startOf(Number(pid)) !== start;
}

function placeOf(pid: number): string | null {
  const [machine, start] = [machineOf(), startOf(pid)];
  return machine === null || start === null ? null : `${machine} ${pid} ${start}`;
}

/** This start of this machine, and the namespace in which a process has its number; null where that is not told. */
function machineOf(): string | null {
  try {
    const boot = Deno.readTextFileSync("/proc/sys/kernel/random/boot_id");
    const namespace = Deno.readLinkSync("/proc/self/ns/pid");
    return `${boot.trim()}/${namespace}`;
  } catch {
    return null;
  }
}

/** The start of a process in the kernel's ticks; null for one that is not there or only waits to be forgotten. */
function startOf(pid: number): string | null {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // The name in brackets may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? null : fields[19] ?? null;
  } catch {
    return null;
  }
}
