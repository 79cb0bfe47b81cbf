/** Saves a draft: checks all of it, writes the files of each project, and then claims its containers. */
import type * as z from "../core/schema.ts";
import { below } from "../artifacts/live/join.ts";
import type { Group } from "../artifacts/artifact.ts";
import type { NewFile } from "../artifacts/files/create_files.ts";
import { whyNotNew } from "../artifacts/files/create_file.ts";
import { unknownWorkspace } from "../artifacts/registry/registry.ts";
import { may, type Principal } from "../core/access.ts";
import type { Claim, ClaimStore } from "../core/claims.ts";
import { ServiceError } from "../core/error.ts";
import { subjectOf } from "../core/ownership.ts";
import type { RunningContainer } from "../core/runtime.ts";
import type { Call } from "../http/declare/call.ts";
import type { Claims } from "../projects/adopt/claims.ts";
import type { DraftProject } from "../projects/adopt/draft.ts";
import { blockedBy, declaredIds, type DeclaredNames, declaredNames, writtenIn } from "./adoption_blocks.ts";
import { type DraftOffer, offeredKey } from "./adoption_offers.ts";
import type { Accepted, AcceptRequest } from "./adoption_shape.ts";
import { type AdoptingOptions, drafted, forbidden, inspectAll, meantBy, mustHold } from "./adopting.ts";

/** Claims of one berth. */
const MOST_CLAIMS = 10_000;

export interface AcceptingOptions extends AdoptingOptions {
  readonly claims: { readonly store: ClaimStore; readonly known: Pick<Claims, "reload"> };
  readonly now: () => number;
}

type Wish = z.output<typeof AcceptRequest>;
type AcceptCall = Call<unknown, unknown, Wish>;

interface Outcome {
  readonly answer: z.input<typeof Accepted>;
  /** The keys of the containers that were adopted. */
  readonly taken: ReadonlySet<string>;
}

/** The projects that were saved, and those that were not. */
interface Saving {
  readonly saved: readonly { readonly one: Checked; readonly group: string }[];
  readonly failed: readonly { readonly one: Checked; readonly error: ServiceError }[];
}

/** A project that has passed every check. */
interface Checked {
  readonly project: DraftProject;
  readonly folder: string;
  readonly files: readonly NewFile[];
}

export class Accepting {
  constructor(private readonly options: AcceptingOptions) {}

  /** Throws before the first file is written, or `disk_full` and the like if no project can be saved. */
  async accept(offer: DraftOffer, call: AcceptCall): Promise<Outcome> {
    const { registry, claims } = this.options;
    const { reach, body } = call;
    const { workspace } = offer;
    if (!reach.has({ workspace })) throw unknownWorkspace();
    await registry.mustBeEditable(workspace);
    const checked = await this.#check(offer, body, call.principal);
    const { saved, failed } = await this.#save(workspace, checked, call).finally(() =>
      claims.known.reload().catch(() => {}) // they are read again soon
    );
    const [first] = failed;
    if (saved.length === 0 && first !== undefined) throw first.error;
    const answer = {
      projects: saved.map(({ one, group }) => ({
        name: one.project.name,
        group,
        folder: one.folder,
        files: one.files.map(({ path }) => path),
        containers: one.project.services.map(({ container }) => container),
      })),
      failed: failed.map(({ one, error }) => ({ name: one.project.name, why: error.message })),
      warnings: await this.#warnings(workspace, saved.map(({ one }) => one)),
    };
    const taken = saved.flatMap(({ one: { project: { backend, services } } }) =>
      services.map(({ id }) => offeredKey({ backend, id }))
    );
    return { answer, taken: new Set(taken) };
  }

  #entryOf(call: AcceptCall, { project, folder }: Checked) {
    const containers = project.services.map(({ id }) => id.slice(0, 12)).join(" ").slice(0, 1_000);
    return call.entry({ particulars: { project: project.name, folder, containers } });
  }

  /** Throws `draft_stale`, `forbidden` or `adoption_blocked`: nothing was written. */
  async #check(offer: DraftOffer, body: Wish, principal: Principal): Promise<Checked[]> {
    const { registry, sights } = this.options;
    const asked = body.projects.flatMap(({ containers }) => containers);
    const offered = new Map(offer.containers.map((one) => [offeredKey(one), one]));
    const wanted = asked.map((one) => {
      const found = offered.get(offeredKey(one));
      if (found === undefined) throw blocked("a container is not in this draft; write it down first");
      return found;
    });
    if (new Set(asked.map(offeredKey)).size < asked.length) throw blocked("a container is in two projects");
    const { seen, rows } = await meantBy(asked, principal, this.options);
    const there = new Set(rows.map(offeredKey));
    for (const one of wanted) if (!there.has(offeredKey(one))) throw stale(one.name, "is not there any more");
    mustHold(rows, principal, sights, seen.permissionFor("revealContainer"));
    const mayApply = (row: RunningContainer) =>
      may(principal, "projects:apply", subjectOf(row, sights.ownership));
    if (!rows.every(mayApply)) throw forbidden(`"projects:apply" on each container`);
    const containers = await inspectAll(rows, seen);
    const { stampOf } = await import("../projects/adopt/stamp.ts");
    for (const one of containers) {
      if (offered.get(offeredKey(one))?.stamp !== stampOf(one)) throw stale(one.name, "has changed");
    }
    mustDiffer(body.projects.map(({ name }) => name), "name");
    mustDiffer(body.projects.map(({ folder }) => folder), "folder");
    const names = await declaredNames(registry);
    const ids = await declaredIds(rows, sights.ownership);
    const byKey = new Map(containers.map((one) => [offeredKey(one), one]));
    const wishes = body.projects.map(({ name, containers }) => ({
      name,
      containers: containers.map((one) => byKey.get(offeredKey(one))!), // each was inspected
    }));
    const made = await drafted(offer.workspace, wishes, { seen, registry, secrets: new Set(body.secrets) });
    const byName = Map.groupBy(made, ({ name }) => name);
    return body.projects.map(({ name, folder }) =>
      checkedOf(byName.get(name) ?? [], folder, { workspace: offer.workspace, names, ids })
    );
  }

  /**
   * Makes the files of all projects, reads the workspace once, and claims project by project. Takes the files of a
   * project back if its containers cannot be claimed.
   */
  async #save(workspace: string, checked: readonly Checked[], call: AcceptCall): Promise<Saving> {
    const { registry, claims, now } = this.options;
    const { model, failed: unmade, takeBack } = await registry.createSets(
      workspace,
      checked.map(({ files }) => files),
    );
    const groups = new Map(model.groups.map((group) => [`${group.folder} ${group.project}`, group]));
    const saved: { one: Checked; group: string }[] = [];
    const failed: { one: Checked; error: ServiceError }[] = [];
    const unclaimed: number[] = [];
    try {
      for (const [place, one] of checked.entries()) {
        const { folder, project } = one;
        try {
          const why = unmade.get(place);
          if (why !== undefined) throw why;
          unclaimed.push(place);
          const group = groups.get(`${folder} ${project.name}`);
          if (group === undefined) {
            throw blocked(`berth reads no project in "${folder}": is the folder ignored?`);
          }
          const of = { workspace, principal: call.principal, at: now(), group, root: model.root };
          await claims.store.add(claimsOf(one, of), MOST_CLAIMS, this.#entryOf(call, one));
          unclaimed.pop();
          saved.push({ one, group: group.name });
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          // A commit that failed may have happened: equal files are claimed by the next draft.
          if (error.code === "store_unavailable") unclaimed.pop();
          failed.push({ one, error });
        }
      }
    } finally {
      if (unclaimed.length > 0) await takeBack(unclaimed);
    }
    return { saved, failed };
  }

  async #warnings(workspace: string, checked: readonly Checked[]): Promise<string[]> {
    const secret = checked.flatMap(({ files }) => files.filter(({ isPrivate }) => isPrivate));
    if (secret.length === 0) return [];
    const { uncoveredByGit } = await import("../artifacts/files/git_cover.ts");
    const { path } = await this.options.registry.get(workspace);
    const found = await uncoveredByGit(path, secret.map(({ path }) => path));
    return found.map((one) =>
      `"${one}" holds secrets, and the folder is in Git: no .gitignore covers it. Add a line ".env" to .gitignore`
    );
  }
}

/** Throws `adoption_blocked`. */
function checkedOf(
  made: readonly DraftProject[],
  folder: string,
  { workspace, names, ids }: {
    readonly workspace: string;
    readonly names: DeclaredNames;
    readonly ids: ReadonlySet<string>;
  },
): Checked {
  const why = folder.split("/").includes(".env") ? "its folder cannot be .env" : whyNotNew(folder);
  if (why !== null) throw blocked(`the folder "${folder}" cannot be used: ${why}`);
  const project = made[0]!; // no wish is without containers
  const isTaken = names.has(project.name) && writtenIn(project, workspace, names) !== folder;
  const reasons = blockedBy(project, { projects: made, isTaken, ids });
  const [refused] = project.refused;
  if (refused !== undefined) throw blocked(`"${refused.container}" cannot be written down: ${refused.why}`);
  if (reasons.length > 0) throw blocked(reasons.join(". "));
  const files = project.files.map(({ path, text }) => ({
    path: `${folder}/${path}`,
    text,
    isPrivate: path === ".env",
  }));
  return { project, folder, files };
}

function claimsOf(
  { project, folder }: Checked,
  { workspace, principal, at, group, root }: {
    readonly workspace: string;
    readonly principal: Principal;
    readonly at: number;
    readonly group: Group;
    readonly root: string;
  },
): Claim[] {
  const { kind, id, name } = principal;
  return project.services.map((one) => ({
    id: crypto.randomUUID(),
    engine: project.backend,
    container: one.id,
    name: one.container,
    workspace,
    group: group.name,
    project: project.name,
    service: one.service,
    folder: below(root, folder),
    file: below(root, `${folder}/compose.yaml`),
    by: { kind, id, name },
    at,
    goneAt: null,
  }));
}

function mustDiffer(values: readonly string[], what: string): void {
  const twice = values.find((value, at) => values.indexOf(value) !== at);
  if (twice !== undefined) throw blocked(`two projects have the ${what} "${twice}"`);
}

const blocked = (why: string): ServiceError =>
  new ServiceError("adoption_blocked", `Cannot adopt the containers: ${why}`);

const stale = (name: string, what: string): ServiceError =>
  new ServiceError(
    "draft_stale",
    `Cannot adopt the containers: "${name}" ${what} since the draft; write them down again`,
  );
