/** The folders with projects. */
import { gitEnvironment } from "../../config/git_environment.ts";
import { type Finding, risky, wrong } from "../../core/finding.ts";
import { type Check, type Setup, statOf, textOf } from "./check.ts";
import { mountOf } from "./mounts.ts";

const FEW_WATCHES = 16_384;

export const FOLDER_CHECKS: readonly Check[] = [
  { name: "roots", look: lookAtRoots },
  { name: "workspaces", look: lookAtWorkspaces },
  { name: "folders in a container", look: lookAtMounts },
  { name: "watches", look: lookAtWatches },
  { name: "git", look: lookAtGit },
];

async function lookAtRoots({ config: { roots } }: Setup): Promise<Finding[]> {
  const found: Finding[] = [];
  if (roots.length === 0) found.push(risky("No folder may become a workspace", "Set BERTH_ROOTS"));
  for (const root of roots) {
    if (root === "/") {
      found.push(
        risky(
          "BERTH_ROOTS holds /: every file of this machine may be read as a project",
          "Name the folders with projects",
        ),
      );
    } else if (!(await statOf(root))?.isDirectory) {
      found.push(
        wrong(
          `The root "${root}" is no folder that can be read`,
          "Correct BERTH_ROOTS, or let the user of berth read it",
        ),
      );
    }
  }
  return found;
}

async function lookAtWorkspaces({ store, config: { roots } }: Setup): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const folder of store.folders) {
    if (!(await statOf(folder))?.isDirectory) {
      found.push(
        wrong(
          `The workspace "${folder}" is not there, or may not be read`,
          "Put it back, or remove the workspace",
        ),
      );
    } else if (!roots.some((root) => root === "/" || folder === root || folder.startsWith(`${root}/`))) {
      found.push(
        risky(`The workspace "${folder}" is under none of BERTH_ROOTS`, "Add its folder to BERTH_ROOTS"),
      );
    }
  }
  return found;
}

/** An engine knows the host's path, so a folder must be mounted under the same one. */
async function lookAtMounts({ isContained, config: { roots } }: Setup): Promise<Finding[]> {
  if (!isContained) return [];
  const found: Finding[] = [];
  for (const root of roots) {
    if (root !== "/" && await statOf(root) !== null && (await mountOf(root))?.at === "/") {
      found.push(
        risky(
          `"${root}" is not mounted from the host`,
          `Mount it under the same path: -v ${root}:${root}`,
        ),
      );
    }
  }
  return found;
}

async function lookAtWatches(): Promise<Finding[]> {
  const most = Number(await textOf("/proc/sys/fs/inotify/max_user_watches") ?? NaN);
  return most < FEW_WATCHES
    ? [
      risky(
        `Only ${most} folders can be watched (fs.inotify.max_user_watches)`,
        "sysctl fs.inotify.max_user_watches=524288; until then time stamps are looked at instead",
      ),
    ]
    : [];
}

async function lookAtGit({ store: { sources } }: Setup): Promise<Finding[]> {
  if (sources === 0) return [];
  const { Git, isTooOld } = await import("../../git/process.ts");
  const version = await new Git(gitEnvironment()).version();
  if (version === null) {
    return [
      wrong(
        "Workspaces follow Git repositories, and there is no git in PATH",
        "Install git of at least 2.37 where berth runs, or take the image whose tag ends in -ssh",
      ),
    ];
  }
  return !isTooOld(version)
    ? []
    : [wrong(`git ${version} is too old to follow repositories`, "Install git of at least 2.37")];
}
