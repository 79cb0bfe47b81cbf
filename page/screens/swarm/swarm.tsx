/** The swarms that the engines are in: their managers, their nodes, and their services with their tasks. */
import { useEffect } from "preact/hooks";
import { CLUSTERS, type SwarmCluster } from "../../../client/berth/clusters.ts";
import { NODES, type SwarmNode } from "../../../client/berth/nodes.ts";
import { SERVICES, type SwarmService } from "../../../client/berth/services.ts";
import { useResource } from "../../live/resource.ts";
import { client } from "../../live/session.ts";
import { keyIfAllowed, Reading } from "../../parts/reading.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty } from "../../parts/states.tsx";
import { words } from "../../words/en_later.ts";
import { Nodes } from "./nodes.tsx";

const TEXT = words.swarm;

/** Tasks on nodes whose engine berth does not know change without an event. */
const AGAIN_MS = 5_000;

interface Read {
  readonly clusters: readonly SwarmCluster[];
  readonly nodes: readonly SwarmNode[];
  readonly services: readonly SwarmService[];
}

async function readSwarms(signal: AbortSignal): Promise<Read> {
  const [clusters, nodes, services] = await Promise.all([
    client.get(CLUSTERS, { signal }),
    client.get(NODES, { signal }),
    client.get(SERVICES, { signal }),
  ]);
  return { clusters: clusters.json().items, nodes: nodes.json().items, services: services.json().items };
}

export function Swarm() {
  const read = useResource(keyIfAllowed("services:read", "swarms"), readSwarms);
  useEffect(() => {
    const clock = setInterval(() => document.visibilityState === "visible" && read.reload(), AGAIN_MS);
    return () => clearInterval(clock);
  }, [read]);
  return (
    <Reading read={read} permission="services:read">
      {({ clusters, nodes, services }) =>
        clusters.length === 0 && services.length === 0
          ? (
            <Empty title={TEXT.none} whole>
              <p class="hint">{TEXT.noneHint}</p>
            </Empty>
          )
          : (
            <>
              <header class="screen-head">
                <h1>{words.titles.swarm}</h1>
                <span class="quiet" role="status">
                  {TEXT.nodesCount(nodes.length)}, {TEXT.servicesCount(services.length)}
                </span>
              </header>
              {clusters.map((cluster) => <Cluster cluster={cluster} key={cluster.id} />)}
              {nodes.length > 0 && <Nodes nodes={nodes} />}
              <p>
                <a href="/services">{TEXT.all}</a>
              </p>
            </>
          )}
    </Reading>
  );
}

function Cluster({ cluster }: { readonly cluster: SwarmCluster }) {
  const { name, state, reason, reachable, managers, spare, missing, staleSince } = cluster;
  return (
    <section aria-label={shown(name)}>
      <p class="lead">
        <strong>{shown(name)}</strong> {state === "up" && TEXT.quorum(reachable, managers, spare)}
      </p>
      {state !== "up" && (
        <p class="trouble" role="alert">
          {shown(reason ?? "")}. {staleSince !== null && TEXT.stale(words.time(Date.parse(staleSince)))}
        </p>
      )}
      {state === "up" && reason !== null && <p class="hint">{shown(reason)}.</p>}
      {state === "up" && missing.length > 0 && <p class="hint">{TEXT.missing(shown(missing.join(", ")))}</p>}
    </section>
  );
}
