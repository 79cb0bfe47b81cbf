/** Die deutschen Wörter der Vorfälle. */
import { count } from "./de_counts.ts";

export const incidents = {
  title: "Vorfälle",
  status: (open: number, all: number) =>
    `${open} offen, ${count(all, "Vorfall", "Vorfälle")} in sieben Tagen`,
  none: "Keine Vorfälle in den letzten sieben Tagen",
  noneHint:
    "berth eröffnet einen, wenn etwas nicht ist, wie es geschrieben steht, ausfällt oder nicht antwortet.",
  week: "Sieben Tage",
  weekOf: (name: string) => `Die letzten sieben Tage von ${name}`,
  well: "kein Vorfall",
  open: "offen",
  subject: "Worum es geht",
  state: "Zustand",
  since: "Seit",
  until: "Bis",
  cause: "Ursache",
  list: "Alle Vorfälle",
  endings: (amount: number) => count(amount, "Ende", "Enden"),
  away: "war gut, als berth zurückkam",
  undeclared: "nicht mehr deklariert",
  atFirst: "war schon da, als berth zu beobachten begann",
  history: "Was sich änderte",
  at: "Zeit",
  fields: "Felder",
  plan: "Planen",
  project: "Projekt",
  gone: "Diesen Vorfall gibt es nicht, oder Sie dürfen ihn nicht sehen.",
  engineOf: (name: string) => `Engine ${name}`,
  folderOf: (name: string) => `Ordner ${name}`,
  containerOf: (name: string, engine: string) => `${name} auf ${engine}`,
  kinds: {
    broken: "defekt",
    differs: "weicht ab",
    notStarted: "nicht gestartet",
    stopped: "gestoppt",
    engine: "antwortet nicht",
    workspace: "nicht lesbar",
    berth: "berth",
  },
} as const;
