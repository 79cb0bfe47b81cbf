/** The first admin of a service under measurement. */

/** The service answers health before the rest of it is up. */
export async function adminKey(url: string, tokenFile: string): Promise<string> {
  for (let attempt = 0; attempt < 500; attempt += 1) {
    try {
      const token = (await Deno.readTextFile(tokenFile)).trim();
      const answer = await fetch(`${url}/api/settings/setup`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ token, name: "bench" }),
      });
      const { key } = await answer.json();
      if (answer.ok) return key;
    } catch {
      // not written yet
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("berth was never set up");
}
