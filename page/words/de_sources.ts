/** The German sentences for the Git repositories that folders follow. */
import { count, number } from "./de_counts.ts";

export const sources = {
  title: "Git-Repository",
  follow: "Einem Git-Repository folgen",
  fromRepository: "Neuer Ordner aus einem Git-Repository …",
  make: "Ordner anlegen und prüfen",
  newPath: "Ganzer Pfad des neuen Ordners auf dem Rechner, auf dem berth läuft",
  newPathHint:
    "berth legt ihn an, wenn es ihn nicht gibt. Den Ordner darüber muss es geben, und er muss erlaubt sein.",
  lead:
    "berth holt den Branch und zeigt, was jeder Commit ändern würde. Keine Datei wird geschrieben, bevor jemand abgleicht.",
  url: "Adresse des Repositorys",
  urlHint: "https://, ssh:// mit einem Schlüssel, den berth macht, oder http:// ohne Token",
  branch: "Zweig (Branch)",
  folder: "Ordner des Repositorys",
  folderHint: "Leer für alles",
  user: "Benutzer",
  token: "Zugangs-Token",
  tokenHint: "Es genügt eines, das lesen darf. berth bewahrt es verschlüsselt auf und zeigt es nie.",
  tokenKept: "Ein Token ist hinterlegt. Leer gelassen, wird es weiter verwendet.",
  save: "Speichern und prüfen",
  change: "Ändern …",
  check: "Jetzt prüfen",
  checkedAgo: (time: string) => `vor ${time} geprüft`,
  notChecked: "noch nicht geprüft",
  remove: "Nicht mehr folgen",
  removeQuestion: (name: string) =>
    `${name} folgt seinem Repository nicht mehr. Alle Dateien und Container bleiben, wie sie sind.`,
  none: "Dieser Ordner folgt keinem Repository.",
  states: {
    unchecked: "Noch keine Prüfung ist zu Ende",
    synced: "Auf dem neuesten Stand",
    behind: "Commits warten",
    syncing: "Dateien werden geschrieben",
    waiting: "Wartet auf einen Menschen",
    conflict: "Commits warten, und Dateien sind im Weg",
    failed: "Die letzte Prüfung schlug fehl",
  } as Readonly<Record<string, string>>,
  behind: (commits: number, groups: string) =>
    `${count(commits, "Commit", "Commits")} zurück${groups === "" ? "" : `: ${groups}`}`,
  first: "Noch nie abgeglichen",
  rewritten: "Die Geschichte wurde umgeschrieben: Der Branch enthält den abgeglichenen Commit nicht mehr.",
  commits: "Commits, die warten",
  history: "Commits des Branches",
  sync: "Abgleichen",
  syncTo: (commit: string) => `Den Commit ${commit} in den Ordner schreiben?`,
  syncHint:
    "Alles oder nichts. Dateien, die nicht Git gehören, bleiben, wie sie sind, und kein Container ändert sich dadurch.",
  back: "Zu diesem gehen",
  current: "im Ordner",
  choice: (path: string) => `${path} ist im Weg`,
  keep: "So lassen",
  overwrite: "Überschreiben und den Text als frühere Fassung aufheben",
  groups: "Das ändert der neueste Commit",
  noGroups: "Kein Projekt ändert sich.",
  changes: {
    changed: "ändert sich",
    added: "ist neu",
    removed: "ist aus den Dateien verschwunden",
  } as Readonly<
    Record<string, string>
  >,
  line: (file: string, line: number) => `${file}, Zeile ${number.format(line)}`,
  plan: "Plan zeigen",
  conflicts: "Dateien, die im Weg sind",
  skipped: "Wird nie geschrieben",
  files: (amount: number) =>
    count(amount, "Datei würde geschrieben oder gelöscht", "Dateien würden geschrieben oder gelöscht"),
  of: (branch: string) => `Branch ${branch}`,
  atCommit: (commit: string) =>
    `Das würde der Commit ${commit} tun. Die Dateien sind noch nicht geschrieben, also kann es nicht angewendet werden.`,
  policy: "Wenn ein Commit kommt",
  policies: {
    manual: "wird nichts geschrieben, bevor jemand abgleicht",
    auto: "von selbst abgleichen und anwenden, mit meinen Rechten",
  } as Readonly<Record<string, string>>,
  waiting: (why: string) => `Von selbst geschieht nichts: ${why}`,
  uncommitted: {
    title: "Hier geändert, nicht eingecheckt",
    lead:
      "Pläne benutzen diese Dateien, wie sie sind. Ein Commit ändert nur sie, auf dem neuesten Commit des Branches.",
    changes: { changed: "geändert", deleted: "gelöscht", added: "neu" } as Readonly<Record<string, string>>,
    message: "Nachricht des Commits",
    branch: "Neuer Branch",
    branchHint: (branch: string) => `Leer für ${branch}. Ein neuer ist für einen Pull Request.`,
    withSecrets: "Auch Passwörter und Token einchecken",
    commit: "Einchecken und pushen",
  },
  keys: {
    title: "Schlüssel",
    lead:
      "Hinterlegen Sie diesen Deploy-Schlüssel beim Server. Es genügt einer, der lesen darf, wenn berth nichts einchecken soll.",
    host:
      "Der Server muss einen dieser Schlüssel zeigen. Vergleichen Sie sie mit denen, die er veröffentlicht:",
    take: "Seine neuen Schlüssel übernehmen …",
    takeQuestion:
      "berth fragt den Server nach den Schlüsseln, die er jetzt zeigt, und übernimmt sie. Tun Sie das nur, wenn sein Betreiber sie geändert hat.",
  },
  signers: {
    field: "Unterzeichner",
    hint:
      "Öffentliche SSH-Schlüssel, einer je Zeile, wie ssh-ed25519 AAAA… ada. Nur Commits, die einer davon signiert hat, werden genommen. Leer für alle Commits.",
    title: "Unterzeichner",
    lead: "Ein Commit wird nur genommen, wenn einer dieser Schlüssel ihn signiert hat.",
  },
  hook: {
    title: "Webhook",
    lead:
      "GitHub, Gitea, Forgejo und GitLab rufen diese Adresse nach einem Push auf, und berth prüft sofort.",
    make: "Hook anlegen",
    makeQuestion:
      "berth macht eine Adresse und ein Geheimnis, mit dem der Server seine Aufrufe unterschreibt.",
    replace: "Neuen anlegen",
    replaceQuestion:
      "Der bisherige Hook endet: Tragen Sie die neue Adresse und das neue Geheimnis beim Server ein.",
    remove: "Hook entfernen",
    removeQuestion:
      "Seine Adresse antwortet niemandem mehr. Der Branch wird weiter alle paar Minuten geprüft.",
    secretLead: "Das ist das Geheimnis des Hooks. Es wird nur dieses eine Mal gezeigt.",
    secretHint:
      "Tragen Sie es mit der Adresse beim Server ein, und wählen Sie JSON und nur Pushes. GitLab nennt es Signing Token oder Secret Token.",
  },
  fromHead: "Vom neuesten Commit, bevor seine Dateien geschrieben sind",
};
