/** One service of a swarm: its differences from its file, its slots with their tasks, and what they write. */
import { useMemo } from "preact/hooks";
import type { ServiceTask, SwarmService } from "../../../client/berth/services.ts";
import { useRows } from "../../live/rows.ts";
import { may } from "../../live/session.ts";
import { TaskLog } from "../../live/task_log.ts";
import { LogView } from "../../parts/log/log_view.tsx";
import { keyIfAllowed, Reading } from "../../parts/reading.tsx";
import { Empty } from "../../parts/states.tsx";
import { shown } from "../../parts/shown.ts";
import type { Parts } from "../../screen_table.ts";
import { words } from "../../words/en_later.ts";
import { ServiceActs } from "./acts.tsx";
import { BesideFile } from "./beside_file.tsx";
import { Task } from "./services.tsx";
import { Update } from "./update.tsx";

const TEXT = words.swarm;

export function Service({ id = "" }: Parts) {
  const read = useRows(keyIfAllowed("services:read", "services"), "services");
  return (
    <Reading read={read} permission="services:read">
      {({ items }) => {
        const service = items.find((one) => one.id === id || one.name === id);
        return service === undefined ? <Empty title={TEXT.gone} whole /> : <Shown service={service} />;
      }}
    </Reading>
  );
}

function Shown({ service }: { readonly service: SwarmService }) {
  return (
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
      <BesideFile service={service} key={service.id} />
      <Update service={service} />
      <p class="quiet">
        <code>{shown(service.image)}</code>
        {service.stack !== null && ` · ${shown(TEXT.ofStack(service.stack))}`}
      </p>
      <Slots service={service} />
      {may("containers:logs") && <Log id={service.id} name={service.name} />}
    </>
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
