/** A browser in two words, where it is one of the known; else what it calls itself. */
import { shown } from "../../parts/shown.ts";
import { words } from "../../words/en_later.ts";

/** The first that fits: most browsers call themselves by the names of others, too. */
const BROWSERS = [
  ["Edge", /\bEdg\//],
  ["Firefox", /\bFirefox\//],
  ["Chrome", /\b(?:Headless)?Chrome\//],
  ["Safari", /\bVersion\/.*\bSafari\//],
] as const;
const SYSTEMS = [
  ["Android", /\bAndroid\b/],
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["macOS", /\bMac OS X\b/],
  ["Windows", /\bWindows NT\b/],
  ["Linux", /\bLinux\b/],
] as const;

export function deviceOf(device: string | null): string {
  const { unknownDevice, browser } = words.settings.sessions;
  if (device === null) return unknownDevice;
  const [name] = BROWSERS.find(([, pattern]) => pattern.test(device)) ?? [];
  const [system] = SYSTEMS.find(([, pattern]) => pattern.test(device)) ?? [];
  return name === undefined || system === undefined ? shown(device) : browser(name, system);
}
