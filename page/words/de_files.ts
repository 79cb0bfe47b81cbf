/** The words for files and for writing to them, in German. */
import { bytes, count, moment } from "./de_counts.ts";

export const files = {
  word: "Dateien",
  list: "Dateien des Ordners",
  none: "In diesem Ordner wurde keine Datei gelesen.",
  choose: "Wählen Sie eine Datei, um sie zu lesen.",
  label: (path: string) => `Text von ${path}`,
  unchecked: (reason: string) => `So, wie es ist, noch nicht geprüft, neuer Versuch folgt: ${reason}`,
  unloaded: "Der Editor konnte nicht geladen werden. Laden Sie die Seite neu.",
  gone: "Diese Datei wird nicht mehr gelesen.",
  clear: (path: string) => `${path} im Klartext, zum Lesen`,
  notYet: (path: string) => `${path} gibt es noch nicht`,
  makeWith: (path: string, name: string) => `${path} mit ${name} anlegen`,
  findings: "Befunde",
  noFindings: "Keine Regel hat etwas zu dieser Datei zu sagen.",
  toLine: (line: number) => `Zeile ${line}`,
  staleIn: (container: string, target: string) =>
    `${container} hängt diese Datei als ${target} ein und liest noch den alten Text: Ein Plan startet ihn neu.`,
  stale:
    "So, wie sie ist, kann sie nicht gelesen werden; es gilt der letzte Text, der gelesen werden konnte.",
  readOnly: "Nur lesen: kein Admin hat diesen Ordner zum Schreiben freigegeben.",
  cannotWrite:
    "Sie dürfen diese Datei lesen. Um sie zu ändern, brauchen Sie die Berechtigung workspaces:files.",
  makeEditable: "Zum Schreiben freigeben",
  makeEditableQuestion: (name: string) =>
    `Alle mit der Berechtigung workspaces:files in die Dateien des Ordners ${name} schreiben lassen? Was darin steht, entscheidet, was läuft, sobald es angewandt wird.`,
  makeReadOnly: "Nur noch lesen lassen",
  unsaved: "nicht gespeichert",
  save: "Speichern …",
  saveTitle: (path: string) => `${path} speichern?`,
  saveIt: "Speichern",
  saved: "Gespeichert",
  discard: "Verwerfen",
  discardQuestion: (path: string) => `Verwerfen, was Sie in ${path} geschrieben haben?`,
  search: "Suchen",
  difference: "Was sich ändert",
  same: (amount: number) => `${count(amount, "Zeile", "Zeilen")} wie zuvor`,
  added: "hinzugefügt",
  removed: "entfernt",
  noDifference: "Nichts ändert sich.",
  wrong: (errors: number, warnings: number) =>
    [
      errors === 0 ? "" : count(errors, "Fehler", "Fehler"),
      warnings === 0 ? "" : count(warnings, "Warnung", "Warnungen"),
    ].filter((part) => part !== "").join(" und "),
  withFindings: (what: string) =>
    `Die Regeln haben etwas zu sagen: ${what}. Gespeichert werden kann es trotzdem.`,
  masks:
    "Verdeckte Werte bleiben, was sie sind, solange ihre Masken bleiben, wo sie sind. Überschreiben Sie eine, um den Wert zu ändern.",
  moved:
    "Jemand anders hat diese Datei gespeichert, seit Sie sie geöffnet haben. Von Ihrem Text ist nichts verloren.",
  showTheirs: "Was andere geändert haben",
  takeTheirs: "Den anderen Text nehmen, meinen verwerfen",
  keepMine: "Mit meinem Text auf dem anderen weitermachen",
  versions: "Frühere Texte",
  noVersions: "Noch gibt es keinen: berth behält die letzten zwanzig Texte, die es ersetzt hat.",
  version: (ms: number, by: string, size: number) =>
    `bis ${moment.format(ms)}, ersetzt von ${by}, ${bytes(size)}`,
  putBack: "Zurückholen",
  phrases: {
    "Find": "Suchen",
    "Replace": "Ersetzen",
    "next": "weiter",
    "previous": "zurück",
    "all": "alle",
    "match case": "Groß und klein",
    "by word": "ganze Wörter",
    "regexp": "regulärer Ausdruck",
    "replace": "ersetzen",
    "replace all": "alle ersetzen",
    "close": "schließen",
    "Diagnostics": "Befunde",
    "No diagnostics": "Keine Befunde",
    "folded code": "eingeklappter Text",
    "unfold": "ausklappen",
    "Fold line": "Zeile einklappen",
    "Unfold line": "Zeile ausklappen",
    "Control character": "Steuerzeichen",
  } as Readonly<Record<string, string>>,
};
