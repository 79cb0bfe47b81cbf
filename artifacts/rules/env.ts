/** Rules about environment files: variables meant for Compose itself, and variables that nothing uses. */

import type { ArtifactFile, Group } from "../artifact.ts";
import { entriesOf } from "../yaml/values.ts";
import type { Say } from "./say.ts";

/** The environment files that one group's files are interpolated with. */
export function checkEnvironment(group: Group, say: Say): void {
  if (group.envFiles.length === 0) return;
  const used = usedIn(group.sources);
  // A file that a service takes whole is used whole.
  const taken = new Set(group.units.flatMap((unit) => unit.paths.filter(isEnvFile).map(({ path }) => path)));
  for (const file of group.envFiles) {
    for (const document of file.documents) {
      for (const [name, { key }] of entriesOf(document)) {
        if (name.startsWith("COMPOSE_")) {
          say("env/compose-variable", key, `"${name}" changes how Compose itself works`, {
            subject: group.id,
          });
        } else if (
          !used.has(name) && !taken.has(file.path) && !group.incomplete && !name.startsWith("DOCKER_")
        ) {
          say("env/unused", key, `"${name}" is never used`, { subject: group.id });
        }
      }
    }
  }
}

const isEnvFile = ({ kind }: { kind: string }): boolean => kind === "env_file";

/** Every name after a `$` in the texts, comments included: better one too many. */
function usedIn(files: readonly ArtifactFile[]): Set<string> {
  const names = new Set<string>();
  for (const { text } of files) {
    for (const [, name] of text.matchAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*)/g)) names.add(name!);
    // A variable named without a value is taken over as it is.
    for (
      const [, name] of text.matchAll(/^[ \t]*(?:-[ \t]*)?["']?([A-Za-z_][A-Za-z0-9_]*)["']?:?[ \t]*$/gm)
    ) {
      names.add(name!);
    }
  }
  return names;
}
