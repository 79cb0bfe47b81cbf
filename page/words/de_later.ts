/** The German sentences of what is loaded later. */
import { applies } from "./de_applies.ts";
import { audited } from "./de_audit.ts";
import { permissions } from "./de_permissions.ts";
import { count, number } from "./de_counts.ts";
import { files } from "./de_files.ts";
import { findings } from "./de_findings.ts";
import { incidents } from "./de_incidents.ts";
import { notices } from "./de_notices.ts";
import { records } from "./de_records.ts";
import { registries } from "./de_registries.ts";
import { swarm } from "./de_swarm.ts";
import { resources } from "./de_resources.ts";
import { settings } from "./de_settings.ts";
import { shell } from "./de_shell.ts";
import { sources } from "./de_sources.ts";
import { updates } from "./de_updates.ts";
import { graph, log, logs } from "./de_views.ts";
import { adopted, settle, writeDown } from "./de_write_down.ts";

export const later = {
  register: {
    emptyTitle: "Tragen Sie Ihren ersten Ordner ein",
    emptyLead:
      "Nennen Sie einen Ordner mit Compose-Dateien oder anderem YAML. berth liest ihn, ändert nichts darin und zeigt, wo das, was läuft, abweicht.",
    noEngine:
      "Keine Container-Engine ist bekannt. Starten Sie Docker oder Podman, oder nennen Sie eine in BERTH_ENGINES; berth findet sie von selbst.",
    path: "Der volle Pfad des Ordners auf der Maschine, auf der berth läuft",
    pathHint: (roots: readonly string[]) =>
      roots.length === 0
        ? "Noch ist kein Ordner erlaubt: Die Einstellung BERTH_ROOTS nennt die erlaubten Ordner."
        : `Erlaubt sind ${roots.join(", ")} und alle Ordner darunter. Die Einstellung BERTH_ROOTS nennt sie.`,
    submit: "Eintragen",
  },
  folder: {
    reading: "Wird noch gelesen",
    missing: "Der Ordner ist weg; er kommt von selbst wieder",
    unreadable: "Der Ordner kann nicht gelesen werden",
    empty: "Nichts darin ist ein Artefakt",
    errors: (amount: number) => count(amount, "Fehler", "Fehler"),
    warnings: (amount: number) => count(amount, "Warnung", "Warnungen"),
  },
  undeclared: {
    ignore: "Ignorieren …",
    ignoreIt: "Ignorieren",
    ignoreQuestion: (name: string) =>
      `${name} wird hier für niemanden mehr gezeigt und zählt nicht mehr. Sobald eine Datei es deklariert, steht es wieder da.`,
    ignored: (amount: number) => `${count(amount, "Zeile wird", "Zeilen werden")} ignoriert.`,
    show: "Zeigen",
    hide: "Verbergen",
    unignore: "Wieder zeigen",
    before: (amount: number) =>
      `${count(amount, "Zeile wurde", "Zeilen wurden")} nur in diesem Browser ignoriert.`,
    takeOver: "Für alle ignorieren",
    forget: "Hier wieder zeigen",
  },
  lately: {
    title: "Zuletzt",
    all: "Alle Ereignisse",
  },
  removal: {
    removeQuestion: (names: string, amount: number) =>
      amount === 1 ? `${names} entfernen?` : `${number.format(amount)} Container entfernen: ${names}?`,
    removeHint: (named: string) =>
      named === ""
        ? "Was in sie geschrieben wurde, geht mit; benannte Volumes haben sie nicht."
        : `Was in sie geschrieben wurde, geht mit. Diese Volumes bleiben: ${named}.`,
    removeVolumes: (amount: number) =>
      `Auch ${count(amount, "Volume", "Volumes")} ohne Namen entfernen, mit allen Daten darin`,
    typeName: (name: string) => `${name} eintippen, um Daten zu entfernen`,
    removeRunning: "Was läuft, wird vorher sofort abgebrochen.",
  },
  keys: {
    lead: "Einzelne Buchstaben gelten, solange nicht in ein Feld geschrieben wird.",
    single: "Einzelne Buchstaben benutzen",
    help: {
      palette: "diese Suche",
      search: "zum Suchfeld der Seite, oder diese Suche",
      go: "g und ein Buchstabe: zu einer Seite",
      walk: "in einer Liste gehen, und in einem Log nach Enter",
      choose: "in einer Liste wählen",
      act: "zu dem, was man tun kann",
      next: "in einem Log: die nächste und die vorige passende Zeile",
      older: "in einem Log: ältere Zeilen",
      wrap: "in einem Log: lange Zeilen umbrechen, anhalten",
      keys: "diese Tasten",
      back: "schließen, nichts wählen",
    },
  },
  newProject: {
    startFrom: "Beginnen mit",
    ways: {
      example: "einem Beispiel",
      pasted: "einer Compose-Datei",
      run: "einer Zeile von docker run",
      copy: "der Kopie eines Projekts",
    },
    pasteHint: "Fügen Sie den Text unten in den Editor ein.",
    copyOf: "Das Projekt, das kopiert wird",
    choose: "Wählen …",
    hidden: (amount: number) =>
      `${count(amount, "Wert ist", "Werte sind")} verborgen und leer geblieben: Schreiben Sie ${
        amount === 1 ? "ihn" : "sie"
      } neu.`,
    nameFirst: "Die Dateien werden geprüft, sobald das Projekt einen Namen hat.",
    runLine: "Die Zeile",
    readLine: "Die Zeile lesen",
    replacesText: "Der Text darunter wird ersetzt. Gespeichert wird nichts, und nichts läuft.",
    notTaken: (flags: string) => `Nicht im Text: ${flags}`,
    taken: (name: string) => `Im Ordner ${name} sind schon Dateien: wählen Sie einen anderen Namen`,
    noFolder: "Tragen Sie zuerst einen Ordner ein: ein Projekt ist ein Ordner darin.",
    name: "Name",
    nameHint: "Kleine Buchstaben, Ziffern, - und _, denn so heißen ein Ordner und ein Compose-Projekt.",
    makes: (path: string) => `Legt ${path} an`,
    folder: "Ordner",
    addFile: "+ Datei",
    fileName: "Name der Datei, unter dem Ordner des Projekts",
    add: "Hinzufügen",
    saveAndPlan: "Speichern und planen",
    nothingStarts: "Nichts startet, bevor Sie den Plan gelesen haben.",
  },
  places: {
    found: "Ordner von dem, was läuft",
    by: (containers: number) =>
      `Gefunden an den Labels von ${
        count(containers, "Container", "Containern")
      }. berth liest diese Ordner; es schreibt nur, wo ein Admin es erlaubt.`,
    projects: (total: number, names: string, more: number) =>
      `${count(total, "laufendes Projekt", "laufende Projekte")}: ${names}${
        more > 0 ? ` und ${number.format(more)} weitere` : ""
      }`,
    outside: (roots: string) =>
      roots === "" ? " Noch ist kein Ordner erlaubt." : ` Außerhalb der erlaubten Ordner (${roots}).`,
    add: "Hinzufügen",
    howToAllow: "So wird er erlaubt",
    allow: "Starten Sie berth neu mit",
    inContainer: "Läuft berth in einem Container, binden Sie den Ordner auch dort unter demselben Pfad ein.",
    another: "Ein anderer Ordner",
  },
  project: {
    noneTitle: "Noch kein Projekt",
    noneLead: (folders: number) =>
      `berth liest ${
        count(folders, "Ordner", "Ordner")
      } und findet kein Projekt darin. Legen Sie dort eine compose.yaml an, oder tragen Sie einen anderen Ordner ein.`,
    toFolders: "Zu den Ordnern",
    servicesOf: (name: string) => `Dienste von ${name}`,
    servicesWord: "Dienste",
    addFolder: "Ordner eintragen",
    containers: (amount: number) => count(amount, "Container", "Container"),
    looseOn: (amount: number, engine: string) => `${count(amount, "Container", "Container")} auf ${engine}`,
    inNoProject: "in keinem Projekt",
    which: (name: string) => `Mehrere Projekte heißen ${name}`,
    tabs: "Ansichten des Projekts",
    history: "Verlauf",
    noHistory: "Noch ist nichts mit ihm geschehen.",
    saved: "wurde gespeichert",
    on: (engines: string) => `auf ${engines}`,
    folder: "deklariert in",
    inFolder: "im Ordner",
    onlyRuns: (running: number) =>
      `${count(running, "Container läuft", "Container laufen")}, und keine Datei deklariert es.`,
    onlyRunsLead:
      "Tragen Sie den Ordner ein, aus dem es gestartet wurde; dann vergleicht berth, was läuft, mit seinen Dateien.",
    from: (folder: string) => `nicht deklariert · aus ${folder}`,
    inNoFile: "läuft, steht in keiner Datei, die berth liest",
    bringAll: (amount: number) => amount === 1 ? "Angleichen …" : `${number.format(amount)} angleichen …`,
    undeclared: "Nicht deklariert",
    undeclaredOf: (projects: number, containers: number) =>
      `${
        [
          ...projects > 0 ? [count(projects, "Projekt", "Projekte")] : [],
          ...containers > 0 ? [count(containers, "Container", "Container")] : [],
        ].join(", ")
      } in keiner Datei, die berth liest`,
  },
  setup: {
    lead:
      "berth steuert Ihre Container, darum melden sich alle an, die es benutzen. Sie sind die erste Person und werden Admin.",
    name: "Ihr Name",
    password: "Ein Passwort",
    passwordHint: "Mindestens 12 Zeichen; einen Satz merkt man sich leicht.",
    keyName: "Ein Name für den Schlüssel",
    submit: "Mich zum Admin machen",
    withKey: "Ich will stattdessen einen API-Schlüssel",
    withPassword: "Ich will mich mit einem Passwort anmelden",
    makeKey: "Schlüssel anlegen",
    keyShown:
      "Das ist Ihr Admin-Schlüssel. Er wird nur dieses eine Mal gezeigt: legen Sie ihn in Ihren Passwortmanager.",
    copied: "Kopiert",
    goOn: "Ich habe ihn gesichert, weiter",
    noToken: "berth wartet auf seinen ersten Admin",
    noTokenHint:
      "Öffnen Sie den Link, den berth beim Start ausgegeben hat. Er enthält ein Einmal-Token, das 30 Minuten gilt; für ein neues starten Sie berth noch einmal.",
  },
  workspace: {
    wellRest: (amount: number) =>
      count(amount, "Dienst ist, wie er sein soll", "Dienste sind, wie sie sein sollen"),
    differences: "Abweichungen",
    findings: "Befunde",
    tabs: "Ansichten des Ordners",
    noDifferences: (units: number) =>
      `Was läuft, ist, was geschrieben ist, in allen ${count(units, "Dienst", "Diensten")}.`,
    noUnits: "Keine Datei in diesem Ordner deklariert einen Dienst.",
    onEngine: (container: string, backend: string) => `${container} auf ${backend}`,
    forget: "Diesen Ordner vergessen",
    forgetQuestion: (name: string) =>
      `${name} vergessen? Auf der Platte bleibt alles, wie es ist, und Sie können ihn wieder eintragen.`,
  },
  container: {
    shell: "Shell",
    tabs: "Ansichten des Containers",
    log: "Log",
    mounts: "Einhängungen",
    networks: "Netzwerke",
    environment: "Umgebung",
    inspect: "Inspect",
    differences: "Abweichungen",
    noDifferences: "Er läuft, wie er geschrieben ist.",
    undeclared: "Keine Datei eines eingetragenen Ordners deklariert diesen Container.",
    gone: "Diesen Container gibt es nicht mehr",
    image: "Image",
    unit: "Dienst",
    ports: "Ports",
    command: "Befehl",
    restartPolicy: "Neustart-Regel",
    restarts: (amount: number) =>
      amount === 0 ? "nie neu gestartet" : `${number.format(amount)}-mal neu gestartet`,
    noMounts: "Nichts ist darin eingehängt.",
    noNetworks: "Er ist mit keinem Netzwerk verbunden.",
    noEnvironment: "Er hat keine Umgebungsvariablen.",
    source: "Quelle",
    target: "Ziel",
    kind: "Art",
    access: "Zugriff",
    readOnly: "nur lesen",
    readWrite: "lesen und schreiben",
    network: "Netzwerk",
    address: "Adresse",
    gateway: "Gateway",
    aliases: "Aliasse",
    variable: "Variable",
    value: "Wert",
    masked: "Werte sind verdeckt; der Container hat sie im Klartext.",
    reveal: "Die Werte zeigen",
    revealQuestion:
      "Im Klartext zeigen? Das Audit hält fest, wer sie gesehen hat, und mit dieser Ansicht sind sie wieder weg.",
    mask: "Wieder verdecken",
  },
  audited,
  permissions,
  settings,
  files,
  findings,
  shell,
  sources,
  graph,
  incidents,
  notices,
  log,
  logs,
  applies,
  ...records,
  registries,
  swarm,
  updates,
  ...resources,
  settle,
  writeDown,
  adopted,
} as const;
