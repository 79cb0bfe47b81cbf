/** The steps of one unit: its containers are made, replaced, changed, started or removed. */

import type { Unit } from "../../artifacts/artifact.ts";
import { writtenOr } from "../../artifacts/yaml/values.ts";
import { asideFor } from "../../core/applies.ts";
import { planWith, type Remedies } from "../../core/remedy.ts";
import type { Declared } from "../fields/field.ts";
import type { FieldDifference } from "../fields/table.ts";
import { type Draft, edited, type NewStep } from "./draft.ts";
import { type Fate, noFate, stepsBefore } from "./fate.ts";
import { type HooksWanted, planHooks } from "./hooks.ts";
import { applying, making } from "./needs.ts";
import type { Link } from "./order.ts";
import type { PlanRequest, Reason } from "./plan_shape.ts";
import {
  conditionOf,
  type Follow,
  type Follows,
  followsOf,
  mayBeRefused,
  reasonOf,
  refusedIn,
  staleMount,
} from "./reasons.ts";
import { checkOwnRemoval, checkOwnReplacement, isUp, leftover, removeContainer } from "./removal.ts";
import type { Resources } from "./resources.ts";
import { type Member, numberOf } from "./members.ts";
import type { Scene } from "./scene.ts";

export class UnitWork {
  readonly fate = noFate();
  readonly #unit: Unit;
  #shared: readonly number[] = [];
  #stopped: readonly number[] = [];

  constructor(
    readonly scene: Scene,
    readonly of: Declared,
    readonly request: PlanRequest,
    readonly draft: Draft,
    readonly resources: Resources,
    readonly links: readonly Link[],
    readonly fates: ReadonlyMap<string, Fate>,
  ) {
    this.#unit = of.unit;
  }

  /** True for a unit that the plan is not about: it only follows others, as far as it runs. */
  get #isFollower(): boolean {
    return this.resources.followers.has(this.#unit.id);
  }

  get #members(): readonly Member[] {
    const members = this.scene.members.get(this.#unit.label) ?? [];
    return this.#isFollower ? members.filter(isRunning) : members;
  }

  /** The number of containers that it is to have; null where nobody knows. */
  get #desired(): number | null {
    const { service } = this.of;
    if (this.#isFollower) return this.#members.length;
    const isAsked = this.request.units?.some((name) =>
      name === this.#unit.id || name === this.#unit.name ||
      name === this.#unit.label
    ) === true;
    // A unit that runs though no profile enables it was started with `--profile`.
    return service.active || isAsked ? service.replicas : this.#members.length;
  }

  /** Replaces its networks before any unit is planned: a container that leaves one is in it until its own steps. */
  replaceNetworks(): void {
    if ((this.#desired ?? 0) > 0) this.resources.replaced(this.#unit);
  }

  /** Takes over the starts that the replacement of a network brings; others may have to follow them. */
  takeOver(): void {
    for (const { container } of this.#members) {
      this.#startedAgain(this.resources.startedAgain.get(container.id));
    }
  }

  /** Returns true if a container that runs would lose what it shares with another unit. */
  get mustFollow(): boolean {
    const { recreate, restart } = followsOf(this.links, this.fates);
    return this.#members.length > 0 && recreate.length + restart.length > 0;
  }

  /** Answers how many containers stay as they are. */
  plan(): number {
    const members = this.#members;
    const desired = this.#desired;
    if (desired === null) return 0; // a variable that is not set has blocked the plan
    const follows = followsOf(this.links, this.fates);
    const isMade = !this.#isFollower || follows.recreate.length > 0;
    if (desired > 0 && isMade) this.#shared = this.resources.shared(this.#unit);
    this.#shared = [...this.#shared, ...this.#stopped];
    const surplus = new Set(this.#surplus(members, members.length - desired));
    let unchanged = 0;
    for (const member of members) {
      if (surplus.has(member)) continue;
      if (!this.#member(member, follows)) unchanged += 1;
    }
    const numbers = new Set(members.map(({ container }) => numberOf(container)));
    for (let missing = desired - members.length, number = 1; missing > 0; number++) {
      if (numbers.has(number)) continue;
      this.#create(number);
      missing -= 1;
    }
    for (const member of surplus) this.#remove(member);
    return unchanged;
  }

  /** Stops those that run before all else, because they may hold ports. */
  stopLeftovers(stops: Map<string, number>): void {
    for (const left of this.scene.leftovers.get(this.#unit.label) ?? []) {
      if (!isUp(left)) continue;
      const base = { ...leftover(this.scene, left), kind: "container.stop", after: [] } as const;
      const step = this.draft.add({ ...base, risk: "interruption" });
      stops.set(left.id, step);
      this.#stopped = [...this.#stopped, step];
    }
  }

  #startedAgain(steps: readonly number[] | undefined): void {
    const [step] = steps ?? [];
    if (steps === undefined || step === undefined) return;
    this.fate.restarted = step;
    this.fate.isStarted = true;
    this.fate.isSurelyStarted = true;
    this.fate.last.push(...steps);
  }

  /** Returns the containers to remove: those that differ first, then those with the highest numbers. */
  #surplus(members: readonly Member[], count: number): readonly Member[] {
    if (count <= 0) return [];
    const differs = ({ differences }: Member) => differences.some(({ row }) => row.change !== "none") ? 1 : 0;
    return [...members].sort((a, b) =>
      differs(b) - differs(a) || numberOf(b.container) - numberOf(a.container)
    ).slice(0, count);
  }

  /** Plans a container that stays in number. Returns true if there is something to do. */
  #member(member: Member, follows: Follows): boolean {
    const { container, differences } = member;
    this.#remarks(member);
    const isOwn = !this.#isFollower;
    const stale = isOwn ? differences.filter(({ row }) => row.change === "restart") : [];
    const counts = differences.filter(({ row }) => row.change !== "none" && row.change !== "restart");
    const isInPlace = (one: FieldDifference) =>
      one.row.change === "update" && this.request.inPlace && this.scene.backend.kind === "docker" &&
      one.row.at(this.of) !== null; // an engine takes no limit back
    const refreshed = isOwn ? this.resources.refreshed(this.#unit) : [];
    const certain: Reason[] = !isOwn ? [] : [
      ...counts.filter((one) => !isInPlace(one)).map((one) => reasonOf(one, this.scene)),
      ...(this.request.recreate === "always" ? [{ code: "asked" } as const] : []),
      ...(asideFor(container.name) !== null ? [{ code: "leftOver" } as const] : []),
    ];
    const recreate: Follow[] = [
      ...certain.map((reason) => ({ reason, ifChanged: null })),
      ...follows.recreate,
      ...(refreshed.length > 0 ? [{ reason: { code: "newerImage" } as const, ifChanged: refreshed }] : []),
    ];
    const needs = [applying(this.scene)];
    const base = { target: container.name, unit: this.#unit.id, needs };
    const swap = (why: readonly Follow[]) => {
      const ifChanged = conditionOf(why);
      checkOwnReplacement(this.draft, this.of, container);
      this.#follow(ifChanged);
      this.fate.recreated = this.#step({
        ...base,
        kind: "container.swap",
        why: [
          ...(isOwn && ifChanged === null
            ? counts.filter(isInPlace).map((one) => reasonOf(one, this.scene))
            : []),
          ...why.map(({ reason }) => reason),
          // It is made of its files as they are now, though nobody asked for that.
          ...(isOwn ? [] : counts.map((one) => reasonOf(one, this.scene))),
        ],
        after: [
          ...this.#prerequisites(),
          ...this.resources.reconnected.get(container.id) ?? [],
          ...why.flatMap(({ reason }) => refusedIn(reason)),
        ],
        needs: making(this.scene, this.of),
        risk: isRunning(member) ? "interruption" : "none",
        ifChanged,
      });
      const within = this.fate.recreated;
      const hooks = { container: container.name, within, ifChanged };
      const stopped = isRunning(member)
        ? this.#hooks({ ...hooks, when: "preStop", after: [within] })
        : [within];
      this.#hooks({ ...hooks, when: "postStart", after: stopped });
    };
    const isCertain = recreate.some(({ ifChanged }) => ifChanged === null);
    if (isCertain) {
      swap(recreate);
      return true;
    }
    // A container that the same image replaces need not be started again before.
    const images = new Set(recreate.flatMap(({ ifChanged }) => ifChanged ?? []));
    const restart = [
      ...stale.map((one) => ({ reason: staleMount(one), ifChanged: null })),
      ...follows.restart.filter(({ ifChanged }) => !ifChanged?.every((step) => images.has(step))),
    ];
    const update = isOwn ? this.#update(counts, base) : null;
    let isTouched = this.#asItIs(container, restart, base) || update !== null;
    if (update !== null && mayBeRefused(this.of, container, counts)) {
      const reason = { code: "followsFrom", step: update, how: "refused" } as const;
      recreate.push({ reason, ifChanged: [update] });
    }
    if (recreate.length > 0) {
      swap(recreate);
      isTouched = true;
    }
    return isTouched;
  }

  /** Says of mounts and limits what is no difference. A restart would make an empty folder of what was deleted. */
  #remarks({ container, differences, remarks }: Member): void {
    for (const { mount, declared, at } of differences) {
      if (mount?.state !== "deleted") continue;
      // A loop of links in its place is told already.
      if (this.draft.blocked.some((one) => one.code === "project/absent-file" && one.at === at)) continue;
      const message =
        `"${declared}" was deleted while container "${container.name}" reads it: put it back, or ` +
        `take the mount out of the file`;
      this.draft.block("project/absent-file", message, at, this.#unit.id, edited(at));
    }
    for (const { mount, field, declared, seen, at } of remarks) {
      if (mount === undefined) {
        const message =
          `Container "${container.name}" runs without "${field}" (${declared}): the kernel of its engine cannot ` +
          `hold such a limit`;
        this.draft.warn("project/limit-unheld", message, at, this.#unit.id, edited(at));
        continue;
      }
      // Of an unknown one nothing happened that anybody knows of.
      if (mount.state === "unknown") continue;
      const message =
        `"${declared}": container "${container.name}" reads ${seen}. Restart it if it does not ` +
        `reload by itself`;
      const remedy = planWith("action", "restart");
      this.draft.warn("project/mount-changed", message, at, this.#unit.id, [remedy]);
    }
  }

  /** Plans the change of a container in place; null where nothing of it differs. */
  #update(
    differences: readonly FieldDifference[],
    base: Pick<NewStep, "target" | "unit" | "needs">,
  ): number | null {
    if (differences.length === 0) return null;
    const why = differences.map((one) => reasonOf(one, this.scene));
    return this.#step({ ...base, kind: "container.update", why, after: this.#dependencies() });
  }

  /** Plans the start or restart of a container that is not made anew; false where it needs neither. */
  #asItIs(
    container: Member["container"],
    restart: readonly Follow[],
    base: Pick<NewStep, "target" | "unit" | "needs">,
  ): boolean {
    if (container.state === "paused") {
      const { name: engine } = this.scene.backend;
      this.#warn("project/paused", `Container "${container.name}" is paused, and stays so`, [
        { kind: "act", act: "unpause", engine, container: container.name },
      ]);
      return false;
    }
    if (!isRunning({ container })) return this.#ended(container);
    const isStartedAgain = this.resources.startedAgain.has(container.id);
    if (restart.length === 0 || isStartedAgain) return isStartedAgain;
    const ifChanged = conditionOf(restart);
    this.#follow(ifChanged);
    const hooks = { container: container.name, ifChanged };
    const restarted = this.#step({
      ...base,
      kind: "container.restart",
      why: restart.map(({ reason }) => reason),
      after: this.#hooks({ ...hooks, when: "preStop", after: this.#dependencies() }),
      risk: "interruption",
      ifChanged,
    });
    this.fate.restarted = restarted;
    this.#afterStart({ ...hooks, after: [restarted] });
    return true;
  }

  /** A job that ended well is not run again by itself: it may be a migration. */
  #ended({ name, state, exitCode }: Member["container"]): boolean {
    const { restart } = this.of.service;
    const endedWell = state === "exited" && exitCode === 0 && restart !== "always" &&
      restart !== "unless-stopped";
    const names = [this.#unit.id, this.#unit.name, this.#unit.label];
    const isAsked = this.request.rerun.some((one) => names.includes(one));
    if (endedWell && !isAsked) {
      this.#warn(
        "project/completed",
        `Container "${name}" ended well. It does not run again by itself`,
        [planWith("rerun", this.#unit.label)],
      );
      return false;
    }
    this.#follow(null);
    const started = this.#step({
      kind: "container.start",
      target: name,
      unit: this.#unit.id,
      why: [{ code: endedWell ? "asked" : "stopped" }],
      after: this.#prerequisites(),
      needs: [applying(this.scene)],
    });
    this.fate.restarted = started;
    this.#afterStart({ container: name, after: [started] });
    return true;
  }

  #create(number: number): void {
    const { group } = this.scene;
    const { containerName, containerNameAt } = this.of.service;
    const target = containerName === null
      ? `${group.project}-${this.#unit.label}-${number}`
      : writtenOr(containerNameAt, containerName);
    const base = { target, unit: this.#unit.id };
    // A container is made while those that it depends on start: only its own start waits for them.
    const created = this.draft.add({
      ...base,
      kind: "container.create",
      why: [{ code: "absent" }],
      after: [...this.#ingredients(), ...this.#dependencies(({ kind }) => kind !== "depends_on")],
      needs: making(this.scene, this.of),
    });
    const started = this.#step({
      ...base,
      kind: "container.start",
      why: [{ code: "absent" }],
      after: [created, ...this.#dependencies()],
      needs: [applying(this.scene)],
    });
    this.#afterStart({ container: target, after: [started] });
  }

  #remove({ container }: Member): void {
    checkOwnRemoval(this.draft, this.of, container);
    removeContainer(this.scene, this.draft, container, {
      of: this.of,
      code: "scaleDown",
      needs: [applying(this.scene)],
      after: this.resources.reconnected.get(container.id) ?? [],
    });
  }

  #hooks(wanted: HooksWanted): readonly number[] {
    return planHooks(this.scene, this.draft, this.of, wanted);
  }

  /** Adds the hooks after a start; units that depend on this one come after them. */
  #afterStart(wanted: Omit<HooksWanted, "when">): void {
    const last = this.#hooks({ ...wanted, when: "postStart" });
    if (last !== wanted.after) this.fate.last.push(...last);
  }

  #step(step: Parameters<Draft["add"]>[0]): number {
    const n = this.draft.add(step);
    this.fate.last.push(n);
    if (step.kind !== "container.update") {
      this.fate.isStarted = true;
      this.fate.isSurelyStarted ||= (step.ifChanged ?? null) === null;
    }
    return n;
  }

  /** Before a step that others follow: what is certain for one container of the unit is for all. */
  #follow(ifChanged: readonly number[] | null): void {
    const isFirst = this.fate.recreated === null && this.fate.restarted === null;
    this.fate.ifChanged = isFirst || this.fate.ifChanged !== null ? ifChanged : null;
  }

  #warn(code: string, message: string, remedies: Remedies): void {
    this.draft.warn(code, message, this.#unit.source, this.#unit.id, remedies);
  }

  #dependencies(counts: (link: Link) => boolean = () => true): number[] {
    return this.links.filter(counts).flatMap((link) => stepsBefore(link, this.fates));
  }

  /** Returns the steps that bring the unit's networks, volumes and image. */
  #ingredients(): number[] {
    return [...this.#shared, ...this.resources.image(this.#unit)];
  }

  #prerequisites(): number[] {
    return [...this.#ingredients(), ...this.#dependencies()];
  }
}

const isRunning = ({ container: { state } }: Pick<Member, "container">): boolean =>
  state === "running" || state === "restarting";
