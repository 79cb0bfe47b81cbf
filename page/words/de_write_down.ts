/** The sentences of writing down what runs, in German. */
import { count } from "./de_counts.ts";

export const writeDown = {
  link: "Aufschreiben …",
  these: (amount: number) => `${count(amount, "Container", "Container")} aufschreiben …`,
  choose: (name: string) => `${name} auswählen`,
  lead:
    "berth hat diese Container aufgeschrieben und den Text mit ihnen verglichen. Gespeichert ist noch nichts, und kein Container hat sich geändert.",
  into: "Ordner zum Speichern",
  name: "Projekt",
  folderIn: (workspace: string) => `Ordner in ${workspace}`,
  save: "Als Projekt speichern",
  saveThem: (amount: number) =>
    amount === 1 ? "Als Projekt speichern" : `Als ${count(amount, "Projekt", "Projekte")} speichern`,
  progress: (done: number, all: number) => `${done} von ${all} Projekten sind gespeichert.`,
  again: "Neu aufschreiben",
  nothingChanges:
    "Dateien werden geschrieben, und die Container gehören dann zu ihnen. Keiner wird gestoppt oder neu erzeugt.",
  saved: (amount: number) =>
    amount === 1
      ? "Gespeichert. Die Container gehören jetzt zu diesem Projekt:"
      : "Gespeichert. Die Container gehören jetzt zu diesen Projekten:",
  idle: (amount: number) =>
    `${count(amount, "Container läuft", "Container laufen")} nicht: Der erste Plan würde ${
      amount === 1 ? "ihn" : "sie"
    } starten.`,
  noFolder: "Registrieren Sie zuerst einen Ordner: Der Text wird mit seinen Einstellungen gelesen.",
  gone: "Keiner dieser Container ist noch da.",
  on: (engine: string) => `auf ${engine}`,
  services: (amount: number) => count(amount, "Container", "Container"),
  same: "Der Text sagt alles, was berth vergleicht.",
  differences: "Verbliebene Unterschiede",
  differs: (container: string, field: string, declared: string, actual: string) =>
    `${container}, ${field}: im Text ${declared}, im Container ${actual}`,
  refused: "Nicht aufgeschrieben",
  because: (container: string, why: string) => `${container}: ${why}`,
  leftOut: "Weggelassen, und warum",
  names: (containers: readonly string[]) =>
    containers.length <= 4
      ? containers.join(", ")
      : `${containers.slice(0, 3).join(", ")} und ${containers.length - 3} weitere`,
  left: (container: string, field: string, why: string) => `${container}, ${field}: ${why}`,
  copyFile: (path: string) => `${path} kopieren`,
  copied: "Kopiert",
  reveal: "Geheimnisse zeigen …",
  masked: "Geheimnisse sind verdeckt. Kopieren Sie die Dateien, sobald sie gezeigt werden.",
} as const;

export const settle = {
  open: "In die Datei schreiben, was läuft …",
  title: "Die Datei an den Container angleichen",
  lead: (container: string) =>
    `Die Datei bekommt die Werte von ${container}. Der Container ändert sich nicht, und der Text davor bleibt erhalten.`,
  fields: "Unterschiede",
  at: (file: string, line: number) => `${file}, ab Zeile ${line}`,
  change: "Die Änderung der Datei",
  save: "Die Datei speichern",
} as const;

export const adopted = {
  certain:
    "Übernommen, wie er ist. Docker Compose kennt diesen Container erst, wenn ein Plan von berth ihn einmal ersetzt hat.",
  likely:
    "Bei der Übernahme hatte ein anderer Container diesen Namen. Pläne warten, und niemand bekommt dadurch Rechte, bis Sie sagen, dass es dieser ist.",
  confirm: "Dieser ist es …",
  confirmLead: (name: string, project: string) =>
    `${name} gehört ab jetzt zu ${project}. Der Container ändert sich nicht.`,
  end: "Übernahme beenden …",
  endLead: (name: string, project: string) =>
    `${name} gehört nicht mehr zu ${project}. Container und Dateien bleiben, wie sie sind.`,
  by: (name: string) => `Übernommen von ${name}.`,
} as const;
