/** The hold of hosts that a definition of a service has, as a manager keeps it: judged by the tables of plans. */
import { type JudgedService, type ServiceFacts, serviceNeeds } from "../../../core/service_needs.ts";
import type { IsOwnObject } from "../../../core/stack_acts.ts";
import { listOf, mapOf, objectOf, textOf, textsOf, type Wire } from "../../../engines/calls/wire.ts";
import { NAMESPACE } from "../rows/service.ts";
import { isNothing, plain } from "./plain.ts";

/** One part of a definition: its text, by which two are the same, and what is judged of it. */
type Part = readonly [text: string, judged: Partial<JudgedService>];

/** Returns the parts that need the host, as texts: an operator may not bring one back that was taken away. */
export function hostRightsOf(spec: Wire, isOwn: IsOwnObject): string[] {
  const ownerOf = (kind: Parameters<IsOwnObject>[0], id: string) => isOwn(kind, id) ? "own" : "unknown";
  const facts: ServiceFacts = {
    networkOwner: (name) => ownerOf("network", name),
    volumeOwner: (name) => ownerOf("volume", name),
    fileOwner: ownerOf,
  };
  const found = [...partsOf(spec)].filter(([, part]) => serviceNeeds(part, facts).length > 0);
  return [...new Set([...found.map(([text]) => text), ...ownersOf(spec)])];
}

/** Returns the parts of the definition before that need the host, and that the one of now does not have. */
export function gainedRights(before: Wire, now: Wire | null, isOwn: IsOwnObject): readonly string[] {
  const had = now === null ? ownersOf(before) : hostRightsOf(now, isOwn);
  return [...new Set(hostRightsOf(before, isOwn)).difference(new Set(had))];
}

/** Labels that say whose a service is. */
const OWNER = [NAMESPACE, "dev.berth.group", "dev.berth.workspace"];

function ownersOf(spec: Wire): string[] {
  const labels = mapOf(spec.Labels);
  return OWNER.flatMap((name) => labels[name] === undefined ? [] : [`owner ${name} ${labels[name]}`]);
}

/** Parts that reach no host, whatever they say; a part that is in no list here is one that nobody can judge. */
const HARMLESS: Readonly<Record<"spec" | "template" | "container", ReadonlySet<string>>> = {
  spec: new Set(["Name", "Mode", "UpdateConfig", "RollbackConfig", "EndpointSpec"]),
  template: new Set(["Resources", "RestartPolicy", "Placement", "ForceUpdate"]),
  container: new Set([
    ..."Image Command Args Hostname Env Dir User Groups TTY OpenStdin ReadOnly StopSignal Init".split(" "),
    ..."StopGracePeriod Healthcheck Hosts DNSConfig CapabilityDrop Ulimits".split(" "),
  ]),
};

type Judge = (value: unknown) => Iterable<Part>;

const each = (what: string, map: unknown, part: (one: Readonly<Record<string, string>>) => Part[1]): Part[] =>
  Object.entries(mapOf(map)).map(([name, value]) => [`${what} ${name} ${value}`, part({ [name]: value })]);

const networks: Judge = (list) =>
  listOf(list).map(objectOf).map(({ Target, DriverOpts }) => {
    const one = { name: textOf(Target), driverOptions: mapOf(DriverOpts) };
    const text = `network ${one.name} ${JSON.stringify(Object.entries(one.driverOptions).sort())}`;
    return [text, { container: { networks: [one as Connection] } }];
  });
type Connection = NonNullable<JudgedService["container"]["networks"]>[number];

const files = (kind: "secret" | "config", idName: "SecretID" | "ConfigID"): Judge => (list) =>
  listOf(list).map(objectOf).map((one) => {
    const name = textOf(one[idName]);
    return [`${kind} ${name}`, { [`${kind}s`]: [{ name, target: "", uid: "", gid: "", mode: 0 }] }];
  });

const JUDGES: Readonly<Record<"spec" | "template" | "container", Readonly<Record<string, Judge>>>> = {
  spec: {
    Labels: (map) => each("label", map, (labels) => ({ labels })),
    Networks: networks,
  },
  template: {
    Networks: networks,
    LogDriver: (value) => {
      const { Name, Options } = objectOf(value);
      const driver = textOf(Name);
      return [
        [`log ${driver}`, { container: { log: { driver, options: {} } } }],
        ...each(`log ${driver}`, Options, (options) => ({ container: { log: { driver: "", options } } })),
      ];
    },
    Runtime: (runtime) =>
      runtime === "container" ? [] : [[`runtime ${runtime}`, { container: { runtime: String(runtime) } }]],
  },
  container: {
    Labels: (map) => each("label", map, (labels) => ({ container: { labels } })),
    Mounts: (list) => listOf(list).map((one) => mountPart(objectOf(one))),
    Secrets: files("secret", "SecretID"),
    Configs: files("config", "ConfigID"),
    CapabilityAdd: (list) =>
      textsOf(list).map((one) => [`capability ${one}`, { container: { capAdd: [one] } }]),
    Sysctls: (map) => each("sysctl", map, (sysctls) => ({ container: { sysctls } })),
    Isolation: (value) => [[`isolation ${value}`, { container: { isolation: String(value) } }]],
    OomScoreAdj: (value) => [[`oom ${value}`, { container: { oomScoreAdjustment: Number(value) } }]],
    Privileges: (value) =>
      Object.entries(objectOf(value)).filter(([, one]) => !isNothing(one)).map(([name, one]) => {
        const text = name === "NoNewPrivileges" ? "no-new-privileges" : `${name}=${JSON.stringify(one)}`;
        return [`privilege ${text}`, { container: { securityOptions: [text] } }];
      }),
  },
};

function* partsOf(spec: Wire): Iterable<Part> {
  const template = objectOf(spec.TaskTemplate);
  const { TaskTemplate: _, ...top } = spec;
  const { ContainerSpec, ...rest } = template;
  for (
    const [level, wire] of [["spec", top], ["template", rest], [
      "container",
      objectOf(ContainerSpec),
    ]] as const
  ) {
    for (const [key, value] of Object.entries(wire)) {
      if (isNothing(value) || HARMLESS[level].has(key)) continue;
      const judge = JUDGES[level][key];
      if (judge !== undefined) yield* judge(value);
      else yield [`${key} ${JSON.stringify(value)}`, UNJUDGED];
    }
  }
}

/** A field that no table knows needs the host. */
const UNJUDGED = { unknown: true } as Partial<JudgedService>;

function mountPart(wire: Wire): Part {
  const { Type, Source, Target, ReadOnly, Consistency: _, VolumeOptions, TmpfsOptions, ...more } = wire;
  const target = textOf(Target);
  const { NoCopy: _copy, Subpath: _path, Labels, DriverConfig, ...volumeMore } = objectOf(VolumeOptions);
  const { SizeBytes: _size, Mode: _mode, ...tmpfsMore } = objectOf(TmpfsOptions);
  const driver = objectOf(DriverConfig);
  const mount = {
    type: textOf(Type),
    source: textOf(Source),
    target,
    readOnly: ReadOnly === true,
    // Options that the tables do not know by these names need the host.
    options: Object.entries({ ...more, ...volumeMore, ...tmpfsMore })
      .filter(([, one]) => !isNothing(one)).map(([name, one]) => `${name}=${JSON.stringify(one)}`),
  };
  const volume = {
    driver: textOf(driver.Name) || null,
    driverOptions: mapOf(driver.Options),
    labels: mapOf(Labels),
  };
  return [`mount ${JSON.stringify(plain(wire))}`, {
    container: { mounts: [mount] },
    volumes: { [target]: volume },
  }];
}
