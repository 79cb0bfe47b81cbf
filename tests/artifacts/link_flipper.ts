/** Somebody who exchanges a folder for a link as fast as the system can, by a process of its own. */

/** Two names change places at once (`RENAME_EXCHANGE`), so that there is always something under both. */
const PROGRAM = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
one, other = (os.fsencode(path) for path in sys.argv[1:3])
if libc.renameat2(-100, one, -100, other, 2) != 0: sys.exit(os.strerror(ctypes.get_errno()))
print("flips", flush=True)
while os.getppid() == int(sys.argv[3]): libc.renameat2(-100, one, -100, other, 2)
`;

export class LinkFlipper implements AsyncDisposable {
  constructor(readonly child: Deno.ChildProcess) {}

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await Promise.all([this.child.stdout.cancel(), this.child.stderr.cancel()]);
    await this.child.status;
  }
}

/** Begins to exchange two paths; a sentence where this machine cannot. */
export async function startFlipper(one: string, other: string): Promise<LinkFlipper | string> {
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command("python3", {
      args: ["-c", PROGRAM, one, other, String(Deno.pid)],
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch {
    return "there is no python3 here";
  }
  const flipper = new LinkFlipper(child);
  const reader = child.stdout.getReader();
  const { done } = await reader.read();
  reader.releaseLock();
  if (!done) return flipper;
  await flipper[Symbol.asyncDispose]();
  return "this system cannot exchange two names at once";
}
