/** The sentences of swarms in German. */
import { count } from "./de_counts.ts";

export const swarm = {
  none: "Keine Engine ist Knoten eines Swarms.",
  noneHint:
    "berth zeigt einen Swarm von selbst, sobald eine seiner Engines dazugehört. Gegründet wird er auf den Maschinen, und dort treten sie ihm auch bei.",
  nodesCount: (amount: number) => count(amount, "Knoten", "Knoten"),
  servicesCount: (amount: number) => count(amount, "Dienst", "Dienste"),
  quorum: (reachable: number, managers: number, spare: number) =>
    `${reachable} von ${managers} Managern sind erreichbar; ` +
    (spare === 0
      ? "keiner darf ausfallen"
      : spare === 1
      ? "einer darf ausfallen"
      : `${spare} dürfen ausfallen`),
  stale: (at: string) => `Stand ${at}; nichts lässt sich ändern.`,
  missing: (names: string) =>
    `berth kennt die Engines von ${names} nicht: Ihre Logs kommen von einem Manager, Shells und Messwerte fehlen. Tragen Sie sie in BERTH_ENGINES ein.`,
  logWaits: (task: string, node: string) =>
    `Das Log von ${task}${
      node === "" ? "" : ` auf ${node}`
    } ist gerade nicht lesbar; berth versucht es wieder.`,
  stackOn: (name: string) => `ein Stack des Swarms ${name}, in keinem Ordner deklariert`,
  notAsAWhole: (names: string, more: number) =>
    `Stacks werden nicht als Ganzes aktualisiert, neu gestartet oder gestoppt: ${names}${
      more > 0 ? ` und ${more} weitere` : ""
    }.`,
  onlyStack: "Läuft als Stack; kein Ordner von berth deklariert ihn.",
  nodes: "Knoten",
  node: "Knoten",
  role: "Rolle",
  roles: { manager: "Manager", worker: "Worker" },
  leads: "führt",
  state: "Zustand",
  availability: { active: "nimmt Tasks an", pause: "nimmt keine neuen Tasks an", drain: "geräumt" },
  tasks: "Tasks",
  resources: "Ausstattung",
  cpus: (amount: number) => count(amount, "Prozessor", "Prozessoren"),
  engine: "Engine",
  notKnown: "nicht bekannt",
  services: "Dienste",
  service: "Dienst",
  noServices: "Es läuft kein Dienst.",
  running: "Laufend",
  image: "Image",
  ofStack: (name: string) => `Stack ${name}`,
  updated: {
    updating: "wird aktualisiert",
    paused: "Aktualisierung angehalten",
    rollback_started: "wird zurückgerollt",
    rollback_paused: "Zurückrollen angehalten",
    rollback_completed: "zurückgerollt",
  },
  tasksOf: (name: string) => `Tasks von ${name}`,
  on: (node: string) => `auf ${node}`,
  nowhere: "noch auf keinem Knoten",
  replaced: "ersetzt",
  ofBefore: "nach einer früheren Definition",
  endedWith: (code: number) => `mit ${code} beendet`,
  acts: {
    scale: "Skalieren",
    restart: "Neu starten",
    rollback: "Zurückrollen",
    remove: "Entfernen",
    drain: "Räumen",
    pause: "Keine neuen Tasks",
    activate: "Wieder freigeben",
  },
  actsOf: "Aktionen",
  replicas: "Anzahl der Tasks",
  startsTasks: (amount: number) => `${count(amount, "Task startet", "Tasks starten")}.`,
  stopsTasks: (amount: number) => `${count(amount, "Task endet", "Tasks enden")} endgültig.`,
  replacesTasks: (amount: number) =>
    `${count(amount, "Task wird ersetzt", "Tasks werden ersetzt")}, nach und nach.`,
  waitsFor: (task: string, reason: string) => `${task} müsste warten: ${reason}`,
  changes: "Was sich ändert",
  isSo: "Es würde sich nichts ändern.",
  removeHint: "Volumes auf den Knoten, Netze, Secrets und Configs bleiben.",
  nodeHints: {
    drain:
      "Seine Tasks verlassen ihn, und er nimmt keine an, bis er wieder freigegeben wird. Container ohne Dienst bleiben.",
    pause: "Seine Tasks bleiben, neue nimmt er nicht an.",
    activate: "Er nimmt Tasks beim nächsten Start an; was umgezogen ist, kommt nicht von selbst zurück.",
  },
  nothingMoves: "Er führt keinen Task aus, also zieht nichts um.",
  leaving: "Tasks, die ihn verlassen",
  outcomes: {
    moves: "zieht auf einen anderen Knoten um",
    waits: "wartet: Kein anderer Knoten nimmt ihn",
    ends: "endet: Jeder Knoten hat seinen eigenen",
  },
  moreTasks: (amount: number) => `${count(amount, "weiterer Task verlässt", "weitere Tasks verlassen")} ihn.`,
  updatedTasks: (done: number, amount: number) => `${done} von ${amount} Tasks aktualisiert`,
  before: (amount: number) => count(amount, "früherer Task", "frühere Tasks"),
  gone: "Kein Swarm hat diesen Dienst, oder Sie dürfen ihn nicht sehen.",
  inNoStack: "In keinem Stack",
  besideFile: (amount: number, isUnknown: boolean) =>
    amount > 0
      ? `Weicht in ${count(amount, "Feld", "Feldern")} von der Datei ab`
      : isUnknown
      ? "Nicht vollständig mit der Datei verglichen"
      : "Definiert wie in der Datei",
  toProject: (name: string) => `Projekt ${name}`,
  moreDifferences: (amount: number) => count(amount, "weitere Abweichung", "weitere Abweichungen"),
  all: "Alle Dienste",
  log: "Log aller Tasks",
  states: {
    waiting: "wartet",
    starting: "startet",
    running: "läuft",
    completed: "abgeschlossen",
    failed: "fehlgeschlagen",
    stopped: "gestoppt",
    lost: "verloren: Der Knoten ist ausgefallen, der Task läuft dort vielleicht weiter",
  },
};
