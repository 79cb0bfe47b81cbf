/** The services of swarms, a row each, with their tasks below. */
import type { ServiceTask, SwarmService } from "../../../client/berth/services.ts";
import { containerHref } from "../../parts/container_href.ts";
import { shown } from "../../parts/shown.ts";
import { Sign } from "../../parts/sign.tsx";
import { Empty } from "../../parts/states.tsx";
import type { Verdict } from "../../verdict.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.swarm;

/** Tasks of one service that are shown; those that run come first. */
const MOST_TASKS = 50;

export function Services({ services }: { readonly services: readonly SwarmService[] }) {
  return (
    <section aria-labelledby="swarm-services">
      <h2 id="swarm-services">{TEXT.services}</h2>
      {services.length === 0
        ? <Empty title={TEXT.noServices} />
        : (
          <ul class="findings" aria-label={TEXT.services}>
            {services.map((service) => <One service={service} key={service.id} />)}
          </ul>
        )}
    </section>
  );
}

function signOf({ staleSince, desired, running }: SwarmService): Verdict {
  if (staleSince !== null) return "unknown";
  return desired === null || running >= desired ? "asWritten" : "broken";
}

function One({ service }: { readonly service: SwarmService }) {
  const { name, stack, running, desired, image, update, tasks } = service;
  const verdict = signOf(service);
  const state = update === null
    ? undefined
    : (TEXT.updated as Readonly<Record<string, string>>)[update.state];
  const failed = tasks.some((one) => one.desired && one.reason !== null);
  return (
    <li class={`finding is-${verdict}`}>
      <div class="finding-head">
        <Sign verdict={verdict} />
        <span class="finding-name">{shown(name)}</span>
        <span class="finding-word">
          {words.number(running)}
          {desired !== null && `/${words.number(desired)}`}
          {stack !== null && ` · ${shown(TEXT.ofStack(stack))}`}
          {state !== undefined && ` · ${state}`}
        </span>
      </div>
      <div class="finding-rest">
        {update !== null && state !== undefined && <span class="finding-detail">{shown(update.message)}
        </span>}
        <code class="quiet">{shown(image)}</code>
        <details open={failed || verdict === "broken"}>
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

function Task({ task }: { readonly task: ServiceTask }) {
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
