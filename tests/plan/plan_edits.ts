/** Edits of a project, made up at random from a seed, and the steps that follow from each by the words of Compose. */
import { FIXTURE } from "../support/engine.ts";

/** Numbers below one, the same for a seed again and again (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Service {
  readonly name: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly scale: number;
  /** Whom it waits for, and whether it is started again with them. */
  readonly dependsOn: Readonly<Record<string, boolean>>;
  /** The unit whose network it shares. */
  readonly sharesWith: string | null;
}

/** A project, in an order in which every service comes behind those that it needs. */
export type Project = readonly Service[];

/** The values that a field may have; the first is what nobody wrote. */
const FIELDS: Readonly<Record<string, readonly (string | null)[]>> = {
  environment: [null, "{ COLOUR: red }", "{ COLOUR: blue }", "[COLOUR=green, SIZE=1]"],
  labels: [null, "{ tier: front }", "{ tier: back }"],
  command: ["[idle]", "[idle, one]", "idle two"],
  user: [null, '"1000"', '"1000:1000"'],
  working_dir: [null, "/tmp", "/root"],
  stop_grace_period: ["1s", "2s"],
  restart: [null, "always", "on-failure:3"],
  mem_limit: [null, "64m", "65m"],
  volumes: [null, "['data:/data']", "['data:/data:ro']", "['data:/other', '/anonymous']"],
  ports: [null, "['80']", "['81', '82']"],
  healthcheck: [null, "{ test: [CMD, 'true'], interval: 30s }", "{ test: 'true', retries: 2 }"],
  cap_add: [null, "[NET_ADMIN]"],
  extra_hosts: [null, "['one=10.0.0.1']"],
  tmpfs: [null, "[/scratch]"],
};

/** Docker changes these where they are, unless they are taken out. */
const IN_PLACE = ["restart", "mem_limit"];

const pick = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)]!; // not empty

/** Some services, of which later ones may need earlier ones. */
export function someProject(random: () => number): Project {
  const names = ["a", "b", "c", "d", "e"].slice(0, 3 + Math.floor(random() * 3));
  return names.map((name, index): Service => {
    const fields: Record<string, string> = { command: "[idle]", stop_grace_period: "1s" };
    for (const [field, values] of Object.entries(FIELDS)) {
      const value = random() < 0.3 ? pick(values, random) : null;
      if (value !== null) fields[field] = value;
    }
    const earlier = names.slice(0, index);
    const dependsOn: Record<string, boolean> = {};
    for (const other of earlier) if (random() < 0.4) dependsOn[other] = random() < 0.5;
    const sharesWith = earlier.length > 0 && random() < 0.25 ? pick(earlier, random) : null;
    if (sharesWith !== null) {
      // Ports and hosts belong to whom the network belongs.
      delete fields["ports"];
      delete fields["extra_hosts"];
    }
    return { name, fields, scale: sharesWith === null && random() < 0.2 ? 2 : 1, dependsOn, sharesWith };
  });
}

export function textOf(name: string, project: Project): string {
  const services = project.map(({ name, fields, scale, dependsOn, sharesWith }) => {
    const lines = [`image: ${FIXTURE}`, ...Object.entries(fields).map(([key, value]) => `${key}: ${value}`)];
    if (scale !== 1) lines.push(`scale: ${scale}`);
    const waits = Object.entries(dependsOn);
    if (waits.length > 0) {
      const each = waits.map(([on, restart]) => `${on}: { condition: service_started, restart: ${restart} }`);
      lines.push(`depends_on: { ${each.join(", ")} }`);
    }
    if (sharesWith !== null) lines.push(`network_mode: "service:${sharesWith}"`);
    return `  ${name}:\n${lines.map((line) => `    ${line}\n`).join("")}`;
  });
  return `name: ${name}\nservices:\n${services.join("")}volumes: { data: {} }\n`;
}

/** One edit: what it says, and what it does to whom. */
export interface Edit {
  readonly words: string;
  readonly after: Project;
}

/** Changes one thing: a field of a service, how many there are, or whether it is there at all. */
export function someEdit(project: Project, random: () => number): Edit {
  const target = pick(project, random);
  const needed = project.some(({ dependsOn, sharesWith }) =>
    target.name in dependsOn || sharesWith === target.name
  );
  const others = (change: (one: Service) => Service) =>
    project.map((one) => one === target ? change(one) : one);
  const kind = random();
  if (kind < 0.12 && !needed && project.length > 1) {
    return { words: `${target.name} is gone`, after: project.filter((one) => one !== target) };
  }
  if (kind < 0.24) {
    const added = { name: "z", fields: { command: "[idle]" }, scale: 1, dependsOn: {}, sharesWith: null };
    return { words: "z is new", after: [...project, added] };
  }
  if (kind < 0.4 && target.sharesWith === null) {
    const scale = target.scale === 2 ? pick([1, 3], random) : pick([2, 3], random);
    return { words: `${target.name} is there ${scale} times`, after: others((one) => ({ ...one, scale })) };
  }
  const allowed = Object.keys(FIELDS).filter((key) =>
    target.sharesWith === null || (key !== "ports" && key !== "extra_hosts")
  );
  const field = pick(allowed, random);
  const now = target.fields[field] ?? null;
  const value = pick(FIELDS[field]!.filter((one) => one !== now), random); // it has two values at least
  return {
    words: `${field} of ${target.name}: ${now ?? "(nothing)"} becomes ${value ?? "(nothing)"}`,
    after: others((one) => {
      const { [field]: _, ...rest } = one.fields;
      return { ...one, fields: value === null ? rest : { ...rest, [field]: value } };
    }),
  };
}

/** The steps that have to follow, by what the two files say alone; orphans are removed, and in no order. */
export function expectedSteps(name: string, before: Project, after: Project, kind: string): string[] {
  const was = new Map(before.map((one) => [one.name, one]));
  const steps: string[] = [];
  const recreated = new Set<string>();
  const restarted = new Set<string>();
  for (const one of after) {
    const old = was.get(one.name);
    const container = (number: number) => `${name}-${one.name}-${number}`;
    const staying = Math.min(old?.scale ?? 0, one.scale);
    const keys = [...new Set([...Object.keys(old?.fields ?? {}), ...Object.keys(one.fields)])];
    const changed = old === undefined ? [] : keys.filter((key) => old.fields[key] !== one.fields[key]);
    const isInPlace = changed.every((key) => IN_PLACE.includes(key) && key in one.fields) &&
      kind === "docker";
    const memory = (of: Service | undefined) => Number.parseInt(of?.fields["mem_limit"] ?? "") || Infinity;
    // The engine may refuse less memory: then it is replaced.
    const isMaybeNew = isInPlace && memory(one) < memory(old);
    const isNew = (changed.length > 0 && !isInPlace) ||
      (one.sharesWith !== null && recreated.has(one.sharesWith));
    const isAgain = (one.sharesWith !== null && restarted.has(one.sharesWith)) ||
      Object.entries(one.dependsOn).some(([on, restart]) =>
        restart && (recreated.has(on) || restarted.has(on))
      );
    for (let number = 1; number <= staying; number++) {
      if (isNew) steps.push(`container.swap ${container(number)}`);
      else {
        if (changed.length > 0) steps.push(`container.update ${container(number)}`);
        if (isAgain) steps.push(`container.restart ${container(number)}`);
        if (isMaybeNew) steps.push(`container.swap ${container(number)}`);
      }
    }
    if (staying > 0 && (isNew || isMaybeNew)) recreated.add(one.name);
    else if (staying > 0 && isAgain) restarted.add(one.name);
    for (let number = staying + 1; number <= one.scale; number++) {
      steps.push(`container.create ${container(number)}`, `container.start ${container(number)}`);
    }
    for (let number = one.scale + 1; number <= (old?.scale ?? 0); number++) {
      steps.push(`container.stop ${container(number)}`, `container.remove ${container(number)}`);
    }
  }
  for (const old of before) {
    if (after.some((one) => one.name === old.name)) continue;
    for (let number = 1; number <= old.scale; number++) {
      const container = `${name}-${old.name}-${number}`;
      steps.push(`container.stop ${container}`, `container.remove ${container}`);
    }
  }
  const uses = (project: Project) => project.some(({ fields }) => fields["volumes"]?.includes("data:"));
  if (uses(after) && !uses(before)) steps.push(`volume.create ${name}_data`);
  const joins = (project: Project) => project.some(({ sharesWith }) => sharesWith === null);
  if (joins(after) && !joins(before)) steps.push(`network.create ${name}_default`);
  return steps.sort();
}
