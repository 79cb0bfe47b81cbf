/** The types and the age to prune; the answer is a plan. */
import { useState } from "preact/hooks";
import { type PruneReport, type PruneRequest, SYSTEM_PRUNE } from "../../../client/berth/system.ts";
import { client, LONG_S, may } from "../../live/session.ts";
import { Form, Select } from "../../parts/form.tsx";
import { words } from "../../words/en_later.ts";

const TEXT = words.disk;

type Type = PruneReport["items"][number]["type"];
const TYPES: readonly Type[] = ["containers", "networks", "images", "buildCache", "volumes"];
/** They can all be had again; what is in a volume cannot. */
const FIRST: readonly Type[] = ["containers", "networks", "images", "buildCache"];

export function ChooseTypes({ done }: { readonly done: (report: PruneReport) => void }) {
  const [types, setTypes] = useState<ReadonlySet<Type>>(new Set(FIRST));
  const [isTagged, setTagged] = useState(false);
  const [isDeclared, setDeclared] = useState(false);
  const toggle = (type: Type) => {
    const next = new Set(types);
    if (!next.delete(type)) next.add(type);
    setTypes(next);
  };
  const send = async ({ until = "" }: Readonly<Record<string, string>>) => {
    const filters = {
      ...(until !== "" && { until }),
      ...(isTagged && { tagged: true }),
      ...(isDeclared && { declared: true }),
    };
    const payload: PruneRequest = { types: TYPES.filter((one) => types.has(one)), filters, dryRun: true };
    done((await client.post(SYSTEM_PRUNE, { payload, timeoutS: LONG_S })).json());
  };
  const isAllowed = may("system:prune");
  return (
    <section aria-labelledby="choose">
      <div class="section-head">
        <h2 id="choose">{TEXT.choose}</h2>
      </div>
      {!isAllowed
        ? <p class="hint">{words.lacks("system:prune")}</p>
        : (
          <Form submit={TEXT.read} send={send} isReady={types.size > 0}>
            <p class="hint">{TEXT.chooseHint}</p>
            <div class="choices">
              {TYPES.map((type) => (
                <label key={type}>
                  <input type="checkbox" checked={types.has(type)} onClick={() => toggle(type)} />
                  <span>
                    <strong>{TEXT.types[type]}</strong> <span class="quiet">{TEXT.what[type]}</span>
                  </span>
                </label>
              ))}
              {types.has("images") && (
                <label>
                  <input type="checkbox" checked={isTagged} onClick={() => setTagged(!isTagged)} />
                  <span>{TEXT.tagged}</span>
                </label>
              )}
              <label>
                <input type="checkbox" checked={isDeclared} onClick={() => setDeclared(!isDeclared)} />
                <span>{TEXT.declared}</span>
              </label>
            </div>
            <Select label={TEXT.older} name="until" options={Object.entries(TEXT.ages)} />
          </Form>
        )}
    </section>
  );
}
