/** The words for logs, graphs and measurements, in German. */
import { bytes, count, moment, number } from "./de_counts.ts";

export const log = {
  label: (name: string) => `Log von ${name}`,
  search: "Suchen",
  matchCase: "Groß- und Kleinschreibung beachten",
  pattern: "Regulärer Ausdruck",
  onlyErrors: "Fehler",
  among: "Zwischen den anderen",
  wrap: "Umbrechen",
  pause: "Anhalten",
  paused: "angehalten",
  refusals: {
    unfinished: "Dieses Muster ist nicht vollständig.",
    unknown: "Dieses Muster blickt zurück oder voraus oder nennt etwas, das hier nicht bekannt ist.",
    long: "Dieses Muster ist zu lang.",
  },
  previous: "Die davor",
  next: "Die nächste",
  earlier: "ältere ↑",
  noEarlier: {
    none: "nichts Älteres",
    full: "so viele, wie behalten werden",
    many: "ältere Zeilen von höchstens 16 Containern",
  },
  follow: (amount: number) => `${number.format(amount)} neue ↓`,
  toEnd: "Zum Ende ↓",
  empty: "Noch ist nichts geschrieben worden.",
  none: "Keine Zeile enthält es.",
  noRight: "Sie dürfen keine Logs lesen. Bitten Sie einen Admin um die Berechtigung containers:logs.",
  following: "folgt",
  reading: "liest",
  waiting: "die Verbindung ist weg, neuer Versuch",
  refused: "neuer Versuch",
  unread: (name: string, engine: string, code: string, more: number) =>
    `Das Log von ${name} auf ${engine}${
      more > 0 ? ` und ${count(more, "weiteres", "weitere")} sind` : " ist"
    } gerade nicht lesbar${code === "" ? "" : ` (${code})`}; berth versucht es wieder.`,
  ended: { removed: "den Container gibt es nicht mehr" } as Record<string, string>,
  over: "es ist zu Ende",
  lines: (amount: number, size: number) => `${count(amount, "Zeile", "Zeilen")}, ${bytes(size)}`,
  since: (time: number) => Number.isNaN(time) ? "" : `, ab ${moment.format(time)}`,
  dropped: (amount: number) => `die ersten ${number.format(amount)} sind nicht mehr da`,
  gap: (name: string | null, after: string, before: string | null) =>
    `die Engine hat ${name === null ? "Zeilen" : `Zeilen von ${name}`} ${
      before === null ? `nach ${after}` : `zwischen ${after} und ${before}`
    } verloren`,
  matches: (amount: number) => count(amount, "Zeile passt", "Zeilen passen"),
  matchOf: (at: number, amount: number) => `${number.format(at)} von ${count(amount, "Zeile", "Zeilen")}`,
  cut: (characters: number) => ` … ${number.format(characters)} Zeichen insgesamt`,
  line: "Die Zeile",
  around: "Zwischen den anderen zeigen",
  linkTo: "Link auf diese Zeile",
  link: "Diese Zeile",
  linkLost: "Die Engine hat diese Zeile nicht mehr.",
  save: "Diese Zeilen sichern",
  download: "Alles herunterladen",
  downloading: "Wird heruntergeladen …",
  from: "Ab",
  lastLines: (amount: number, isOfEach: boolean) =>
    `Die letzten ${number.format(amount)} Zeilen${isOfEach ? " von jedem" : ""}`,
  span: { "10m": "Die letzten 10 Minuten", "1h": "Die letzte Stunde", all: "Alles" },
  sinceLine: "Ab einer Zeile",
  leftOut: (amount: number) =>
    `${
      count(amount, "Container fehlt", "Container fehlen")
    }: Sie dürfen die Logs nicht lesen, oder es sind zu viele.`,
};

export const logs = {
  word: "Logs",
  of: "Logs von",
  project: (name: string) => `Projekt ${name}`,
  workspace: (name: string) => `Ordner ${name}`,
  all: "Alle Container",
  add: "Einen Container dazu",
  remove: (name: string) => `Ohne ${name}`,
  what: "Wählen Sie, wessen Logs zusammen gezeigt werden.",
};

export const graph = {
  word: "Graph",
  label: "Was was braucht; die Pfeiltasten gehen daran entlang",
  outline: "Der Graph als Liste",
  empty: "Keine Datei in diesem Ordner deklariert einen Dienst.",
  size: (nodes: number, edges: number) =>
    `${count(nodes, "Knoten", "Knoten")}, ${count(edges, "Verbindung", "Verbindungen")}`,
  resources: (amount: number) => `Netzwerke, Volumes und anderes (${number.format(amount)})`,
  onlyGroups:
    "Es sind zu viele Knoten für eine Zeichnung: das sind die Gruppen. Öffnen Sie eine, um hineinzusehen.",
  allGroups: (group: string) => `Nur ${group}; alle zeigen`,
  cycle: "Ein Kreis:",
  inCycle: "in einem Kreis",
  needs: (names: string) => `braucht ${names}`,
  neededBy: (names: string) => `gebraucht von ${names}`,
  zoom: (factor: number) => `${Math.round(factor * 100)} %`,
  larger: "Größer",
  smaller: "Kleiner",
  errors: (amount: number) => `✕ ${number.format(amount)}`,
  warnings: (amount: number) => `! ${number.format(amount)}`,
  kind: {
    unit: "Einheit",
    group: "Gruppe",
    card: "Karte",
    network: "Netzwerk",
    volume: "Volume",
    secret: "Geheimnis",
    config: "Konfiguration",
    model: "Modell",
    missing: "gibt es nicht",
  },
};

const percent = new Intl.NumberFormat("de", { maximumFractionDigits: 1 });

export const measures = {
  word: "Messwerte",
  show: "Messen",
  span: "Die letzten zehn Minuten; 100 % ist ein Prozessor.",
  notRunning: "Er läuft nicht, also gibt es nichts zu messen.",
  none: "noch nichts",
  percent: (value: number) => `${percent.format(value)} %`,
  perSecond: (amount: string) => `${amount}/s`,
  of: (limit: string) => `von ${limit}`,
  chart: (title: string, last: string, most: string) => `${title}: ${last}, höchstens ${most}`,
  title: {
    cpu: "Prozessor",
    memory: "Speicher",
    received: "Netzwerk, empfangen",
    sent: "Netzwerk, gesendet",
    read: "Platte, gelesen",
    written: "Platte, geschrieben",
  },
};
