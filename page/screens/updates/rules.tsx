/** The projects that berth updates by itself, and the switch for each. */
import { useState } from "preact/hooks";
import { PROJECT_UPDATES } from "../../../client/berth/projects.ts";
import type { ProjectUpdates } from "../../../client/berth/updates.ts";
import { nameIn, projectHref } from "../../live/projects.ts";
import { proved } from "../../live/proof.ts";
import { client, may } from "../../live/session.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Form, Select } from "../../parts/form.tsx";
import { shown } from "../../parts/shown.ts";
import { Mark } from "../../parts/sign.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { words } from "../../words/en_later.ts";

const TEXT = words.updates;

interface Row {
  readonly project: string;
  readonly rule: ProjectUpdates | null;
}

/** `projects` are those with an image of a registry. */
export function Rules(
  { projects, rules }: { readonly projects: readonly string[]; readonly rules: readonly ProjectUpdates[] },
) {
  const [changed, setChanged] = useState<Row | null>(null);
  const rows = projects.map((project) => ({
    project,
    rule: rules.find((one) => one.project === project) ?? null,
  }));
  return (
    <section class="update-rules" aria-labelledby="update-rules">
      <h2 id="update-rules">{TEXT.rules}</h2>
      <p class="hint">{TEXT.rulesHint}</p>
      <Table label={TEXT.rules} items={rows} keyOf={({ project }) => project} columns={columns(setChanged)} />
      {changed !== null && <Change row={changed} close={() => setChanged(null)} />}
    </section>
  );
}

const columns = (change: (row: Row) => void): readonly Column<Row>[] => [
  {
    head: TEXT.project,
    cell: ({ project }) => <a href={projectHref(project)}>{shown(nameIn(project))}</a>,
  },
  { head: TEXT.rule, cell: ({ rule }) => <How rule={rule} /> },
  {
    head: words.actions,
    kind: "acts",
    cell: (row) =>
      may("projects:apply") && (
        <button
          type="button"
          class="link"
          aria-label={words.actOn(TEXT.byItself, shown(nameIn(row.project)))}
          onClick={() => change(row)}
        >
          {TEXT.byItself}
        </button>
      ),
  },
];

function How({ rule }: { readonly rule: ProjectUpdates | null }) {
  if (rule === null) return <span class="quiet">{TEXT.byHand}</span>;
  const { automatic, window, coolDownDays, by, waits } = rule;
  const times = window === null ? null : TEXT.window(window.from, window.to, shown(window.timeZone));
  return (
    <>
      {automatic ? TEXT.automatic(shown(by), times) : <span class="quiet">{TEXT.byHand}</span>}{" "}
      {coolDownDays !== null && <span class="quiet">{TEXT.ownCoolDown(TEXT.days(coolDownDays))}</span>}{" "}
      {waits !== null && (
        <>
          <Mark verdict="broken">{TEXT.waits}</Mark> <span class="hint">{shown(waits)}</span>
        </>
      )}
    </>
  );
}

function Change({ row: { project, rule }, close }: { readonly row: Row; readonly close: () => void }) {
  const send = async ({ how, from = "", to = "", days = "" }: Readonly<Record<string, string>>) => {
    const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const isOpen = from.trim() === "" && to.trim() === "";
    const payload = {
      automatic: how === "on",
      window: isOpen ? null : { from: from.trim(), to: to.trim(), timeZone },
      coolDownDays: days.trim() === "" ? null : Number(days),
    };
    await proved(() => client.put(PROJECT_UPDATES, { params: { id: project }, payload }));
    close();
  };
  const hows: [string, string][] = [["off", TEXT.hows.off], ["on", TEXT.hows.on]];
  return (
    <Dialog title={TEXT.rulesOf(shown(nameIn(project)))} onClose={close}>
      <Form
        submit={TEXT.save}
        aside={<button type="button" class="button" onClick={close}>{words.cancel}</button>}
        send={send}
      >
        <Select label={TEXT.how} name="how" options={rule?.automatic === true ? hows.toReversed() : hows} />
        <Field label={TEXT.from} name="from" hint={TEXT.fromHint} value={rule?.window?.from ?? ""} optional />
        <Field label={TEXT.to} name="to" value={rule?.window?.to ?? ""} optional />
        <Field
          label={TEXT.ownDays}
          name="days"
          hint={TEXT.daysHint}
          value={rule?.coolDownDays === undefined || rule.coolDownDays === null ? "" : `${rule.coolDownDays}`}
          optional
        />
      </Form>
    </Dialog>
  );
}
