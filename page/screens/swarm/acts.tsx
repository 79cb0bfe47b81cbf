/** Acts on services and nodes: each is shown with what it changes, before it is sent. */
import { useState } from "preact/hooks";
import {
  NODE_ACTIVATE,
  NODE_DRAIN,
  NODE_PAUSE,
  type NodeChange,
  type SwarmNode,
} from "../../../client/berth/nodes.ts";
import {
  SERVICE,
  SERVICE_RESTART,
  SERVICE_ROLLBACK,
  SERVICE_SCALE,
  type ServiceChange,
  type ServiceRemoval,
  type SwarmService,
} from "../../../client/berth/services.ts";
import { changed } from "../../live/changes.ts";
import { useResource } from "../../live/resource.ts";
import { client } from "../../live/session.ts";
import { Act } from "../../parts/act.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Form } from "../../parts/form.tsx";
import { Reading } from "../../parts/reading.tsx";
import { shown } from "../../parts/shown.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.swarm;

type ServiceAct = "scale" | "restart" | "rollback" | "remove";
export type NodeAct = "drain" | "pause" | "activate";

const NODE_ACTS = { drain: NODE_DRAIN, pause: NODE_PAUSE, activate: NODE_ACTIVATE } as const;

async function sendService(
  act: ServiceAct,
  id: string,
  replicas: number,
  dryRun: boolean,
): Promise<ServiceChange | ServiceRemoval> {
  const asked = { params: { id }, query: { dryRun } };
  switch (act) {
    case "scale":
      return (await client.post(SERVICE_SCALE, { ...asked, payload: { replicas } })).json();
    case "restart":
      return (await client.post(SERVICE_RESTART, asked)).json();
    case "rollback":
      return (await client.post(SERVICE_ROLLBACK, asked)).json();
    case "remove":
      return (await client.delete(SERVICE, asked)).json();
  }
}

/** The buttons of a service, and the dialog of the one that was pressed. */
export function ServiceActs({ service }: { readonly service: SwarmService }) {
  const [act, setAct] = useState<ServiceAct | null>(null);
  const button = (one: ServiceAct) => (
    <Act
      permission={one === "remove" ? "services:remove" : "services:control"}
      act={() => setAct(one)}
    >
      {TEXT.acts[one]}
    </Act>
  );
  return (
    <>
      {service.mode === "replicated" && button("scale")}
      {button("restart")}
      {button("rollback")}
      {button("remove")}
      {act !== null && <ServiceDialog service={service} act={act} close={() => setAct(null)} />}
    </>
  );
}

function ServiceDialog(
  { service: { id, name, desired }, act, close }: {
    readonly service: SwarmService;
    readonly act: ServiceAct;
    readonly close: () => void;
  },
) {
  /** Null while the field holds no number. */
  const [replicas, setReplicas] = useState<number | null>(desired ?? 1);
  const read = useResource(
    replicas === null ? null : `${act} ${id} ${replicas}`,
    () => sendService(act, id, replicas!, true), // without a number nothing is read
    { live: false },
  );
  const planned = read.value.value;
  return (
    <Dialog title={`${TEXT.acts[act]}: ${shown(name)}`} onClose={close}>
      <Form
        submit={TEXT.acts[act]}
        kind={act === "remove" ? "is-danger" : "is-main"}
        isReady={replicas !== null && planned !== undefined && read.problem.value === null &&
          !isSame(planned)}
        aside={<button type="button" class="button" onClick={close}>{words.cancel}</button>}
        send={async () => {
          await sendService(act, id, replicas!, false); // it is not ready without
          changed();
          close();
        }}
      >
        {act === "scale" && (
          <div class="field">
            <label for="replicas">{TEXT.replicas}</label>
            <input
              id="replicas"
              type="number"
              min={0}
              max={10_000}
              value={replicas ?? ""}
              onInput={({ currentTarget: { valueAsNumber } }) =>
                setReplicas(Number.isInteger(valueAsNumber) && valueAsNumber >= 0 ? valueAsNumber : null)}
            />
          </div>
        )}
        {replicas !== null && (
          <Reading read={read} isPart>{(one) => <ServicePreview planned={one} />}</Reading>
        )}
      </Form>
    </Dialog>
  );
}

const isSame = (planned: ServiceChange | ServiceRemoval): boolean =>
  "starts" in planned && planned.changes.length + planned.starts + planned.stops + planned.replaces === 0;

function ServicePreview({ planned }: { readonly planned: ServiceChange | ServiceRemoval }) {
  if (!("starts" in planned)) {
    return (
      <>
        <p class="lead">{TEXT.stopsTasks(planned.stops)}</p>
        <p class="hint">{TEXT.removeHint}</p>
      </>
    );
  }
  if (isSame(planned)) return <p class="lead">{TEXT.isSo}</p>;
  const { starts, stops, replaces, changes, waits } = planned;
  const counts = [
    starts > 0 && TEXT.startsTasks(starts),
    stops > 0 && TEXT.stopsTasks(stops),
    replaces > 0 && TEXT.replacesTasks(replaces),
  ].filter((one) => one !== false);
  return (
    <>
      <p class="lead">{counts.join(" ")}</p>
      {waits.map(({ task, reason }) => <p class="trouble" key={task}>{shown(TEXT.waitsFor(task, reason))}
      </p>)}
      {changes.length > 0 && (
        <ul class="rows" aria-label={TEXT.changes}>
          {changes.map(({ field, from, to }) => (
            <li class="row" key={field}>
              <span>
                <code>{shown(field)}</code>
                <span class="finding-detail">{shown(from ?? "–")} → {shown(to ?? "–")}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The buttons of a node: those that change its availability. */
export function NodeActs(
  { node, setAct }: { readonly node: SwarmNode; readonly setAct: (act: NodeAct) => void },
) {
  const others: readonly NodeAct[] = node.availability === "active" ? ["drain", "pause"] : ["activate"];
  return (
    <>
      {others.map((one) => (
        <Act permission="nodes:manage" act={() => setAct(one)} key={one}>{TEXT.acts[one]}</Act>
      ))}
    </>
  );
}

export function NodeDialog(
  { node: { id, name }, act, close }: {
    readonly node: SwarmNode;
    readonly act: NodeAct;
    readonly close: () => void;
  },
) {
  const send = async (dryRun: boolean) =>
    (await client.post(NODE_ACTS[act], { params: { id }, query: { dryRun } })).json();
  const read = useResource(`${act} ${id}`, () => send(true), { live: false });
  return (
    <Dialog title={`${TEXT.acts[act]}: ${shown(name)}`} onClose={close}>
      <Form
        submit={TEXT.acts[act]}
        isReady={read.value.value !== undefined}
        aside={<button type="button" class="button" onClick={close}>{words.cancel}</button>}
        send={async () => {
          await send(false);
          changed();
          close();
        }}
      >
        <p class="hint">{TEXT.nodeHints[act]}</p>
        <Reading read={read} isPart>{(one) => <NodePreview planned={one} />}</Reading>
      </Form>
    </Dialog>
  );
}

function NodePreview({ planned: { availability, tasks, others } }: { readonly planned: NodeChange }) {
  if (availability !== "drain") return null;
  if (tasks.length + others === 0) return <p class="lead">{TEXT.nothingMoves}</p>;
  return (
    <ul class="rows" aria-label={TEXT.leaving}>
      {tasks.map(({ task, outcome, reason }) => (
        <li class="row" key={task}>
          <span>
            <strong>{shown(task)}</strong> {TEXT.outcomes[outcome]}
            {reason !== null && <span class="finding-detail">{shown(reason)}</span>}
          </span>
        </li>
      ))}
      {others > 0 && <li class="row">{TEXT.moreTasks(others)}</li>}
    </ul>
  );
}
