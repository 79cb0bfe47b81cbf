/** Light, dark, or as the system has it: kept in this browser. */
import { signal } from "@preact/signals";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const THEME = "berth.theme";

export const theme = signal<Theme>(THEMES.find((one) => one === localStorage.getItem(THEME)) ?? "system");

export function wearTheme(chosen: Theme = theme.peek()): void {
  theme.value = chosen;
  if (chosen === "system") {
    localStorage.removeItem(THEME);
    delete document.documentElement.dataset["theme"];
  } else {
    localStorage.setItem(THEME, chosen);
    document.documentElement.dataset["theme"] = chosen;
  }
}
