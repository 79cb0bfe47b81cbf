/** The latest events of containers, in a few lines. */
import { useEffect, useMemo } from "preact/hooks";
import { containerHref } from "../../parts/container_href.ts";
import { Events } from "../../live/events.ts";
import { may } from "../../live/session.ts";
import { shown } from "../../parts/shown.ts";
import { Mark } from "../../parts/sign.tsx";
import { words } from "../../words/en_later.ts";

/** Events that change a condition. */
const ACTIONS = ["start", "die", "oom", "destroy"];
const MOST = 5;
/** Events of one container in a row are one line. */
const EARLIER = 50;

export function Lately() {
  return may("events:read") && may("containers:read") ? <Last /> : null;
}

function Last() {
  const feed = useMemo(() => new Events({ kinds: ["container"], actions: ACTIONS, earlier: EARLIER }), []);
  useEffect(() => () => feed.end(), []);
  const items = feed.items.value.flatMap((one) => one.type === "event" ? one : []).slice(0, MOST);
  if (items.length === 0) return null;
  return (
    <section aria-labelledby="lately">
      <div class="section-head">
        <h2 id="lately">{words.lately.title}</h2>
        <a href="/events">{words.lately.all}</a>
      </div>
      <ol class="lately">
        {items.map(({ number, time, backend, action, attributes, container, subject }) => {
          const name = (container ?? subject)?.name ?? "";
          const code = attributes["exitCode"];
          const text = [action, ...(code === undefined ? [] : [code])].join(" ");
          const isBad = action === "oom" || action === "die" && code !== "0";
          return (
            <li key={number}>
              <time dateTime={time}>{words.time(Date.parse(time))}</time>
              <a href={containerHref({ backend, name })}>{shown(name)}</a>
              {isBad ? <Mark verdict="broken">{shown(text)}</Mark> : <span class="quiet">{shown(text)}</span>}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
