/** The German words for projects. */
import { count, number } from "./de_counts.ts";

export const projects = {
  title: "Projekte",
  list: "Liste",
  folders: "Ordner",
  noRight: "Sie dürfen keine Projekte sehen. Bitten Sie einen Admin um die Berechtigung artifacts:read.",
  noneTitle: "Noch kein Projekt",
  noneLead: (folders: number) =>
    `berth liest ${
      count(folders, "Ordner", "Ordner")
    } und findet kein Projekt darin. Legen Sie dort eine compose.yaml an, oder tragen Sie einen anderen Ordner ein.`,
  toFolders: "Zu den Ordnern",
  allWell: (projects: number, ago: string) =>
    `Alles läuft wie geschrieben (${count(projects, "Projekt", "Projekte")}, vor ${ago} geprüft)`,
  filter: "Projekte filtern",
  noMatch: "Kein Projekt passt.",
  showAll: "Alle zeigen",
  name: "Projekt",
  state: "Zustand",
  running: "Läuft",
  ports: "Ports",
  engine: "Engine",
  runningOf: (running: number, desired: number) => `${number.format(running)} von ${number.format(desired)}`,
  runningOfUnknown: (running: number) => `${number.format(running)} von ?`,
  unfold: (name: string) => `Die Dienste von ${name} zeigen`,
  fold: (name: string) => `Die Dienste von ${name} verbergen`,
  away: (engine: string, time: string | null) =>
    time === null ? `Engine ${engine} ist weg` : `Engine ${engine} ist seit ${time} weg`,
  stopped: (byHand: boolean, time: string | null) =>
    `${byHand ? "von Hand " : ""}gestoppt${time === null ? "" : `, vor ${time}`}`,
  services: (amount: number) => count(amount, "Dienst", "Dienste"),
  servicesOf: (name: string) => `Dienste von ${name}`,
  servicesWord: "Dienste",
  more: (amount: number) => `${number.format(amount)} weitere`,
  bring: "Angleichen",
  bringAll: (amount: number) => amount === 1 ? "Angleichen …" : `${number.format(amount)} angleichen …`,
  start: "Starten",
  undeclared: "Nicht deklariert",
  inNoFile: "läuft, steht in keiner Datei, die berth liest",
  from: (folder: string) => `nicht deklariert · aus ${folder}`,
  addFolder: "Ordner eintragen",
  containers: (amount: number) => count(amount, "Container", "Container"),
  looseOn: (amount: number, engine: string) => `${count(amount, "Container", "Container")} auf ${engine}`,
  inNoProject: "in keinem Projekt",
  ignored: (amount: number) => `${count(amount, "Zeile wird", "Zeilen werden")} in diesem Browser ignoriert.`,
  which: (name: string) => `Mehrere Projekte heißen ${name}`,
  tabs: "Ansichten des Projekts",
  history: "Verlauf",
  noHistory: "Noch wurde nichts darauf angewendet.",
  on: (engines: string) => `auf ${engines}`,
  folder: "deklariert in",
  onlyRuns: (running: number) =>
    `${count(running, "Container läuft", "Container laufen")}, und keine Datei deklariert es.`,
  onlyRunsLead:
    "Tragen Sie den Ordner ein, aus dem es gestartet wurde; dann vergleicht berth, was läuft, mit seinen Dateien.",
};
