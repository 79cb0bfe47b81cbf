/** Notices: the targets that are told of incidents, tried, removed, and the messages that they did not take. */
import { useMemo, useState } from "preact/hooks";
import {
  NOTICE,
  type Notice,
  NOTICE_TEST,
  NOTICES,
  NOTICES_MESSAGE,
  NOTICES_MESSAGE_RETRY,
  NOTICES_MESSAGES,
  type NoticeTest,
  type StuckNotice,
} from "../../../client/berth/notices.ts";
import { Acting } from "../../live/acting.ts";
import { useResource } from "../../live/resource.ts";
import { client } from "../../live/session.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { keyIfAllowed, Reading } from "../../parts/reading.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty, Trouble } from "../../parts/states.tsx";
import { Mark } from "../../parts/sign.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { words } from "../../words/en_later.ts";
import { NewNotice } from "./new_notice.tsx";

const TEXT = words.notices;

type Asked = { readonly kind: "add" } | { readonly kind: "delete"; readonly notice: Notice };
type Tests = ReadonlyMap<string, NoticeTest | null>;

async function readAll(signal: AbortSignal) {
  const [{ items }, { items: stuck }] = await Promise.all([
    client.get(NOTICES, { signal }).then((answer) => answer.json()),
    client.get(NOTICES_MESSAGES, { signal }).then((answer) => answer.json()),
  ]);
  return { items, stuck };
}

export function Notices() {
  const read = useResource(keyIfAllowed("notices:manage", "notices"), readAll);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [tests, setTests] = useState<Tests>(new Map());
  const close = () => setAsked(null);
  const test = async ({ id }: Notice) => {
    const note = (one: NoticeTest | null) => setTests((known) => new Map(known).set(id, one));
    note(null);
    try {
      note((await client.post(NOTICE_TEST, { params: { id } })).json());
    } catch {
      note({ taken: false, status: null, problem: TEXT.untested, ms: 0 });
    }
  };
  return (
    <Reading read={read} permission="notices:manage">
      {({ items, stuck }) => (
        <>
          <header class="screen-head">
            <h1>{words.titles.notices}</h1>
            <span class="quiet" role="status">{TEXT.count(items.length)}</span>
            <span class="screen-end">
              <button type="button" class="button is-main" onClick={() => setAsked({ kind: "add" })}>
                {TEXT.add}
              </button>
            </span>
          </header>
          {items.length === 0
            ? (
              <Empty title={TEXT.none}>
                <p class="hint">{TEXT.noneHint}</p>
              </Empty>
            )
            : (
              <Table
                label={words.titles.notices}
                items={items}
                keyOf={({ id }) => id}
                columns={columns(tests, (notice) => void test(notice), setAsked)}
              />
            )}
          {stuck.length > 0 && <Stuck items={stuck} notices={items} reload={read.reload} />}
          {asked?.kind === "add" && <NewNotice close={close} made={read.reload} />}
          {asked?.kind === "delete" && (
            <Confirm
              title={TEXT.delete}
              question={TEXT.deleteQuestion(shown(asked.notice.name))}
              hints={[TEXT.deleteHint]}
              close={close}
              act={async () => {
                await client.delete(NOTICE, { params: { id: asked.notice.id } });
                read.reload();
              }}
            />
          )}
        </>
      )}
    </Reading>
  );
}

function Tested({ of }: { readonly of: NoticeTest | null | undefined }) {
  if (of === undefined) return null;
  if (of === null) return <span role="status">{words.loading}</span>;
  const { taken, status, problem, ms } = of;
  // Of a mail that others got, the recipients that were refused.
  const but = problem === null ? "" : `: ${shown(problem)}`;
  return (
    <span role="status">
      <Mark verdict={!taken ? "broken" : problem === null ? "asWritten" : "differs"}>
        {taken ? TEXT.taken(String(status), ms) + but : shown(problem ?? TEXT.untested)}
      </Mark>
    </span>
  );
}

function columns(
  tests: Tests,
  test: (notice: Notice) => void,
  ask: (asked: Asked) => void,
): readonly Column<Notice>[] {
  return [
    { head: TEXT.name, kind: "name", cell: ({ name }) => <strong>{shown(name)}</strong> },
    {
      head: TEXT.target,
      cell: ({ kind, host }) => (
        <>
          {TEXT.kinds[kind]} <span class="quiet">{shown(host)}</span>
        </>
      ),
    },
    {
      head: TEXT.tells,
      cell: ({ tells, on, afterS, quiet }) => (
        <>
          {tells.map((kind) => words.incidents.kinds[kind]).join(", ")}
          <span class="hint">
            {shown([
              ...(on.length === 0 ? [] : [on.join(", ")]),
              TEXT.after(afterS),
              ...(quiet === null ? [] : [TEXT.quietFrom(quiet.from, quiet.to, quiet.zone)]),
            ].join(" · "))}
          </span>
        </>
      ),
    },
    {
      head: words.actions,
      kind: "acts",
      cell: (notice) => (
        <>
          <Tested of={tests.get(notice.id)} />{" "}
          <button
            type="button"
            class="link"
            aria-label={words.actOn(TEXT.test, shown(notice.name))}
            disabled={tests.get(notice.id) === null}
            onClick={() => test(notice)}
          >
            {TEXT.test}
          </button>{" "}
          <button
            type="button"
            class="link is-danger"
            aria-label={words.actOn(TEXT.delete, shown(notice.name))}
            onClick={() => ask({ kind: "delete", notice })}
          >
            {TEXT.delete}
          </button>
        </>
      ),
    },
  ];
}

function Stuck({ items, notices, reload }: {
  readonly items: readonly StuckNotice[];
  readonly notices: readonly Notice[];
  readonly reload: () => void;
}) {
  const nameOf = (id: string) => notices.find((one) => one.id === id)?.name ?? id;
  const acting = useMemo(() => new Acting(), []);
  const problem = acting.problem.value;
  // One that is gone was taken meanwhile.
  const act = (work: () => Promise<unknown>) => acting.act(work, { gone: true }).then(reload);
  return (
    <section aria-labelledby="stuck">
      <div class="section-head">
        <h2 id="stuck">{TEXT.stuck}</h2>
      </div>
      {problem !== null && <Trouble problem={problem} />}
      <Table
        label={TEXT.stuck}
        items={items}
        keyOf={({ id }) => id}
        columns={[
          { head: TEXT.name, kind: "name", cell: ({ notice }) => shown(nameOf(notice)) },
          {
            head: TEXT.state,
            cell: ({ state, attempts, problem }) => (
              <>
                <Mark verdict={state === "dead" ? "broken" : "unknown"}>
                  {state === "dead" ? TEXT.dead : TEXT.waiting}
                </Mark>{" "}
                {TEXT.attempts(attempts)} <span class="hint">{shown(problem ?? "")}</span>
              </>
            ),
          },
          { head: TEXT.incidents, kind: "end", cell: ({ incidents }) => words.number(incidents.length) },
          {
            head: words.actions,
            kind: "acts",
            cell: ({ id }) => (
              <>
                <button
                  type="button"
                  class="link"
                  onClick={() => void act(() => client.post(NOTICES_MESSAGE_RETRY, { params: { id } }))}
                >
                  {TEXT.retry}
                </button>{" "}
                <button
                  type="button"
                  class="link is-danger"
                  onClick={() => void act(() => client.delete(NOTICES_MESSAGE, { params: { id } }))}
                >
                  {TEXT.drop}
                </button>
              </>
            ),
          },
        ]}
      />
    </section>
  );
}
