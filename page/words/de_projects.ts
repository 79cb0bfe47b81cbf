/** The German words for projects. */
import { count, number } from "./de_counts.ts";

export const projects = {
  title: "Projekte",
  list: "Liste",
  folders: "Ordner",
  noRight: "Sie dürfen keine Projekte sehen. Bitten Sie einen Admin um die Berechtigung artifacts:read.",
  allWell: (projects: number) => `Alles läuft wie geschrieben (${count(projects, "Projekt", "Projekte")})`,
  filter: "Projekte filtern",
  noMatch: "Kein Projekt passt.",
  showAll: "Alle zeigen",
  name: "Projekt",
  state: "Zustand",
  running: "Läuft",
  ports: "Ports",
  engine: "Engine",
  sorted: "sortiert",
  sortedBackwards: "rückwärts sortiert",
  runningOf: (running: number, desired: number) => `${number.format(running)} von ${number.format(desired)}`,
  runningOfUnknown: (running: number) => `${number.format(running)} von ?`,
  unfold: (name: string) => `Die Dienste von ${name} zeigen`,
  fold: (name: string) => `Die Dienste von ${name} verbergen`,
  away: (engine: string, time: string | null) =>
    time === null ? `Engine ${engine} ist weg` : `Engine ${engine} ist seit ${time} weg`,
  stopped: (byHand: boolean, time: string | null) =>
    `${byHand ? "von Hand " : ""}gestoppt${time === null ? "" : `, vor ${time}`}`,
  services: (amount: number) => count(amount, "Dienst", "Dienste"),
  more: (amount: number) => `${number.format(amount)} weitere`,
  bring: "Angleichen",
  start: "Starten",
  ways: (name: string) => `Mehr zu ${name}`,
  newer: (amount: number) => count(amount, "neueres Image", "neuere Images"),
  update: "Aktualisieren",
};
