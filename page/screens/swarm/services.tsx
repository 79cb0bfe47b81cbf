/** The services of swarms by stack, a row each, with their tasks below. */
import type { ServiceTask, SwarmService } from "../../../client/berth/services.ts";
import { useRows } from "../../live/rows.ts";
import { keyIfAllowed, Reading } from "../../parts/reading.tsx";
import { Update } from "./update.tsx";
import { containerHref } from "../../parts/container_href.ts";
import { shown } from "../../parts/shown.ts";
import { Sign } from "../../parts/sign.tsx";
import { Empty } from "../../parts/states.tsx";
import type { Verdict } from "../../verdict.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.swarm;

/** Tasks of one service that are shown; those that run come first. */
const MOST_TASKS = 50;

export function Services() {
  const read = useRows(keyIfAllowed("services:read", "services"), "services");
  return (
    <Reading read={read} permission="services:read">
      {({ items: services }) => {
        if (services.length === 0) return <Empty title={TEXT.noServices} whole />;
        const stacks = Map.groupBy(services, ({ stack }) => stack);
        const stale = services.find(({ staleSince }) => staleSince !== null)?.staleSince ?? null;
        return (
          <>
            <header class="screen-head">
              <h1>{words.titles.services}</h1>
              <span class="quiet" role="status">{TEXT.servicesCount(services.length)}</span>
            </header>
            {stale !== null && <p class="trouble" role="alert">{TEXT.stale(words.time(Date.parse(stale)))}
            </p>}
            {[...stacks].map(([stack, own]) => (
              <section aria-label={shown(stack ?? TEXT.inNoStack)} key={stack}>
                <h2>{stack === null ? TEXT.inNoStack : shown(TEXT.ofStack(stack))}</h2>
                <ul class="findings" aria-label={TEXT.services}>
                  {own.map((service) => <One service={service} key={service.id} />)}
                </ul>
              </section>
            ))}
          </>
        );
      }}
    </Reading>
  );
}

function signOf({ staleSince, desired, running }: SwarmService): Verdict {
  if (staleSince !== null) return "unknown";
  return desired === null || running >= desired ? "asWritten" : "broken";
}

function One({ service }: { readonly service: SwarmService }) {
  const { name, running, desired, image, update, tasks } = service;
  const verdict = signOf(service);
  const state = update === null
    ? undefined
    : (TEXT.updated as Readonly<Record<string, string>>)[update.state];
  return (
    <li class={`finding is-${verdict}`}>
      <div class="finding-head">
        <Sign verdict={verdict} />
        <a class="finding-name" href={`/services/${encodeURIComponent(service.id)}`}>{shown(name)}</a>
        <span class="finding-word">
          {words.number(running)}
          {desired !== null && `/${words.number(desired)}`}
          {state !== undefined && ` · ${state}`}
        </span>
      </div>
      <div class="finding-rest">
        <Update service={service} />
        <code class="quiet">{shown(image)}</code>
        <details open={verdict === "broken"}>
          <summary>{TEXT.tasksOf(shown(name))}</summary>
          <ul class="rows">
            {tasks.toSorted(byDesired).slice(0, MOST_TASKS).map((task) => <Task task={task} key={task.id} />)}
          </ul>
          {tasks.length > MOST_TASKS && (
            <p class="quiet">{words.containers.shown(MOST_TASKS, tasks.length)}</p>
          )}
        </details>
      </div>
    </li>
  );
}

const byDesired = (one: ServiceTask, other: ServiceTask): number =>
  Number(other.desired) - Number(one.desired);

export function Task({ task }: { readonly task: ServiceTask }) {
  const { name, node, state, desired, current, reason, exitCode, container } = task;
  return (
    <li class="row">
      <span>
        {container !== null && container.backend !== null
          ? <a href={containerHref({ backend: container.backend, name: container.id })}>{shown(name)}</a>
          : shown(name)} {TEXT.states[state]} {node === null ? TEXT.nowhere : shown(TEXT.on(node.name))}
        <span class="quiet">
          {!desired && ` · ${TEXT.replaced}`}
          {desired && !current && ` · ${TEXT.ofBefore}`}
          {exitCode !== null && ` · ${TEXT.endedWith(exitCode)}`}
        </span>
        {reason !== null && <span class="finding-detail">{shown(reason)}</span>}
      </span>
    </li>
  );
}
