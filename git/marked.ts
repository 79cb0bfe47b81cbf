/**
 * Ends all processes of one call. A mark in their environment tells them, which children inherit, also those that have
 * lost their parent. They need no process group for it: to start one in a group of its own copies the tables of all
 * memory of berth, which takes longer than most calls of git.
 */

/** The variable that is set for a call, to a text of its own. */
export const MARK = "BERTH_CALL";

/** Looks for processes that were started while those found before were being stopped. */
const MOST_LOOKS = 10;

/** Stops each process before the next look, so that it starts nothing more. */
export function killMarked(mark: string): void {
  const stopped = new Set<number>();
  let found: number[] = [];
  for (let look = 0; look < MOST_LOOKS; look++) {
    found = marked(mark);
    const fresh = found.filter((one) => !stopped.has(one));
    if (fresh.length === 0) break;
    for (const one of fresh) {
      send(one, "SIGSTOP");
      stopped.add(one);
    }
  }
  for (const one of found) send(one, "SIGKILL");
}

/** Returns the processes with the mark, and all below them, as the system has them now; none where there is no `/proc`. */
function marked(mark: string): number[] {
  const found: number[] = [];
  const children = new Map<number, number[]>();
  for (const one of runningProcesses()) {
    const parent = parentOf(one);
    if (parent !== null) children.set(parent, [...children.get(parent) ?? [], one]);
    if (read(`/proc/${one}/environ`)?.split("\0").includes(`${MARK}=${mark}`)) found.push(one);
  }
  const all = new Set(found);
  for (const one of all) for (const child of children.get(one) ?? []) all.add(child);
  return [...all];
}

function runningProcesses(): number[] {
  try {
    return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) => pid > 0);
  } catch {
    return [];
  }
}

function parentOf(pid: number): number | null {
  const text = read(`/proc/${pid}/stat`);
  // The name in brackets may hold anything.
  return text === null ? null : Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
}

function read(path: string): string | null {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return null; // it has ended, or is not ours
  }
}

function send(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
