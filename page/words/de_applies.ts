/** The words for plans and applies, in German. */
import { count, number } from "./de_counts.ts";

export const applies = {
  options: {
    engine: "Engine",
    whereItRuns: "wo es läuft",
    pull: "Images",
    pulls: { policy: "wie die Dateien sagen", always: "jedes neu holen", never: "keines holen" },
    build: "Images neu bauen",
    orphans: "Container von Diensten, die weg sind",
    orphansThen: { keep: "bleiben", remove: "werden entfernt" },
    recreate: "Zu ersetzende Container",
    recreates: { changed: "die abweichen", always: "alle" },
    inPlace: "An Ort und Stelle ändern, was keinen neuen Container braucht",
    units: "Nur diese Dienste",
    rerun: "Noch einmal ausführen, obwohl es gut endete",
    more: "Mehr Optionen",
    fewer: "Weniger Optionen",
  },
  remedy: {
    edit: (file: string, line: number) => `${file}:${line} öffnen`,
    set: (name: string, file: string) => `${name} in ${file} setzen`,
    resume: (container: string) => `${container} fortsetzen`,
    plan: {
      action: (value: string | null) =>
        value === "down"
          ? "Abbauen"
          : value === "restart"
          ? "Neu starten"
          : value === "stop"
          ? "Stoppen"
          : "Hochfahren",
      units: (value: string | null) => value === null ? "Alle Dienste" : `Nur ${value}`,
      backend: (value: string | null) => value === null ? "Wo es läuft" : `${value} nehmen`,
      pull: (value: string | null) =>
        value === "never"
          ? "Keines holen"
          : value === "always"
          ? "Neu holen"
          : "Holen, wie die Dateien sagen",
      build: (value: string | null) => value === null ? "Fehlendes bauen" : "Neu bauen",
      orphans: (value: string | null) => value === "remove" ? "Auch entfernen" : "Behalten",
      recreate: (value: string | null) => value === "always" ? "Alle ersetzen" : "Ersetzen, was abweicht",
      rerun: (value: string | null) =>
        value === null ? "Keinen noch einmal ausführen" : `${value} noch einmal ausführen`,
      volumes: (value: string | null) => value === null ? "Daten behalten" : `${value} entfernen`,
      inPlace: (value: string | null) =>
        value === "true" ? "An Ort und Stelle ändern" : "Stattdessen ersetzen",
    },
  },
  toProject: "Zum Projekt",
  noneDeclared: "Noch beschreibt keine Datei ein Projekt.",
  plansOf: (projects: number) => `Pläne für ${count(projects, "Projekt", "Projekte")}`,
  applyOf: (ready: number, all: number) =>
    ready === all && all === 1 ? "Anwenden" : `${number.format(ready)} von ${number.format(all)} anwenden`,
  questionOf: (projects: string) => `Die Pläne von ${projects} anwenden?`,
  fold: (name: string) => `Den Plan für ${name} verbergen`,
  unfold: (name: string) => `Den Plan für ${name} zeigen`,
  alone: "Eigener Plan",
  waitsItsTurn: "wartet, bis es an der Reihe ist",
  losesData: "löscht Daten: allein anwenden",
  notes: (amount: number) => count(amount, "Hinweis", "Hinweise"),
  command: "Dasselbe auf der Kommandozeile:",
  which: "Welches Projekt?",
  action: "Aktion",
  actions: {
    up: "Hochfahren",
    down: "Abbauen",
    stop: "Stoppen",
    restart: "Neu starten",
    update: "Images erneuern",
  },
  again: "Neu planen",
  question: (steps: number, group: string) => `${count(steps, "Schritt", "Schritte")} auf ${group} anwenden?`,
  interrupts: (steps: number) =>
    `${count(steps, "Schritt unterbricht", "Schritte unterbrechen")}, was läuft.`,
  takeBack: "Scheitert ein Schritt, alles bis dahin rückgängig machen",
  exactly: "Genau diese Schritte werden angewandt. Hat sich inzwischen etwas geändert, dann keiner.",
  nothing: "Es ist nichts zu tun.",
  unchanged: (containers: number) =>
    `${count(containers, "Container bleibt", "Container bleiben")} unverändert.`,
  unchangedServices: (services: number) =>
    `${count(services, "Dienst bleibt", "Dienste bleiben")} unverändert.`,
  steps: (steps: number) => count(steps, "Schritt", "Schritte"),
  blocked: "Dieser Plan kann nicht angewandt werden",
  warnings: "Gut zu wissen",
  lacks: (permission: string, on: string) => `Dir fehlt ${permission} für ${on}`,
  noGroups: "Nichts in diesem Ordner kann hochgefahren werden.",
  noRight: "Sie dürfen nicht planen. Bitten Sie einen Admin um die Berechtigung projects:plan.",
  interruption: "unterbricht",
  dataLoss: "mit allen Daten",
  optional: "nicht nötig",
  keeps: "Diese Volumes bleiben, mit ihren Daten",
  destroy: "Auch entfernen",
  keepData: "Alle Volumes behalten",
  typeVolume: "Alle Daten darin gehen verloren. Tippe den Namen des Volumes, um fortzufahren",
  follows: (step: number, how: string) => `folgt aus Schritt ${number.format(step)} (${how})`,
  onlyIf: (images: string, refusals: string) =>
    `nur wenn ${
      [
        ...images === "" ? [] : [`Schritt ${images} ein anderes Image bringt`],
        ...refusals === "" ? [] : [`Schritt ${refusals} abgelehnt wird`],
      ].join(" oder ")
    }`,
  codes: {
    absent: "gibt es noch nicht",
    stopped: "läuft nicht",
    scaleDown: "es gibt mehr als deklariert",
    orphan: "sein Dienst steht nicht in den Dateien",
    leftOver: "eine Ausführung, die vorbei ist, ließ ihn unter diesem Namen zurück",
    down: "alles wird abgebaut",
    asked: "wurde verlangt",
    policy: "so will es die pull_policy",
    newerImage: "für ein neueres Image",
  },
  kinds: {
    "image.pull": "Hole",
    "image.build": "Baue",
    "network.create": "Lege Netz an:",
    "network.remove": "Entferne Netz",
    "network.connect": "Verbinde",
    "volume.create": "Lege Volume an:",
    "volume.remove": "Entferne Volume",
    "container.create": "Lege an:",
    "container.start": "Starte",
    "container.stop": "Stoppe",
    "container.remove": "Entferne",
    "container.swap": "Ersetze",
    "container.update": "Ändere im Betrieb:",
    "container.restart": "Starte neu:",
    "hook.run": "Führe aus in",
    "wait": "Warte auf",
    "secret.create": "Lege Secret an:",
    "secret.remove": "Entferne Secret",
    "config.create": "Lege Config an:",
    "config.remove": "Entferne Config",
    "service.create": "Lege Dienst an:",
    "service.update": "Ändere Dienst",
    "service.wait": "Warte auf Dienst",
    "service.remove": "Entferne Dienst",
  },
  hook: "die Dateien verlangen es",
  hookWhen: { postStart: "nach seinem Start", preStop: "vor seinem Stopp" },
  hookWithin: (step: number) => `als Teil von Schritt ${number.format(step)}`,
  hookAs: (user: string) => `als ${user}`,
  hookIn: (folder: string) => `in ${folder}`,
  hookPrivileged: "mit allen Rechten auf dem Host",
  hookWith: (variables: string) => `mit ${variables}`,
  hookAgain: "Hook noch einmal ausführen",
  hookDone: "Hook als erledigt ansehen",
  title: (group: string) => `Anwendung auf ${group}`,
  states: {
    running: "läuft",
    paused: "wartet auf Sie",
    done: "erledigt",
    failed: "gescheitert",
    cancelled: "abgebrochen",
  },
  doneBut: "erledigt, aber nicht alles läuft",
  unstable: {
    restarting: (containers: number) =>
      `${count(containers, "Container startet", "Container starten")} immer wieder neu.`,
    ended: (containers: number) => `${count(containers, "Container hat", "Container haben")} sich beendet.`,
    gone: (containers: number) => `${count(containers, "Container ist", "Container sind")} verschwunden.`,
  },
  stepStates: {
    waiting: "wartet",
    running: "in Arbeit",
    done: "erledigt",
    failed: "gescheitert",
    skipped: "nicht ausgeführt",
    unknown: "nicht bekannt",
    undone: "rückgängig gemacht",
  },
  by: (name: string) => `von ${name}`,
  cancel: "Abbrechen",
  resume: "Fortsetzen",
  abandon: "Aufgeben",
  logOf: (container: string) => `Log von ${container}`,
  log: (container: string) => `Die letzten Zeilen von ${container}`,
  toPlan: "Zum Plan",
  toImages: "Das Image in der Datei zurück ändern …",
};
