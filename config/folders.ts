/** The folders that a platform gives to a program's data and to its user. */

type Environment = (name: string) => string | undefined;

export function homeFolder(env: Environment): string | undefined {
  return Deno.build.os === "windows" ? env("USERPROFILE") : env("HOME");
}

/** Undefined when the environment names no home. */
export function configFolders(env: Environment): { data: string } | undefined {
  const home = homeFolder(env);
  if (Deno.build.os === "windows") {
    const local = env("LOCALAPPDATA");
    return local === undefined ? undefined : { data: `${local}\\berth` };
  }
  if (Deno.build.os === "darwin" && home !== undefined) {
    return { data: `${home}/Library/Application Support/berth` };
  }
  const share = env("XDG_DATA_HOME") ?? (home === undefined ? undefined : `${home}/.local/share`);
  return share === undefined ? undefined : { data: `${share}/berth` };
}
