/** The sentences of the registries in English. */
import { count } from "./en_counts.ts";

export const registries = {
  count: (amount: number) => count(amount, "registry", "registries"),
  add: "Add a registry",
  none: "No registry is stored.",
  noneHint:
    "berth pulls public images without one. Store one for private images, and for registries of your own network.",
  name: "Registry",
  login: "Signs in",
  logins: { password: "with a password", identityToken: "with a token", none: "without credentials" },
  as: (name: string) => `as ${name}`,
  way: "Called",
  plain: "without TLS",
  tls: "with TLS",
  ownCa: "with certificates of its own",
  tokens: (host: string) => `tokens from ${host}`,
  by: "Stored by",
  host: "Host",
  hostHint: "As images name it: ghcr.io, docker.io, registry.lan:5000",
  path: "Only for images below",
  pathHint: "The first part of their names, as team. For all of the host when it is left empty.",
  username: "User name",
  password: "Password or token",
  credentialsHint: "Leave both empty for a registry that needs none. berth tries them before it stores them.",
  plainHttp: "Called",
  plainHttps: { no: "with TLS", yes: "without TLS: credentials can be read on the way" },
  ca: "Its own certificates",
  caHint: "The PEM text of its authority, if the system does not trust it already.",
  submit: "Try and store it",
  confirm: "Send the credentials there, too",
  confirmQuestion: (host: string, service: string) =>
    `${host} lets ${service} check the credentials. Send them to ${service}, too?`,
  confirmHint: "berth refuses any other token service later.",
  delete: "Forget",
  deleteQuestion: (host: string) => `Forget ${host} and its credentials?`,
  deleteHint: "Pulls of its private images fail from then on.",
} as const;
