/** The sentences of writing down what runs, in German. */
import { count } from "./de_counts.ts";

export const writeDown = {
  link: "Aufschreiben …",
  these: (amount: number) => `${count(amount, "Container", "Container")} aufschreiben …`,
  choose: (name: string) => `${name} auswählen`,
  lead:
    "berth hat diese Container aufgeschrieben und den Text mit ihnen verglichen. Gespeichert ist nichts, und kein Container hat sich geändert.",
  later:
    "berth übernimmt sie nicht: Ein Plan ist gesperrt, solange Container ohne die Labels von Compose diese Namen haben.",
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
