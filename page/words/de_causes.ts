/** Die deutschen Wörter dafür, warum und seit wann etwas nicht ist, wie es sein soll. */

const DONE: Readonly<Record<string, string>> = {
  stop: "gestoppt",
  kill: "abgebrochen",
  remove: "entfernt",
  destroy: "entfernt",
  create: "angelegt",
  rename: "umbenannt",
  connect: "mit einem Netz verbunden",
  disconnect: "von einem Netz getrennt",
};

export const causes = {
  since: (time: string, atLatest: boolean) => atLatest ? `spätestens seit ${time}` : `seit ${time}`,
  apply: (by: string) => by === "" ? "durch eine Anwendung" : `durch eine Anwendung von ${by}`,
  berth: (act: string, by: string) => `über berth ${DONE[act] ?? "geändert"}${by === "" ? "" : ` von ${by}`}`,
  file: (place: string, by: string) => `${place} geändert${by === "" ? "" : ` von ${by}`}`,
  image: "der Name des Images meint jetzt ein anderes Image",
  outside: (act: string) => `außerhalb von berth ${DONE[act] ?? "geändert"}`,
  unhealthy: "die Gesundheitsprüfung schlägt fehl",
  outOfMemory: (limit: string) =>
    limit === "" ? "Speicher erschöpft" : `Speicher erschöpft bei der Grenze von ${limit}`,
  killed: (limit: string) => limit === "" ? "abgebrochen (137)" : `abgebrochen (137), Grenze ${limit}`,
  ended: (code: number | undefined) =>
    code === undefined ? "von selbst beendet" : `von selbst beendet mit ${code}`,
  engine: (reason: string) => reason === "" ? "die Engine antwortet nicht" : reason,
  firstWatch: (units: string, bad: string) =>
    `berth beobachtet seither ${units} Dienste; ${bad} Vorfälle gab es da schon`,
  watchBegan: "berth beobachtet seither",
  unrecorded: (reason: string) => `nichts konnte aufgezeichnet werden: ${reason}`,
  unknown: "Ursache unbekannt",
} as const;
