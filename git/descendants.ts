/**
 * Ends a process with all that it started. They need no process group for it: to start one in a group of its own copies
 * the tables of all memory of berth, which takes longer than most calls of git.
 */

/** Looks for processes that were started while those found before were being stopped. */
const MOST_LOOKS = 10;

/** Stops each process before what it started is looked for, so that it starts nothing more. */
export function killWithDescendants(pid: number): void {
  const stopped = new Set<number>();
  let found = [pid];
  for (let look = 0; look < MOST_LOOKS; look++) {
    const fresh = found.filter((one) => !stopped.has(one));
    if (fresh.length === 0) break;
    for (const one of fresh) {
      send(one, "SIGSTOP");
      stopped.add(one);
    }
    found = withDescendants(pid);
  }
  for (const one of found) send(one, "SIGKILL");
}

/** The process itself, and all below it, as the system has them now; the process alone where there is no `/proc`. */
function withDescendants(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const one of runningProcesses()) {
    const parent = parentOf(one);
    if (parent !== null) children.set(parent, [...children.get(parent) ?? [], one]);
  }
  const found = [pid];
  for (const one of found) found.push(...children.get(one) ?? []);
  return found;
}

function runningProcesses(): number[] {
  try {
    return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) => pid > 0);
  } catch {
    return [];
  }
}

function parentOf(pid: number): number | null {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // The name in brackets may hold anything.
    return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return null; // it has ended
  }
}

function send(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
