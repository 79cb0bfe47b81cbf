/** Every sentence of the page in German; a script of its own, asked for by browsers that want it. */
import type { Seen, Verdict } from "../verdict.ts";
import { applies } from "./de_applies.ts";
import { bytes, clock, count, day, duration, minute, moment, number } from "./de_counts.ts";
import { files } from "./de_files.ts";
import { findings } from "./de_findings.ts";
import { projects } from "./de_projects.ts";
import { records } from "./de_records.ts";
import { kindsOf, resources } from "./de_resources.ts";
import { settings } from "./de_settings.ts";
import { shell } from "./de_shell.ts";
import { graph, log, logs, measures } from "./de_views.ts";

const VERDICTS: Readonly<Record<Verdict, string>> = {
  asWritten: "wie geschrieben",
  differs: "weicht ab",
  broken: "defekt",
  stopped: "gestoppt",
  notStarted: "nicht gestartet",
  completed: "erledigt",
  paused: "angehalten",
  unknown: "unbekannt",
  undeclared: "nicht deklariert",
};

const STATES: Readonly<Record<string, string>> = {
  running: "läuft",
  exited: "beendet",
  restarting: "startet neu",
  created: "angelegt",
  paused: "angehalten",
  dead: "tot",
  removing: "wird entfernt",
  unhealthy: "krank",
  starting: "läuft an",
};

/** The German words. A missing one is shown in English; tests/page/words_test.ts finds it. */
export const words = {
  name: "berth",
  title: (screen: string) => `${screen} · berth`,
  number: (value: number) => number.format(value),
  duration,
  time: (ms: number) => clock.format(ms),
  minute: (ms: number) => minute.format(ms),
  moment: (ms: number) => moment.format(ms),
  day: (ms: number) => day.format(ms),
  bytes,
  printed: (address: string, ms: number) => `${address}, ${day.format(ms)}, ${clock.format(ms)}`,
  ago: (time: string) => `vor ${time}`,
  verdict: (verdict: Verdict) => VERDICTS[verdict],
  state: ({ state, condition, exitCode, health, restartCount }: Seen) =>
    [
      `${STATES[state] ?? state}${state === "exited" && exitCode !== null ? ` mit ${exitCode}` : ""}`,
      state === "restarting" && exitCode !== null ? `Code ${exitCode}` : "",
      health === "unhealthy" || health === "starting" ? STATES[health]! : "",
      condition === "restarting" && restartCount > 1 ? `${number.format(restartCount)} Neustarts` : "",
    ].filter((part) => part !== "").join(", "),
  compared: (state: string, verdict: Verdict) => `${state}, ${VERDICTS[verdict]}`,
  noRight: (permission: string) =>
    `Das dürfen Sie nicht sehen. Bitten Sie einen Admin um die Berechtigung ${permission}.`,
  lacks: (permission: string) => `Dafür braucht es die Berechtigung ${permission}`,
  skip: "Zum Inhalt",
  cancel: "Abbrechen",
  close: "Schließen",
  copy: "Kopieren",
  copied: "Kopiert",
  saved: "Ich habe es gesichert",
  actions: "Aktionen",
  actOn: (action: string, name: string) => `${name}: ${action}`,
  again: "Noch einmal",
  loading: "Wird gelesen …",
  nav: {
    label: "Seiten",
    overview: "Projekte",
    containers: "Container",
    resources: "Ressourcen",
    activity: "Aktivität",
    settings: "Einstellungen",
    within: (name: string) => `Seiten unter ${name}`,
  },
  palette: {
    open: "Gehe zu …",
    title: "Gehe zu oder tue",
    input: "Eine Seite, ein Projekt, ein Container oder eine Aktion",
    none: "Nichts passt.",
    screen: "Seite",
    project: "Projekt",
    unit: "Einheit",
    container: "Container",
    action: "Aktion",
    keys: "Tasten",
    keysLead: "Einzelne Buchstaben gelten, solange nicht in ein Feld geschrieben wird.",
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
  settings,
  files,
  findings,
  projects,
  ...records,
  ...resources,
  shell,
  graph,
  applies,
  measures,
  log,
  logs,
  bar: {
    live: "live",
    notLive: (since: number) => `nicht live seit ${clock.format(since)}`,
    connecting: "verbindet",
    engine: (name: string, state: string) => `${name}: ${state}`,
    person: (name: string) => `Angemeldet als ${name}`,
    signOut: "Abmelden",
    api: "Die API",
    language: "Sprache",
    dense: "Dichte Zeilen",
    roomy: "Zeilen mit mehr Raum",
  },
  problem: {
    notReached: "berth antwortet nicht",
    status: (status: number) => `berth hat mit Status ${status} geantwortet`,
    request: (id: string) => `Anfrage ${id}`,
    stale: (since: number) => `Was Sie sehen, wurde um ${clock.format(since)} gelesen`,
    away: (backend: string, reason: string) => `${backend} antwortet nicht: ${reason}`,
    unlisted: (backend: string, kinds: readonly string[], reason: string) =>
      `${backend} zählt seine ${kindsOf(kinds)} nicht auf: ${reason}`,
    unloaded: "Diese Seite konnte nicht geladen werden. Laden Sie neu.",
    notFound: "Eine solche Seite gibt es nicht",
    toOverview: "Zu den Projekten",
  },
  signIn: {
    title: "Anmelden",
    name: "Name",
    password: "Passwort",
    key: "API-Schlüssel",
    submit: "Anmelden",
    withKey: "Mit einem API-Schlüssel anmelden",
    at: (provider: string) => `Mit ${provider} anmelden`,
    refused: (provider: string) => `${provider} hat Sie nicht eingelassen`,
    withPassword: "Mit einem Passwort anmelden",
    ended: "Ihre Sitzung ist zu Ende. Melden Sie sich an, um fortzufahren, wo Sie waren.",
    keyHint: "Er wird gegen eine Sitzung getauscht und in diesem Browser nicht gespeichert.",
  },
  setup: {
    title: "berth einrichten",
    lead: "Wer berth steuert, steuert die Container-Engine. Legen Sie also zuerst den Admin an: sich selbst.",
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
  overview: {
    title: "Projekte",
    question: "Läuft, was ich geschrieben habe?",
    checked: (ago: string) => `vor ${ago} geprüft`,
    count: (verdict: Verdict, amount: number) => {
      if (verdict === "differs") return count(amount, "weicht ab", "weichen ab");
      return `${number.format(amount)} ${VERDICTS[verdict]}`;
    },
    wellRest: (amount: number) =>
      count(amount, "Einheit ist, wie sie sein soll", "Einheiten sind, wie sie sein sollen"),
    emptyTitle: "Tragen Sie Ihren ersten Ordner ein",
    emptyLead:
      "Nennen Sie einen Ordner mit Compose-Dateien oder anderem YAML. berth liest ihn, ändert nichts darin und zeigt, wo das, was läuft, abweicht.",
    noEngine:
      "Keine Container-Engine ist bekannt. Starten Sie Docker oder Podman, oder nennen Sie eine in BERTH_ENGINES; berth findet sie von selbst.",
    register: "Einen Ordner eintragen",
    path: "Der volle Pfad des Ordners auf der Maschine, auf der berth läuft",
    pathHint: (roots: readonly string[]) =>
      roots.length === 0
        ? "Noch ist kein Ordner erlaubt: Die Einstellung BERTH_ROOTS nennt die erlaubten Ordner."
        : `Erlaubt sind ${roots.join(", ")} und alle Ordner darunter. Die Einstellung BERTH_ROOTS nennt sie.`,
    suggested: "Auf dieser Maschine gefunden",
    notAllowed: "Noch nicht erlaubt. Starten Sie berth neu mit",
    inContainer: "Läuft berth in einem Container, binden Sie den Ordner auch dort unter demselben Pfad ein.",
    submit: "Eintragen",
    log: "Log",
    shell: "Shell",
    ignore: "Ignorieren …",
    ignoreIt: "Ignorieren",
    ignoreQuestion: (name: string) =>
      `${name} wird hier in diesem Browser nicht mehr gezeigt. Die Liste der Container sagt weiter, dass ihn niemand deklariert hat.`,
    unignore: "Wieder zeigen",
    lately: "Zuletzt",
    allEvents: "Alle Ereignisse",
    reading: "Wird noch gelesen",
    missing: "Der Ordner ist weg; er kommt von selbst wieder",
    unreadable: "Der Ordner kann nicht gelesen werden",
    empty: "Nichts darin ist ein Artefakt",
    errors: (amount: number) => count(amount, "Fehler", "Fehler"),
    warnings: (amount: number) => count(amount, "Warnung", "Warnungen"),
  },
  unit: {
    declared: "deklariert",
    runs: "läuft",
    none: "nichts läuft",
    mount: (state: string, started: string, at: string | null) =>
      `der Container liest die Datei von ${started}; sie wurde ${at === null ? "" : `um ${at} `}${
        state === "deleted" ? "gelöscht" : state === "changedSince" ? "geändert" : "ersetzt"
      }`,
    restarting: "startet neu",
    exited: (code: number | null) => code === null ? "beendet" : `beendet mit ${code}`,
    ended: (code: number | null, restarts: number, reason: string | null) =>
      [
        code === null ? "" : `Code ${code}`,
        restarts === 0 ? "" : count(restarts, "Neustart", "Neustarts"),
        reason ?? "",
      ].filter((part) => part !== "").join(", "),
    unhealthy: "krank",
    dead: "tot",
    degraded: (running: number, desired: number | null) =>
      desired === null ? `${running} laufen` : `${running} von ${desired} laufen`,
    at: "geschrieben in",
  },
  workspace: {
    differences: "Abweichungen",
    findings: "Befunde",
    tabs: "Ansichten des Arbeitsbereichs",
    noDifferences: (units: number) =>
      `Was läuft, ist, was geschrieben ist, in allen ${count(units, "Einheit", "Einheiten")}.`,
    noUnits: "In diesem Ordner ist nichts als Einheit deklariert.",
    onEngine: (container: string, backend: string) => `${container} auf ${backend}`,
    forget: "Diesen Arbeitsbereich vergessen",
    forgetQuestion: (name: string) =>
      `${name} vergessen? Auf der Platte bleibt alles, wie es ist, und Sie können ihn wieder eintragen.`,
  },
  containers: {
    title: "Container",
    filter: "Nach Name, Image, Projekt oder Label filtern",
    all: "alle Zustände",
    allProjects: "alle Projekte",
    allEngines: "alle Engines",
    engine: "Engine",
    arrived: (amount: number) => `${number.format(amount)} neue`,
    shown: (shown: number, total: number) =>
      shown === total
        ? count(total, "Container", "Container")
        : `${number.format(shown)} von ${number.format(total)}`,
    name: "Name",
    state: "Zustand",
    project: "Projekt",
    image: "Image",
    ports: "Ports",
    since: "Seit",
    choose: (name: string) => `${name} wählen`,
    chooseAll: "Alle gezeigten wählen",
    chosen: (amount: number) => `${number.format(amount)} gewählt`,
    clear: "Keinen wählen",
    none: "Auf keiner Engine gibt es einen Container.",
    noneHint: "Sobald einer angelegt wird, steht er hier.",
    noMatch: "Kein Container passt.",
    showAll: "Alle zeigen",
    noRight: "Sie dürfen keine Container sehen. Bitten Sie einen Admin um die Berechtigung containers:read.",
    start: "Starten",
    stop: "Stoppen",
    restart: "Neu starten",
    remove: "Entfernen",
    removeQuestion: (names: string, amount: number) =>
      amount === 1 ? `${names} entfernen?` : `${number.format(amount)} Container entfernen: ${names}?`,
    removeHint: (named: string) =>
      named === ""
        ? "Was in sie geschrieben wurde, geht mit; benannte Volumes haben sie nicht."
        : `Was in sie geschrieben wurde, geht mit. Diese Volumes bleiben: ${named}.`,
    removeVolumes: (amount: number) =>
      `Auch ${count(amount, "Volume", "Volumes")} ohne Namen entfernen, mit allen Daten darin`,
    typeName: (name: string) => `${name} eintippen, um Daten zu entfernen`,
    removeRunning: "Was läuft, wird vorher beendet.",
    done: { start: "gestartet", stop: "gestoppt", restart: "neu gestartet", remove: "entfernt" } as Record<
      string,
      string
    >,
    unchanged: "war schon so",
    working: "…",
    results: "Ergebnisse",
  },
  container: {
    tabs: "Ansichten des Containers",
    log: "Log",
    mounts: "Einhängungen",
    networks: "Netzwerke",
    environment: "Umgebung",
    inspect: "Inspect",
    differences: "Abweichungen",
    noDifferences: "Er läuft, wie er geschrieben ist.",
    undeclared: "Keine Datei eines Arbeitsbereichs deklariert diesen Container.",
    gone: "Diesen Container gibt es nicht mehr",
    toList: "Zu den Containern",
    image: "Image",
    unit: "Einheit",
    ports: "Ports",
    command: "Befehl",
    restartPolicy: "Neustarts",
    restarts: (amount: number) => amount === 0 ? "kein Mal" : `${number.format(amount)}-mal`,
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
};
