/** The sentences of newer images in German. */
import { count, day } from "./de_counts.ts";

export const updates = {
  count: (amount: number) => count(amount, "Image", "Images"),
  newer: (amount: number) => `${count(amount, "neueres Image", "neuere Images")}`,
  off: "berth sucht nicht nach neueren Images.",
  offHint:
    "Eingeschaltet fragt es zweimal am Tag die Registry jedes Images. Es holt nichts und ändert von selbst nichts.",
  on: "Nach neueren Images suchen",
  turnOff: "Nicht mehr suchen",
  check: "Jetzt nachsehen",
  checking: (amount: number) => `${count(amount, "Image wird", "Images werden")} geprüft.`,
  coolDown: "Wartezeit für ein neues Image",
  days: (days: number) => days === 0 ? "keine" : count(days, "Tag", "Tage"),
  none: "Kein deklariertes Projekt hat ein Image aus einer Registry.",
  noneHint: "Hier gebaute, auf einen Digest festgelegte und Images von localhost bleiben außen vor.",
  image: "Image",
  project: "Projekt",
  state: "Zustand",
  candidate: "Neueres",
  states: {
    newer: "neueres Image",
    current: "aktuell",
    gone: "verschwunden",
    refused: "abgewiesen",
    limited: "zu oft gefragt",
    unknown: "unbekannt",
  },
  checked: (ago: string) => `vor ${ago} gefragt`,
  never: "noch nicht gefragt",
  until: (time: string) => `wieder ${time}`,
  firstSeen: (ms: number) => `zuerst gesehen ${day.format(ms)}`,
  cools: (ms: number) => `wartet bis ${day.format(ms)}`,
  wentBack: (ms: number) => `zurückgenommen am ${day.format(ms)}`,
  update: "Aktualisieren",
  updateAll: (amount: number) => `${count(amount, "Projekt", "Projekte")} aktualisieren`,
  steps: { patch: "Fehlerbehebung", minor: "kleinere Version", major: "größere Version" },
  change: (version: string) => `Auf ${version} ändern`,
  changes: (path: string) => `Die Zeilen von ${path}, die sich unterscheiden`,
  changeHint:
    "berth schreibt die Datei, bewahrt ihren Text davor auf und zeigt als Nächstes den Plan. Bis zum Anwenden läuft nichts davon.",
  majorHint: "Eine größere Version kann Handarbeit brauchen: Lesen Sie erst, was sich geändert hat.",
  write: "Schreiben und planen",
  notEditable: (path: string) =>
    `berth darf ${path} nicht schreiben: Ändern Sie die Zeile von Hand, oder machen Sie den Ordner auf seiner Seite bearbeitbar.`,
  asking: "Die Änderung wird ermittelt …",
  notes: "Versionshinweise",
} as const;
