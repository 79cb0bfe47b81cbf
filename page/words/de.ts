/** Every sentence of the page in German; a script of its own, asked for by browsers that want it. */
import type { Seen, Verdict } from "../verdict.ts";
import { bytes, clock, count, day, duration, minute, moment, number } from "./de_counts.ts";
import { projects } from "./de_projects.ts";
import { later } from "./de_later.ts";
import { kindsOf } from "./de_resources.ts";
import { causes } from "./de_causes.ts";
import { measures } from "./de_views.ts";

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
  /** Screens that a menu or an address names before they are loaded. */
  proofDone: "Sie können dieses Fenster schließen.",
  titles: {
    newProject: "Neues Projekt",
    plan: "Plan",
    planOf: (name: string) => `Plan für ${name}`,
    apply: "Anwenden",
    logs: "Logs",
    images: "Images",
    volumes: "Volumes",
    networks: "Netzwerke",
    swarm: "Swarm",
    services: "Dienste",
    disk: "Platte",
    events: "Ereignisse",
    incidents: "Vorfälle",
    audit: "Audit",
    setup: "berth einrichten",
    keys: "API-Schlüssel",
    people: "Personen",
    sessions: "Meine Sitzungen",
    engines: "Engines",
    registries: "Registries",
    updates: "Neuere Images",
    writeDown: "Aufgeschrieben",
    notices: "Meldungen",
    setPassword: "Ihr Passwort setzen",
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
  },
  projects,
  ...later,
  causes,
  measures,
  bar: {
    live: "live",
    neverLive: "nicht live",
    notLive: (since: number) => `nicht live seit ${clock.format(since)}`,
    connecting: "verbindet",
    engine: (name: string, state: string) => `${name}: ${state}`,
    person: (name: string) => `Angemeldet als ${name}`,
    signOut: "Abmelden",
    api: "Die API",
    language: "Sprache",
    dense: "Dichte Zeilen",
    roomy: "Zeilen mit mehr Raum",
    themes: { system: "Farben des Systems", light: "Helle Farben", dark: "Dunkle Farben" },
  },
  problem: {
    notReached: "berth antwortet nicht",
    notLive: "berth antwortet nicht live. Lässt der Proxy davor WebSockets durch?",
    notKnown:
      "berth hat nicht rechtzeitig geantwortet. Ob es getan ist, ist noch nicht bekannt; die Anzeige zeigt, wie es ausgeht",
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
  overview: {
    title: "Projekte",
    question: "Läuft, was ich geschrieben habe?",
    checked: (ago: string) => `vor ${ago} geprüft`,
    count: (verdict: Verdict, amount: number) => {
      if (verdict === "differs") return count(amount, "weicht ab", "weichen ab");
      return `${number.format(amount)} ${VERDICTS[verdict]}`;
    },
    register: "Einen Ordner eintragen",
    log: "Log",
  },
  unit: {
    declared: "deklariert",
    runs: "läuft",
    ran: "lief",
    none: "nichts",
    mount: (state: string, started: string, at: string | null) =>
      `der Container liest die Datei von ${started}; sie wurde ${at === null ? "" : `um ${at} `}${
        state === "deleted" ? "gelöscht" : state === "changedSince" ? "geändert" : "ersetzt"
      }`,
    restarting: "startet neu",
    exited: (code: number | null) => code === null ? "beendet" : `beendet mit ${code}`,
    rolledBack: (at: string | null, reason: string) =>
      `Zurückgerollt${at === null ? "" : ` um ${at}`}: ${reason}`,
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
  containers: {
    together: "Logs zusammen",
    toList: "Zu den Containern",
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
    done: { start: "gestartet", stop: "gestoppt", restart: "neu gestartet", remove: "entfernt" } as Record<
      string,
      string
    >,
    unchanged: "war schon so",
    working: "…",
    results: "Ergebnisse",
  },
};
