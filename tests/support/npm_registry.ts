/** Tells if this machine reaches the npm registry. */

/** Returns why nothing can be fetched here, or null. The runtime itself is asked, because it knows its way to the registry. */
export async function noRegistry(): Promise<string | null> {
  const cache = await Deno.makeTempDir({ prefix: "berth-probe-" });
  try {
    const { success } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--no-config", "--no-lock", "npm:hono"],
      env: { DENO_DIR: cache },
      stdin: "null",
      signal: AbortSignal.timeout(20_000),
    }).output();
    const fetched = await Deno.stat(`${cache}/npm`).then(() => true, () => false);
    return success && fetched ? null : "the npm registry cannot be reached";
  } finally {
    await Deno.remove(cache, { recursive: true });
  }
}
