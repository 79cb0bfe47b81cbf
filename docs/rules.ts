/** Writes `docs/rules.md` out of the table of rules. */
import { type RuleCode, ruleOf, RULES } from "../artifacts/rules/catalog.ts";

const FILE = new URL("rules.md", import.meta.url);

const STAGES = { read: "reading", check: "checking", live: "beside the engine" } as const;

export function rulesPage(): string {
  const rows = (Object.keys(RULES) as RuleCode[]).map((code) => { // the keys of the table are its codes
    const { severity, stage, summary, off } = ruleOf(code);
    return `| \`${code}\` | ${severity}${off === true ? ", off" : ""} | ${STAGES[stage]} | ${
      summary.replaceAll("|", "\\|")
    } |`;
  });
  return `# Checking, drawing, and what runs

<!-- Written by \`deno task docs\` from docs/rules.ts and artifacts/rules/catalog.ts; a test holds it to that. -->

What is read from a folder is in [workspaces.md](workspaces.md); this page is about what berth makes of it.

## Checking

\`\`\`sh
deno task berth validate ~/code/shop                       # for people: the line, and a caret under the place
deno task berth validate ~/code/shop --format github       # annotations in a workflow
deno task berth validate ~/code/shop --format sarif        # code scanning and editors
\`\`\`

It exits with 0 when there is no error, with 1 when there is one, with 64 when there is no such folder, and with 4 when
it could not read it. The service gives the same report at \`POST /api/workspaces/{id}/artifacts/validate\`, also for text
that is not saved yet: \`{ "files": { "compose.yaml": "..." } }\` is laid over the folder and leaves no trace.
\`?format=sarif\` answers SARIF, \`?live=true\` adds what only shows beside the engine.

An error means that Compose, or the engine at \`up\`, would refuse. Taste is at most a warning. A value with a variable
that is not set is not judged at all.

### Silencing a rule

In the file, for a line, for the next one, or for all of it:

\`\`\`yaml
services:
  web:
    image: nginx # berth-disable-line image/no-tag
    # berth-disable-next-line sec/docker-socket
    volumes: ["/var/run/docker.sock:/var/run/docker.sock"]
\`\`\`

For the workspace, in \`berth.yaml\` at its root:

\`\`\`yaml
rules:
  image/latest: off
  ops/no-healthcheck: warning
ignore:
  - experiments/
\`\`\`

## The graph

\`GET /api/workspaces/{id}/artifacts/dag\` answers nodes, edges, layers and cycles as JSON, and the same as
\`?format=mermaid\` or \`?format=dot\`. An edge leads from what depends to what it depends on; layer 0 starts first. What
is named and not there is a node of the kind \`missing\`. A workspace of more than 5,000
nodes is drawn as its groups (\`?view=groups\`), and each of them by \`?group=\`.

## What runs

Containers are joined to units by the labels that Compose gives them; paths are compared as real paths. A unit is
\`running\` (all that should, none unhealthy), \`degraded\`, \`paused\`, \`completed\` (a job that ended well and is not
told to restart), \`exited\`, \`absent\`, or \`unknown\` (no engine). \`drift\` lists each field in which a container
differs from the files, and the place of the value: file, line and column, also where it came through an override,
\`extends\`, an anchor or an \`env_file\`. What an image or an engine adds is no difference. Values of the environment
are never shown, only the names that differ. A key that berth does not compare is told as
\`compose/field-not-supported\`.

| field | differs when |
| --- | --- |
| \`image\` | another name or tag, or the name stands for another image by now |
| \`command\`, \`entrypoint\`, \`healthcheck\`, \`healthcheck.interval\`, ... | other words, times or retries |
| \`environment.<NAME>\`, \`labels.<key>\`, \`sysctls.<key>\`, \`ulimits.<name>\` | not set, set by nobody in the files, or another value |
| \`ports\`, \`exposed.<port>\` | another address, port or protocol; one too many or too few |
| \`mounts.<target>\` | another kind or source, writable where it should not be, with other options, or mounted by nobody in the files; secrets and configs that are files, too |
| \`contents.<id>\` | a secret or config holds something else than when berth made the container |
| \`networks\`, \`links\`, \`aliases.<network>\`, \`address.<network>\`, \`linkLocal.<network>\`, \`macAddress.<network>\`, \`driverOptions.<network>\`, \`gatewayPriority.<network>\` | others, by their real names |
| \`hostname\`, \`domainname\`, \`dns\`, \`dnsSearch\`, \`dnsOptions\`, \`extraHosts\` | another value |
| \`ipc\`, \`pid\`, \`uts\`, \`cgroup\`, \`userNamespace\`, \`volumesFrom\` | another container, the host, or its own |
| \`restart\`, \`user\`, \`workingDir\`, \`name\`, \`terminal\`, \`stdinOpen\`, \`init\`, \`stopSignal\`, \`stopGracePeriod\`, \`log.driver\`, \`log.options.<key>\`, \`runtime\`, \`isolation\`, \`cgroupParent\`, \`storageOptions.<key>\`, \`platform\`, \`annotations.<key>\` | another value |
| \`privileged\`, \`readOnly\`, \`capAdd\`, \`capDrop\`, \`securityOptions\`, \`groups\`, \`devices.<target>\`, \`deviceRules\`, \`deviceRequests\` | another value |
| \`limits.memory\`, \`limits.memoryReservation\`, \`limits.memorySwap\`, \`limits.sharedMemory\`, \`limits.cpus\`, \`limits.cpuShares\`, \`limits.cpuPeriod\`, \`limits.cpuQuota\`, \`limits.cpuset\`, \`limits.pids\`, \`limits.oomScoreAdjustment\`, \`limits.oomKillDisabled\`, \`limits.memorySwappiness\`, \`limits.blockIo.<what>\` | another amount |
| \`postStart\`, \`preStop\` | other hooks, in a container that berth made |
| \`replicas\` | another number of containers |
| \`dependsOn.<unit>\` | the container was started with other dependencies than the files have |

Podman 4.3 does not tell \`init\`, \`domainname\`, \`sysctls\`, \`ipc\`, \`cgroup\`, \`userNamespace\`, \`runtime\`,
\`isolation\`, \`cgroupParent\`, \`storageOptions\`, \`log.options\`, \`deviceRules\`, \`deviceRequests\`, \`limits.blockIo\`,
\`limits.cpuPeriod\` and \`limits.cpuQuota\`; no engine tells \`platform\`, \`annotations\`, \`limits.blockIoWeight\`,
\`postStart\`, \`preStop\` and \`contents\`. They are compared by the label
\`dev.berth.declared\`, which only containers have that berth made; it holds digests that nobody can guess values from.
Not compared on Podman are links and the \`address\` that was asked for.

Where the engine sees folders under other names (a virtual machine, a container that runs Compose), say so in
\`berth.yaml\`; a project that runs under a name of its own is joined there, too:

\`\`\`yaml
paths:
  - { from: /host/code, to: /home/ada/code }
projects:
  shop-prod: shop
\`\`\`

## All rules

A rule that is off is silent until \`berth.yaml\` gives it a severity. Rules beside the engine never count in
\`berth validate\`.

| code | severity | found while | finds |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
}

if (import.meta.main) await Deno.writeTextFile(FILE, rulesPage());
