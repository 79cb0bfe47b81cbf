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
    `berth kennt die Engines von ${names} nicht: Ihre Tasks sind zu sehen, Logs und Shells nicht. Tragen Sie sie in BERTH_ENGINES ein.`,
  stackOn: (name: string) => `ein Stack des Swarms ${name}, in keinem Ordner deklariert`,
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
  },
  tasksOf: (name: string) => `Tasks von ${name}`,
  on: (node: string) => `auf ${node}`,
  nowhere: "noch auf keinem Knoten",
  replaced: "ersetzt",
  ofBefore: "nach einer früheren Definition",
  endedWith: (code: number) => `mit ${code} beendet`,
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
