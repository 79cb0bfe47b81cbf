/** The commands about image registries, a part of the table of all commands. */
import type { Command } from "./command.ts";
import { JSON_OPTION, read } from "./parts.ts";

export const REGISTRIES: readonly Command[] = [
  {
    name: "registries",
    summary: "list the image registries that berth knows; add one, or forget it",
    details:
      "berth registries add ghcr.io/team --user ada reads the password from standard input, tries it at the registry, and stores it sealed. berth registries forget ghcr.io/team forgets it.",
    args: [
      { name: "act", kind: "text", choices: ["add", "forget"], optional: true },
      { name: "registry", kind: "text", optional: true },
    ],
    options: [
      { name: "--user", short: "-u", value: "name", meaning: "sign in as this user; its password is read" },
      { name: "--token", meaning: "sign in with an identity token, which is read" },
      {
        name: "--token-service",
        value: "host",
        meaning: "the other host that may be given the credentials, for its tokens",
      },
      { name: "--ca", value: "file", meaning: "a file of certificates that are trusted for it, as PEM" },
      { name: "--plain-http", meaning: "call it without TLS: credentials can be read on the way" },
      JSON_OPTION,
    ],
    load: () => read("./registries.ts"),
  },
];
