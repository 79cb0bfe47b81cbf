/**
 * Memory that was needed for a while goes back to the system: V8 keeps garbage and glibc keeps what was freed until
 * more is needed, and after a flood or a large answer that is more than all else. The runtime lets go of both on
 * SIGUSR2, if it was started with `DENO_USR2_MEMORY_TRIM=1`.
 */

const LOOK_MS = 10_000;
/** Above the least that it ever held: less is not worth the pause of a collection. */
const SHARE = 1.1;
const LEAST_BYTES = 8 * 1024 * 1024;
/** Grown by more than this between two looks: something new needed it. */
const JUMP = 1.2;
/** Grown by less than this between two looks: what needed the memory is over. */
const CALM = 1.02;
/** Looks until it is asked again for what is still held: as long as a flood may last, then twice as many each time. */
const WAIT = 2;
const OFTEN = 8;
const LONGEST_WAIT = 360;
/** The bit of SIGUSR2 among the signals that a process catches. */
const USR2 = 1n << 11n;

interface MemoryParts {
  readonly residentBytes: () => number;
  /** Says false where nothing can be given back. */
  readonly giveBack: () => Promise<boolean>;
  readonly lookMs: number;
}

const PROCESS: MemoryParts = {
  residentBytes: () => Deno.memoryUsage().rss,
  giveBack: askRuntime,
  lookMs: LOOK_MS,
};

/**
 * Looks now and then, and gives back what is held beyond the least that it ever held, once it grows no more. What a
 * start leaves is given back in any case.
 */
export function giveBackFreed(parts: Partial<MemoryParts> = {}): Disposable {
  const { residentBytes, giveBack, lookMs } = { ...PROCESS, ...parts };
  let least = Infinity;
  let before = 0;
  let wait = 0;
  let asked = 0;
  let isStarted = false;
  const look = async () => {
    const now = residentBytes();
    const isCalm = now <= before * CALM;
    if (now > before * JUMP) [wait, asked] = [0, 0];
    before = now;
    least = Math.min(least, now);
    if (isCalm && !isStarted) {
      isStarted = true;
      if (!await giveBack()) clearInterval(timer);
    } else if (wait > 0) wait--;
    else if (isCalm && now > least * SHARE && now > least + LEAST_BYTES) {
      wait = Math.min(LONGEST_WAIT, WAIT * 2 ** Math.max(0, ++asked - OFTEN));
      if (!await giveBack()) clearInterval(timer);
    }
  };
  const timer = setInterval(look, lookMs);
  Deno.unrefTimer(timer);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Sends the signal to this process, if it is one that the runtime catches: it would end any other. */
async function askRuntime(): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  try {
    const status = await Deno.readTextFile("/proc/self/status");
    const caught = BigInt(`0x${/^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
    if ((caught & USR2) === 0n) return false;
    Deno.kill(Deno.pid, "SIGUSR2");
    return true;
  } catch {
    return false; // without the permission to send a signal
  }
}
