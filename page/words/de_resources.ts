/** The sentences about images, volumes, networks and the disk, in German. */
import { bytes, count } from "./de_counts.ts";

const KINDS: Readonly<Record<string, string>> = {
  containers: "Container",
  images: "Images",
  volumes: "Volumes",
  networks: "Netzwerke",
};

/** Names the kinds of objects of an engine, from the API's names. */
export function kindsOf(names: readonly string[]): string {
  return names.map((name) => KINDS[name] ?? name).join(" und ");
}

export const resources = {
  lists: {
    filter: "Nach Name filtern",
    usage: "Gebrauch",
    all: "gebraucht oder nicht",
    used: "gebraucht",
    unused: "nicht gebraucht",
    nobody: "nicht benutzt",
    more: (amount: number) => `und ${amount} weitere`,
    hidden: "Sie dürfen keine Container sehen",
    engine: "Engine",
    usedBy: "Gebraucht von",
    remove: "Entfernen",
    inUse: "Container brauchen es; entfernen Sie diese zuerst.",
    noMatch: "Nichts passt.",
    showAll: "Alle zeigen",
  },
  images: {
    count: (amount: number) => count(amount, "Image", "Images"),
    none: "Auf keiner Engine gibt es ein Image.",
    noneHint: "Laden Sie eines, oder starten Sie etwas, das eines braucht.",
    name: "Name",
    size: "Größe",
    made: "Entstanden",
    unnamed: "ohne Namen",
    removeQuestion: (names: string) => `${names} entfernen?`,
    removeOther:
      "Es ist weg oder heißt inzwischen anders: Schließen Sie dies, und sehen Sie wieder in die Liste.",
    removeHint:
      "Es kann wieder geladen oder gebaut werden. Schichten, die andere Images auch haben, bleiben.",
    pull: "Ein Image laden",
    reference: "Referenz",
    referenceHint: "Zum Beispiel postgres:17 oder ghcr.io/owner/name:tag",
    submit: "Laden",
    progress: (done: number, total: number) => `${bytes(done)} von ${bytes(total)}`,
    pulling: "fragt die Registry",
    pulled: (reference: string) => `${reference} ist da.`,
    unchanged: (reference: string) => `${reference} war schon da.`,
    stop: "Anhalten",
  },
  volumes: {
    count: (amount: number) => count(amount, "Volume", "Volumes"),
    none: "Auf keiner Engine gibt es ein Volume.",
    noneHint: "Engines legen sie an, wenn etwas eines deklariert.",
    name: "Name",
    driver: "Treiber",
    size: "Größe",
    made: "Entstanden",
    notMeasured: "nicht gemessen",
    removeQuestion: (name: string) => `Das Volume ${name} mit allem darin entfernen?`,
    removeHint: "Das lässt sich nicht rückgängig machen.",
    typeName: "Schreiben Sie seinen Namen, um sicherzugehen",
  },
  networks: {
    count: (amount: number) => count(amount, "Netzwerk", "Netzwerke"),
    none: "Auf keiner Engine gibt es ein Netzwerk.",
    name: "Name",
    driver: "Treiber",
    subnets: "Subnetze",
    internal: "kein Weg nach außen",
    predefined: "Es gehört der Engine: es kann nicht entfernt werden.",
    removeQuestion: (name: string) => `Das Netzwerk ${name} entfernen?`,
    removeHint: "Es kann wieder angelegt werden; Container müssen neu verbunden werden.",
  },
  disk: {
    measured: (ago: string) => `vor ${ago} gemessen`,
    measure: "Jetzt messen",
    type: "Art",
    amount: "Anzahl",
    active: "Gebraucht",
    size: "Größe",
    reclaimable: "Nicht gebraucht",
    types: {
      containers: "Container",
      networks: "Netzwerke",
      volumes: "Volumes",
      images: "Images",
      buildCache: "Build-Cache",
    },
    what: {
      containers: "die nicht laufen",
      networks: "ohne Container",
      volumes: "die kein Container einhängt, mit ihrem Inhalt",
      images: "ohne Namen",
      buildCache: "den kein Build braucht",
    },
    unmeasured: (backend: string, reason: string) => `${backend} fehlt in diesen Zahlen: ${reason}`,
    unplanned: (backend: string, reason: string) => `${backend} fehlt in diesem Plan: ${reason}`,
    choose: "Entfernen, was nicht benutzt wird",
    chooseHint:
      "Wählen Sie, was entfernt werden darf, und lesen Sie den Plan. Nichts wird entfernt, bevor Sie ihn gelesen haben.",
    older: "Entstanden vor",
    ages: { "": "beliebiger Zeit", "24h": "einem Tag", "168h": "einer Woche", "720h": "30 Tagen" },
    tagged: "Auch Images, die einen Namen haben, aber keinen Container oder nur solche, die entfernt werden",
    declared: "Auch, was Dateien in registrierten Ordnern deklarieren, selbst wenn es nicht läuft",
    left: (amount: number, size: number) =>
      `${count(amount, "Objekt fehlt", "Objekte fehlen")} im Plan, ${
        bytes(size)
      }: Dateien in registrierten Ordnern deklarieren ${amount === 1 ? "es" : "sie"}.`,
    unclear: (amount: number) =>
      `${
        count(amount, "Ordner oder Projekt ließ", "Ordner oder Projekte ließen")
      } sich nicht ganz lesen: Was dort deklariert sein kann, fehlt auch im Plan.`,
    read: "Plan lesen",
    plan: "Der Plan",
    planned: (amount: number, size: number) =>
      `${count(amount, "Objekt", "Objekte")}, höchstens ${bytes(size)}`,
    good: (left: string) => `gilt noch ${left}`,
    stale: "Dieser Plan ist abgelaufen.",
    anew: "Neu planen",
    nothing: "Nichts würde entfernt.",
    nothingHint: "Alles dieser Arten wird gebraucht oder ist jünger, als Sie gewählt haben.",
    thing: "Objekt",
    why: "Grund",
    result: "Ergebnis",
    carryOut: "Entfernen",
    carryQuestion: (amount: number, size: number) =>
      `${count(amount, "Objekt", "Objekte")} entfernen, höchstens ${bytes(size)}?`,
    carryVolumes: (amount: number) =>
      `${
        count(amount, "Volume wird", "Volumes werden")
      } mit allem entfernt, was darin ist. Das lässt sich nicht rückgängig machen.`,
    results: { planned: "geplant", removed: "entfernt", gone: "war schon weg", kept: "blieb" },
    done: (removed: number, freed: number) =>
      `${count(removed, "Objekt", "Objekte")} entfernt, ${bytes(freed)} frei.`,
    close: "Fertig",
  },
};
