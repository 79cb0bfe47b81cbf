/** The words for shells, in German. */

export const shell = {
  word: "Shell",
  label: (name: string) => `Shell in ${name}`,
  input: "Was in die Shell geschrieben wird",
  noRight: "Sie dürfen keine Befehle ausführen. Bitten Sie einen Admin um die Berechtigung containers:exec.",
  notRunning: "Dieser Container läuft nicht. Starten Sie ihn, um eine Shell darin zu öffnen.",
  command: "Befehl",
  commandHint: "Leer: die beste Shell, die der Container hat",
  user: "Benutzer",
  userHint: "Leer: der des Containers",
  open: "Eine Shell öffnen",
  again: "Noch eine öffnen",
  hint: "Sie endet, wenn Sie diese Ansicht verlassen, und was ihr aufgetragen wurde, steht im Audit.",
  leave: "Tab gehört der Shell: Strg+Umschalt+L verlässt sie, Strg+Umschalt+C kopiert.",
  opening: "wird geöffnet",
  isOpen: "offen",
  copy: "Kopieren",
  paste: "Einfügen",
  end: "Beenden",
  keys: "Tasten",
  key: { escape: "Esc", tab: "Tab", interrupt: "Strg C", over: "Strg D" },
  arrow: { A: "Hoch", B: "Runter", C: "Rechts", D: "Links" },
  unloaded: "Das Terminal konnte nicht geladen werden. Laden Sie die Seite neu.",
  ended: {
    exit: (code: number | null) =>
      code === null
        ? "Sie ist zu Ende."
        : code === 0
        ? "Sie ist gut zu Ende gegangen."
        : `Sie ist mit Code ${code} zu Ende gegangen.`,
    lost: (time: string) =>
      `Die Verbindung ging um ${time} verloren und mit ihr die Shell: was darin lief, wurde beendet. Was sie schrieb, steht noch hier.`,
    stopping: "berth hält an und hat die Shell beendet.",
    notAllowed: "Sie dürfen hier keine Befehle mehr ausführen: die Shell wurde beendet.",
  },
};
