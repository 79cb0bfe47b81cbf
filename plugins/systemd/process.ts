/** Runs one program: an argument list and no shell, bounded in output and time, killed when it is to stop. */

interface RunOptions {
  /** Kills the program. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** The program's output, or the reason for which there is none. */
type Ran = { readonly output: string } | { readonly reason: string };

export async function run(program: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  if (options.signal.aborted) return { reason: "berth stops" };
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program, { args: [...args], stdin: "null", stdout: "piped", stderr: "null" })
      .spawn();
  } catch (error) {
    return { reason: error instanceof Deno.errors.NotFound ? "it is not installed" : "it cannot be started" };
  }
  const reader = child.stdout.getReader();
  let reason: string | null = null;
  const end = (why: string) => {
    reason ??= why;
    try {
      child.kill("SIGKILL");
    } catch { // it has ended by itself
    }
    reader.cancel().catch(() => {}); // a child of its own may hold the pipe open
  };
  const stop = () => end("berth stops");
  options.signal.addEventListener("abort", stop);
  const timer = setTimeout(() => end(`it took longer than ${options.timeoutMs / 1000} s`), options.timeoutMs);
  try {
    const decoder = new TextDecoder();
    let output = "";
    let size = 0;
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      size += read.value.byteLength;
      if (size > options.maxBytes) end(`it wrote more than ${options.maxBytes} bytes`);
      else output += decoder.decode(read.value, { stream: true });
    }
    const { success, code } = await child.status;
    if (reason !== null) return { reason };
    return success ? { output: output + decoder.decode() } : { reason: `it ended with exit code ${code}` };
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener("abort", stop);
  }
}
