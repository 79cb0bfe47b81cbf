/** The time since a moment; it updates itself. */
import { signal } from "@preact/signals";
import { link, serviceTime } from "../live/live.ts";
import { words } from "../words/en.ts";

/** The time by the service's clock, by the second; it stands still while nobody looks, and while what is shown is not live. */
export const now = signal(serviceTime());
setInterval(() => {
  if (document.visibilityState === "visible" && link.peek()?.live !== false) now.value = serviceTime();
}, 1_000);

export function Ago(
  { since, say = (text) => text }: { readonly since: number; readonly say?: (ago: string) => string },
) {
  return <>{say(words.duration(now.value - since))}</>;
}
