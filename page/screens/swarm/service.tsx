/** One service of a swarm: its update, its slots with the tasks that were in each, and what they write. */
import { useEffect, useMemo } from "preact/hooks";
import { SERVICE, type ServiceTask, type SwarmService } from "../../../client/berth/services.ts";
import { useResource } from "../../live/resource.ts";
import { client, may } from "../../live/session.ts";
import { TaskLog } from "../../live/task_log.ts";
import { LogView } from "../../parts/log/log_view.tsx";
import { keyIfAllowed, Reading } from "../../parts/reading.tsx";
import { shown } from "../../parts/shown.ts";
import type { Parts } from "../../screen_table.ts";
import { words } from "../../words/en_later.ts";
import { ServiceActs } from "./acts.tsx";
import { Task } from "./services.tsx";
import { Update } from "./update.tsx";

const TEXT = words.swarm;
const AGAIN_MS = 3_000;

export function Service({ id = "" }: Parts) {
  const read = useResource(
    keyIfAllowed("services:read", `service ${id}`),
    async (signal) => (await client.get(SERVICE, { params: { id }, signal })).json(),
  );
  useEffect(() => {
    const clock = setInterval(() => document.visibilityState === "visible" && read.reload(), AGAIN_MS);
    return () => clearInterval(clock);
  }, [read]);
  return (
    <Reading read={read} permission="services:read">
      {(service) => (
        <>
          <header class="screen-head">
            <h1>{shown(service.name)}</h1>
            <span class="quiet" role="status">
              {words.number(service.running)}
              {service.desired !== null && `/${words.number(service.desired)}`}
            </span>
            {service.staleSince === null && <ServiceActs service={service} />}
          </header>
          {service.staleSince !== null && (
            <p class="trouble" role="alert">{TEXT.stale(words.time(Date.parse(service.staleSince)))}</p>
          )}
          <Update service={service} />
          <p class="quiet">
            <code>{shown(service.image)}</code>
            {service.stack !== null && ` · ${shown(TEXT.ofStack(service.stack))}`}
          </p>
          <Slots service={service} />
          {may("containers:logs") && <Log id={service.id} name={service.name} />}
        </>
      )}
    </Reading>
  );
}

/** Each slot with the task that is to run, and those before it, the newest first. */
function Slots({ service: { name, tasks } }: { readonly service: SwarmService }) {
  const slots = Map.groupBy(tasks, ({ slot, node }: ServiceTask) => slot ?? node?.id ?? "");
  return (
    <section aria-labelledby="service-slots">
      <h2 id="service-slots">{TEXT.tasksOf(shown(name))}</h2>
      {[...slots].map(([slot, own]) => {
        const [first, ...before] = own.toSorted((one, other) => Number(other.desired) - Number(one.desired));
        return (
          <ul class="rows" key={slot}>
            {first !== undefined && <Task task={first} />}
            {before.length > 0 && (
              <li class="row">
                <details>
                  <summary>{TEXT.before(before.length)}</summary>
                  <ul class="rows">{before.map((task) => <Task task={task} key={task.id} />)}</ul>
                </details>
              </li>
            )}
          </ul>
        );
      })}
    </section>
  );
}

function Log({ id, name }: { readonly id: string; readonly name: string }) {
  const feed = useMemo(() => new TaskLog(id), [id]);
  return (
    <section aria-label={TEXT.log}>
      <LogView feed={feed} name={name} key={id} />
    </section>
  );
}
