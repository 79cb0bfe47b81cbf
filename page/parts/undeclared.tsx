/** Projects and containers that run and that no file declares. */
import { useState } from "preact/hooks";
import type { LooseContainers } from "../../client/berth/projects.ts";
import { type Aside, projectHref, type Row, setIgnored } from "../live/projects.ts";
import { may, mayEverywhere } from "../live/session.ts";
import { containerHref } from "./container_href.ts";
import { Dialog } from "./dialog.tsx";
import { Form } from "./form.tsx";
import { Ignored, IgnoredBefore } from "./ignored.tsx";
import { Menu } from "./menu.tsx";
import { Ports } from "./project_ports.tsx";
import { RegisterForm } from "./register.tsx";
import { shown } from "./shown.ts";
import { Sign } from "./sign.tsx";
import { words } from "../words/en_later.ts";

const TEXT = words.project;

/** With more rows than this, they are folded. */
const MOST_OPEN = 8;

export interface UndeclaredProps {
  readonly rows: readonly Row[];
  readonly loose: readonly LooseContainers[];
}

export function Undeclared({ rows, loose }: UndeclaredProps) {
  const [isOpen, setOpen] = useState<boolean | null>(null);
  const [folder, setFolder] = useState<string | null>(null);
  const [asked, setAsked] = useState<Aside | null>(null);
  const shownRows = rows.filter(({ ignored }) => !ignored);
  const left = loose.filter(({ total }) => total > 0);
  const aside = [
    ...rows.filter(({ ignored }) => ignored).map(({ id, name }): Aside => ({ id, name, kind: "project" })),
    ...loose.flatMap(({ engine, ignored }) => ignored.map((name) => containerOf(engine, name))),
  ];
  if (rows.length === 0 && left.length === 0 && aside.length === 0) return null;
  const amount = shownRows.length + left.length;
  const isShown = isOpen ?? amount <= MOST_OPEN;
  return (
    <section aria-labelledby="undeclared">
      <div class="section-head">
        <button
          type="button"
          class="unfold"
          aria-expanded={isShown}
          aria-label={isShown ? words.projects.fold(TEXT.undeclared) : words.projects.unfold(TEXT.undeclared)}
          onClick={() => setOpen(!isShown)}
        >
          {isShown ? "▾" : "▸"}
        </button>
        <h2 id="undeclared">{TEXT.undeclared}</h2>
        <span class="quiet">{TEXT.undeclaredOf(shownRows.length, totalOf(left))}</span>
      </div>
      {isShown && (
        <ul class="projects" aria-label={TEXT.undeclared}>
          {shownRows.map((row) => <One row={row} key={row.id} setFolder={setFolder} ask={setAsked} />)}
          {left.map((one) => <Loose key={one.engine} loose={one} ask={setAsked} />)}
        </ul>
      )}
      <Ignored aside={aside} />
      <IgnoredBefore />
      {folder !== null && (
        <Dialog title={words.overview.register} onClose={() => setFolder(null)}>
          <RegisterForm path={folder} done={() => setFolder(null)} cancel={() => setFolder(null)} />
        </Dialog>
      )}
      {asked !== null && <IgnoreQuestion asked={asked} close={() => setAsked(null)} />}
    </section>
  );
}

const totalOf = (loose: readonly LooseContainers[]): number =>
  loose.reduce((all, { total }) => all + total, 0);

const containerOf = (engine: string, name: string): Aside => ({
  id: `${name}@engine:${engine}`,
  name,
  kind: "container",
});

function IgnoreQuestion({ asked, close }: { readonly asked: Aside; readonly close: () => void }) {
  return (
    <Dialog title={words.undeclared.ignore} onClose={close}>
      <p class="lead">{words.undeclared.ignoreQuestion(shown(asked.name))}</p>
      <Form
        submit={words.undeclared.ignoreIt}
        aside={<button type="button" class="button" onClick={close}>{words.cancel}</button>}
        send={async () => {
          await setIgnored(asked, true);
          close();
        }}
      >
        {null}
      </Form>
    </Dialog>
  );
}

function One(
  { row, setFolder, ask }: {
    readonly row: Row;
    readonly setFolder: (path: string) => void;
    readonly ask: (one: Aside) => void;
  },
) {
  const { id, name, folder, running, ports, engines, swarm } = row;
  const isWritable = engines.length === 1 && swarm === null;
  return (
    <li class="project is-undeclared" aria-label={shown(name)}>
      <div class="project-line">
        <span class="project-name">
          <Sign verdict="undeclared" />
          <a href={projectHref(id)}>{shown(name)}</a>
        </span>
        <span class="project-why">
          {folder !== null
            ? shown(TEXT.from(folder))
            : swarm === null
            ? words.verdict("undeclared")
            : shown(words.swarm.stackOn(swarm))}
        </span>
        <span class="project-running">{words.number(running)}</span>
        <Ports ports={ports} />
        <span class="project-engines">{shown(engines.join(", "))}</span>
        <span class="project-act">
          {folder !== null && mayEverywhere("workspaces:write") && (
            <button
              type="button"
              class="button"
              onClick={() => setFolder(folder)}
            >
              {TEXT.addFolder}
              <span class="unseen">{shown(name)}</span>
            </button>
          )}
          {(isWritable || may("workspaces:write")) && (
            <Menu kind="row-menu" label={words.projects.ways(shown(name))} word="⋯">
              {isWritable && <WriteDown engine={engines[0]!} project={projectIn(id)} word={name} />}
              <Ignore
                name={name}
                ask={() =>
                  ask({ id, name, kind: "project" })}
              />
            </Menu>
          )}
        </span>
      </div>
    </li>
  );
}

/** The containers of one engine that belong to no project, in one line that unfolds. */
function Loose(
  { loose: { engine, containers, total }, ask }: {
    readonly loose: LooseContainers;
    readonly ask: (one: Aside) => void;
  },
) {
  const [isOpen, setOpen] = useState(false);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  // One that has gone is no longer chosen.
  const chosen = new Set(containers.filter((name) => picked.has(name)));
  const choose = (name: string) => {
    const next = new Set(chosen);
    if (!next.delete(name)) next.add(name);
    setPicked(next);
  };
  const title = TEXT.looseOn(total, engine);
  return (
    <li class="project is-undeclared" aria-label={title}>
      <div class="project-line">
        <button
          type="button"
          class="unfold"
          aria-expanded={isOpen}
          aria-label={isOpen ? words.projects.fold(title) : words.projects.unfold(title)}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "▾" : "▸"}
        </button>
        <span class="project-name">
          <Sign verdict="undeclared" />
          {TEXT.containers(total)}
        </span>
        <span class="project-why">{TEXT.inNoProject} · {shown(containers.slice(0, 10).join(", "))}</span>
        <span class="project-running" />
        <span class="project-ports" />
        <span class="project-engines">{shown(engine)}</span>
        <span class="project-act">
          {chosen.size > 0 && <WriteDown engine={engine} names={[...chosen]} />}
        </span>
      </div>
      {isOpen && (
        <ul class="project-units">
          {containers.map((name) => (
            <li class="project-loose" key={name}>
              <input
                type="checkbox"
                aria-label={words.writeDown.choose(shown(name))}
                checked={chosen.has(name)}
                onChange={() => choose(name)}
              />
              <a href={containerHref({ backend: engine, name })}>{shown(name)}</a>
              <Ignore name={name} ask={() => ask(containerOf(engine, name))} />
            </li>
          ))}
          {total > containers.length && (
            <li class="quiet">{words.containers.shown(containers.length, total)}</li>
          )}
        </ul>
      )}
    </li>
  );
}

/** The name that the engine's labels give a project: its id is `<project>@engine:<name>`. */
const projectIn = (id: string): string => id.slice(0, id.lastIndexOf("@"));

/** The way to the text of a project, or of chosen containers. */
function WriteDown(
  { engine, project, names = [], word }: {
    readonly engine: string;
    readonly project?: string;
    readonly names?: readonly string[];
    readonly word?: string;
  },
) {
  const asked = new URLSearchParams([
    ["engine", engine],
    ...project === undefined ? [] : [["project", project]],
    ...names.map((name) => ["name", name]),
  ]);
  return (
    <a class="link" href={`/write-down?${asked}`}>
      {word === undefined ? words.writeDown.these(names.length) : words.writeDown.link}
      {word !== undefined && <span class="unseen">{shown(word)}</span>}
    </a>
  );
}

function Ignore({ name, ask }: { readonly name: string; readonly ask: () => void }) {
  if (!may("workspaces:write")) return null;
  return (
    <button
      type="button"
      class="link"
      aria-label={words.actOn(words.undeclared.ignore, shown(name))}
      onClick={ask}
    >
      {words.undeclared.ignore}
    </button>
  );
}
