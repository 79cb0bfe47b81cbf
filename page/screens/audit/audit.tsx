/**
 * The audit log: the caller, the act, the time and the result; refusals to unknown callers are counted beside
 * it.
 */
import { type AuditEntry, type AuditPage, SYSTEM_AUDIT } from "../../../client/berth/system.ts";
import { useResource } from "../../live/resource.ts";
import { client } from "../../live/session.ts";
import { sentenceOf } from "../../parts/audit_sentence.ts";
import { actionsOf, type AuditKind, KINDS } from "../../parts/audit_kinds.ts";
import { keyIfAllowed, Reading } from "../../parts/reading.tsx";
import { Choose, offered } from "../../parts/choose.tsx";
import { shown } from "../../parts/shown.ts";
import { Mark } from "../../parts/sign.tsx";
import { Empty } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { query, withQuery } from "../../router.ts";
import { words } from "../../words/en_later.ts";

const FILTERS = ["actor", "action", "result"] as const;
/** Another choice begins at its newest page. */
const NEWEST = { before: null };

const TEXT = words.audit;

export function Audit() {
  const asked = FILTERS.map((name) => [name, query.value.get(name)] as const).filter(([, value]) => value);
  const kind = query.value.get("kind");
  const cursor = query.value.get("before");
  const read = useResource(
    keyIfAllowed("audit:read", `audit ${query.value}`),
    async (signal) => {
      const wanted = {
        ...(kind ? { action: actionsOf(kind) } : {}),
        ...Object.fromEntries(asked),
        ...(cursor === null ? {} : { cursor }),
      };
      return (await client.get(SYSTEM_AUDIT, { query: wanted, signal })).json();
    },
  );
  return (
    <Reading read={read} permission="audit:read">
      {(page) => (
        <>
          <header class="screen-head">
            <h1>{words.titles.audit}</h1>
            <span class="quiet" role="status">{TEXT.count(page.total)}</span>
            <Filters items={page.items} />
          </header>
          {page.items.length === 0 ? <None isFiltered={asked.length > 0 || kind !== null} /> : (
            <Table
              label={words.titles.audit}
              items={page.items}
              keyOf={({ id }) => id}
              isTerse
              columns={COLUMNS}
            />
          )}
          <Pages next={page.next} isFirst={cursor === null} />
          <Strangers of={page.strangers ?? []} />
        </>
      )}
    </Reading>
  );
}

/** Offers all kinds of acts, what is on this page, and what is chosen. A single act is chosen in an entry. */
function Filters({ items }: { readonly items: readonly AuditEntry[] }) {
  const action = query.value.get("action");
  const actors = new Map(items.map(({ actor }) => [actor.id, actor.name]));
  return (
    <div class="filters" role="search">
      <Choose
        name="actor"
        label={TEXT.actor}
        all={TEXT.everybody}
        options={offered(actors.keys(), query.value.get("actor"))}
        word={(id) => actors.get(id) ?? id}
        also={NEWEST}
      />
      <Choose
        name="kind"
        label={TEXT.kind}
        all={TEXT.everything}
        options={KINDS}
        word={(kind) => TEXT.about[kind as AuditKind] ?? kind}
        also={{ ...NEWEST, action: null }}
      />
      {action && (
        <Choose
          name="action"
          label={TEXT.action}
          all={TEXT.everything}
          options={[action]}
          word={(action) => sentenceOf({ action, target: null, particulars: {} }) ?? action}
          also={NEWEST}
        />
      )}
      <Choose
        name="result"
        label={TEXT.result}
        all={TEXT.anyResult}
        options={offered(items.map(({ result }) => result), query.value.get("result"))}
        also={NEWEST}
      />
    </div>
  );
}

function None({ isFiltered }: { readonly isFiltered: boolean }) {
  if (!isFiltered) return <Empty title={TEXT.none} />;
  return (
    <Empty title={TEXT.noMatch}>
      <a class="button" href="/audit">{TEXT.showAll}</a>
    </Empty>
  );
}

function Pages({ next, isFirst }: { readonly next: string | undefined; readonly isFirst: boolean }) {
  if (next === undefined && isFirst) return null;
  return (
    <nav class="pages" aria-label={TEXT.pages}>
      {!isFirst && <a class="button" href={withQuery({ before: null })}>{TEXT.newest}</a>}
      {next !== undefined && <a class="button" href={withQuery({ before: next })}>{TEXT.older}</a>}
    </nav>
  );
}

function Result({ result }: Pick<AuditEntry, "result">) {
  if (result === "done") return <Mark verdict="completed">{result}</Mark>;
  if (result === "begun") return <Mark verdict="notStarted">{result}</Mark>;
  return <Mark verdict="broken">{shown(result)}</Mark>;
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    head: TEXT.time,
    kind: "short",
    cell: ({ time }) => <time dateTime={time}>{words.moment(Date.parse(time))}</time>,
  },
  {
    head: TEXT.actor,
    cell: ({ actor, credential }) => (
      <>
        <a href={withQuery({ actor: actor.id, before: null })} title={shown(credential ?? "")}>
          {shown(actor.name)}
        </a>{" "}
        <span class="quiet">{TEXT.kinds[actor.kind]}</span>
      </>
    ),
  },
  { head: TEXT.action, cell: (entry) => <Said entry={entry} /> },
  {
    head: TEXT.result,
    kind: "short",
    cell: ({ result, count }) => (
      <>
        <Result result={result} />
        {count > 1 && <span class="quiet">{TEXT.times(count)}</span>}
      </>
    ),
  },
  { head: TEXT.peer, kind: "short", cell: ({ peer }) => <span class="quiet">{shown(peer ?? "")}</span> },
];

/** The act as a sentence, which unfolds to what was asked of berth. */
function Said({ entry }: { readonly entry: AuditEntry }) {
  const { action, target, particulars, result, requestId } = entry;
  const sentence = sentenceOf(entry);
  const isDone = result === "done" || result === "begun";
  return (
    <details class="audit-said">
      <summary>
        {sentence === null ? <code>{shown(action)}</code> : shown(isDone ? sentence : TEXT.refused(sentence))}
      </summary>
      <a href={withQuery({ action, before: null })}>
        <code>{shown(action)}</code>
      </a>
      {target !== null && <code>{shown(target)}</code>}
      {Object.entries(particulars).map(([name, value]) => (
        <span class="hint" key={name}>{shown(`${name}: ${value}`)}</span>
      ))}
      {requestId !== null && <span class="hint">{shown(words.problem.request(requestId))}</span>}
    </details>
  );
}

type Stranger = NonNullable<AuditPage["strangers"]>[number];

function Strangers({ of }: { readonly of: readonly Stranger[] }) {
  if (of.length === 0) return null;
  return (
    <section aria-labelledby="strangers">
      <div class="section-head">
        <h2 id="strangers">{TEXT.strangers}</h2>
      </div>
      <p class="hint">{TEXT.strangersHint}</p>
      <Table
        label={TEXT.strangers}
        items={of}
        keyOf={({ peer, action, result }) => `${peer} ${action} ${result}`}
        columns={[
          { head: TEXT.peer, kind: "name", cell: ({ peer }) => shown(peer === "*" ? TEXT.others : peer) },
          {
            head: TEXT.action,
            cell: ({ action }) => <code>{shown(action === "*" ? TEXT.others : action)}</code>,
          },
          { head: TEXT.result, cell: ({ result }) => shown(result) },
          { head: TEXT.how, kind: "end", cell: ({ count }) => TEXT.times(count) },
        ]}
      />
    </section>
  );
}
