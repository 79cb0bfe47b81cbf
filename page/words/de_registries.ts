/** The sentences of the registries in German. */
import { count } from "./de_counts.ts";

export const registries = {
  count: (amount: number) => count(amount, "Registry", "Registries"),
  add: "Registry hinzufügen",
  none: "Es ist keine Registry hinterlegt.",
  noneHint:
    "Öffentliche Images holt berth auch so. Hinterlegen Sie eine für private Images und für Registries im eigenen Netz.",
  name: "Registry",
  login: "Anmeldung",
  logins: { password: "mit Passwort", identityToken: "mit Token", none: "ohne Zugangsdaten" },
  as: (name: string) => `als ${name}`,
  way: "Aufruf",
  plain: "ohne TLS",
  tls: "mit TLS",
  ownCa: "mit eigenen Zertifikaten",
  tokens: (host: string) => `Token von ${host}`,
  by: "Hinterlegt von",
  host: "Host",
  hostHint: "Wie Images ihn nennen: ghcr.io, docker.io, registry.lan:5000",
  path: "Nur für Images unter",
  pathHint: "Der erste Teil ihrer Namen, etwa team. Leer: für den ganzen Host.",
  username: "Benutzername",
  password: "Passwort oder Token",
  credentialsHint:
    "Lassen Sie beides leer, wenn die Registry nichts verlangt. berth probiert die Zugangsdaten, bevor es sie hinterlegt.",
  plainHttp: "Aufruf",
  plainHttps: { no: "mit TLS", yes: "ohne TLS: Zugangsdaten sind unterwegs lesbar" },
  ca: "Eigene Zertifikate",
  caHint: "Der PEM-Text der Zertifizierungsstelle, falls das System ihr nicht schon vertraut.",
  submit: "Probieren und hinterlegen",
  confirm: "Zugangsdaten auch dorthin schicken",
  confirmQuestion: (host: string, service: string) =>
    `${host} lässt die Zugangsdaten von ${service} prüfen. Auch an ${service} schicken?`,
  confirmHint: "Jeden anderen Token-Dienst weist berth später ab.",
  delete: "Vergessen",
  deleteQuestion: (host: string) => `${host} und die Zugangsdaten vergessen?`,
  deleteHint: "Private Images von dort lassen sich dann nicht mehr holen.",
} as const;
