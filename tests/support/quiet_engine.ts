/** Answers of a scripted engine to everything that a test is not about: it has nothing, and nothing happens. */
import { CHUNKED, type ScriptedCall } from "./scripted_engine.ts";

/** Empty lists, and an event stream that stays open until the other side leaves. */
export async function quiet({ path, json, write, conn }: ScriptedCall): Promise<void> {
  if (path.startsWith("/events")) {
    await write(CHUNKED);
    await conn.read(new Uint8Array(1));
  } else if (path.startsWith("/volumes")) await json({ Volumes: [] });
  else if (path === "/version") await json({ Version: "0", ApiVersion: "1.41" });
  else await json([]);
}
