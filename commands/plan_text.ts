/** Plans in words: lines for a terminal, a table for a comment on a pull request. */
import type { Location, Plan, PlanHook, PlanReason, PlanStep } from "../client/berth/models.ts";
import { visible } from "../log/line.ts";
import { remediesText } from "./plan_options.ts";

/** The verb of a step, before the name of its object. */
export const WORDS: Readonly<Record<PlanStep["kind"], string>> = {
  "image.pull": "pull",
  "image.build": "build",
  "network.create": "create network",
  "network.remove": "remove network",
  "network.connect": "connect",
  "volume.create": "create volume",
  "volume.remove": "remove volume",
  "container.create": "create",
  "container.start": "start",
  "container.stop": "stop",
  "container.remove": "remove",
  "container.swap": "replace",
  "container.update": "change in place",
  "container.restart": "restart",
  "hook.run": "run in",
  "wait": "wait for",
  "secret.create": "create secret",
  "secret.remove": "remove secret",
  "config.create": "create config",
  "config.remove": "remove config",
  "service.create": "create service",
  "service.update": "update service",
  "service.wait": "wait for service",
  "service.remove": "remove service",
};

const CODES: Readonly<
  Record<Exclude<PlanReason["code"], "field" | "staleMount" | "followsFrom" | "hook">, string>
> = {
  absent: "it does not exist yet",
  stopped: "it does not run",
  scaleDown: "there are more than declared",
  orphan: "its service is not in the files",
  leftOver: "a finished apply left it under this name",
  down: "everything goes down",
  asked: "it was asked for",
  policy: "its pull policy says so",
  newerImage: "for a newer image",
};

const RISKS: Readonly<Record<PlanStep["risk"], string>> = {
  none: "",
  interruption: " (interrupts)",
  dataLoss: " (with all its data)",
};

/** Returns the beginning of a digest, as people compare it. */
const digestText = (digest: string | undefined): string =>
  digest === undefined ? "" : `@${digest.slice(0, 19)}`;

/** One line a step, with the place of what it follows from. */
export function textOf(plans: readonly Plan[]): string {
  return plans.map((plan) => {
    const lines = plan.steps.map((
      { n, kind, target, why, risk, ifChanged, optional, hook, within, digest },
    ) =>
      `${String(n).padStart(4)}  ${WORDS[kind]} ${target}${digestText(digest)}${RISKS[risk]}` +
      `${hook === undefined ? "" : hookText(hook, within)}${optionalText(optional)}${
        conditionText(plan, ifChanged)
      }\n` +
      why.map((reason) => `      ${reasonText(reason)}\n`).join("")
    );
    return visibleLines([headOf(plan), ...notesOf(plan).map((note) => `  ${note}\n`), ...lines].join(""));
  }).join("\n");
}

function headOf({ group, backend, steps, unchanged, blocked }: Plan): string {
  const count = steps.length === 0 ? "nothing to do" : `${steps.length} step${steps.length === 1 ? "" : "s"}`;
  const state = blocked.length > 0 ? "blocked" : count;
  return `${group} on ${backend}: ${state}, ${unchanged} unchanged\n`;
}

function notesOf({ blocked, warnings, missing, keeps = [] }: Plan): string[] {
  const place = ({ location }: Plan["blocked"][number]) =>
    location === null ? "" : ` (${location.file}:${location.range.start.line})`;
  return [
    ...blocked.map((one) => `blocked: ${one.message}${place(one)}${remediesText(one.remedies)}`),
    ...warnings.map((one) => `note: ${one.message}${place(one)}${remediesText(one.remedies)}`),
    ...keeps.map((name) => `the volume ${name} stays`),
    ...missing.map(({ permission, subject, field, why, at }) => {
      const on = subject.project ?? subject.workspace ?? subject.engine;
      const because = field === undefined ? "" : `: ${field} ${why} (${at?.file}:${at?.range.start.line})`;
      return `you lack ${permission} on ${on}${because}`;
    }),
  ];
}

const optionalText = (optional: PlanStep["optional"]): string => optional === true ? " (not required)" : "";

/** A pull is waited for by its image, a change in place by the engine's refusal. */
function conditionText({ steps }: Plan, after: PlanStep["ifChanged"]): string {
  if (after === undefined) return "";
  const isUpdate = (n: number) => steps.some((step) => step.n === n && step.kind === "container.update");
  const part = (numbers: readonly number[], does: string) =>
    numbers.length === 0 ? [] : [`step ${numbers.join(" or ")} ${does}`];
  const parts = [
    ...part(after.filter((n) => !isUpdate(n)), "brings another image"),
    ...part(after.filter(isUpdate), "is refused"),
  ];
  return `, only if ${parts.join(", or ")}`;
}

/** The command as it stands in the files, and as whom and where it runs. */
export function hookText(hook: PlanHook, within?: number): string {
  const { when, command, user, privileged, workingDir, environment } = hook;
  const how = [
    when === "postStart" ? "after its start" : "before its stop",
    ...within === undefined ? [] : [`in step ${within}`],
    ...user === "" ? [] : [`as ${user}`],
    ...workingDir === "" ? [] : [`in ${workingDir}`],
    ...privileged ? ["with all rights on the host"] : [],
    ...environment.length === 0 ? [] : [`with ${environment.join(" ")}`],
  ];
  return `: ${wordsText(command)} (${how.join(", ")})`;
}

/** Words that could be taken for several stand in quotes. */
const wordsText = (words: readonly string[]): string =>
  words.map((word) => /^[\w@%+=:,./*-]+$/.test(word) ? word : JSON.stringify(word)).join(" ");

const placeText = ({ file, range: { start } }: Location): string => `${file}:${start.line}:${start.column}`;

function reasonText(reason: PlanReason): string {
  if (reason.code === "field") {
    const { field, declared, seen, at } = reason;
    return `${field}: ${seen} becomes ${declared}, ${placeText(at)}`;
  }
  if (reason.code === "staleMount") {
    const { field, mount: { state, replacedAt, startedAt }, at } = reason;
    const what = state === "changedSince"
      ? "was written to"
      : state === "deleted"
      ? "was deleted"
      : "was replaced";
    return `${field}: the container reads the file of ${startedAt}, it ${what}` +
      `${replacedAt === null ? "" : ` at ${replacedAt}`}, ${placeText(at)}`;
  }
  if (reason.code === "followsFrom") return `follows from step ${reason.step} (${reason.how})`;
  if (reason.code === "hook") return `the files ask for it, ${placeText(reason.at)}`;
  return CODES[reason.code];
}

/** A section a group; what a file says cannot end a cell, begin a link or close the text around it. */
export function markdownOf(plans: readonly Plan[]): string {
  return plans.map((plan) => {
    const rows = plan.steps.map(({ n, kind, target, why, risk, ifChanged, optional, hook, within, digest }) =>
      `| ${n} | ${WORDS[kind]}${RISKS[risk]}${optionalText(optional)}${conditionText(plan, ifChanged)} | ${
        cell(target + digestText(digest) + (hook === undefined ? "" : hookText(hook, within)))
      } | ${why.map((one) => cell(reasonText(one))).join("<br>")} |\n`
    );
    const notes = notesOf(plan).map((note) => `- ${cell(note)}\n`);
    return [
      `### ${cell(headOf(plan).trimEnd())}\n`,
      ...notes.length > 0 ? ["\n", ...notes] : [],
      ...rows.length > 0 ? ["\n| | step | of | because |\n| --- | --- | --- | --- |\n", ...rows] : [],
    ].join("");
  }).join("\n");
}

const cell = (text: string): string =>
  visible(text).replace(/[\\`*_{}[\]<>|#@!~$&]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const visibleLines = (text: string): string => text.split("\n").map(visible).join("\n");
