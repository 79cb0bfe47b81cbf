/** The log of one container. */
import { useMemo, useState } from "preact/hooks";
import { CONTAINER_LOGS } from "../../../client/berth/containers.ts";
import { stream } from "../../../client/stream.ts";
import { ContainerLog } from "../../live/container_log.ts";
import { type Problem, problemOf } from "../../live/problem.ts";
import { client, may } from "../../live/session.ts";
import { FromChoice, fromOf } from "../../parts/log/from.tsx";
import { LogView } from "../../parts/log/log_view.tsx";
import { save } from "../../parts/log/save.ts";
import { Empty, Trouble } from "../../parts/states.tsx";
import { query } from "../../router.ts";
import { words } from "../../words/en_later.ts";

/** The number of lines that come first. */
const TAIL = 1_000;

interface Target {
  readonly backend: string;
  readonly id: string;
  readonly name: string;
}

export function ContainerLogView({ backend, id, name }: Target) {
  const from = query.value.get("from");
  const at = query.value.get("at");
  const feed = useMemo(() => new ContainerLog(backend, id, fromOf(from, TAIL), at), [backend, id, from, at]);
  if (!may("containers:logs")) return <Empty title={words.log.noRight} />;
  return (
    <LogView feed={feed} name={name} key={`${backend}/${id} ${from} ${at}`}>
      <FromChoice tail={TAIL} />
      <Download backend={backend} id={id} name={name} />
    </LogView>
  );
}

/** The whole log as the engine has it, which may be more than the page holds. */
function Download({ backend, id, name }: Target) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const download = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const parts: string[] = [];
      const query = { format: "text", timestamps: true, backend } as const;
      for await (const text of stream(client, CONTAINER_LOGS, { as: "text", params: { id }, query })) {
        parts.push(text);
      }
      save(new Blob(parts, { type: "text/plain" }), `${name}-all.log`);
    } catch (error) {
      setProblem(problemOf(error));
    }
    setBusy(false);
  };
  return (
    <>
      <button type="button" class="button" disabled={isBusy} onClick={download}>
        {isBusy ? words.log.downloading : words.log.download}
      </button>
      {problem !== null && <Trouble problem={problem} />}
    </>
  );
}
