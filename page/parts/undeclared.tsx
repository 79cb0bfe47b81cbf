/** Projects and containers that run and that no file declares. */
import { useState } from "preact/hooks";
import type { LooseContainers } from "../../client/berth/projects.ts";
import { ignore, ignored } from "../live/ignored.ts";
import { projectHref, type Row } from "../live/projects.ts";
import { may } from "../live/session.ts";
import { containerHref } from "./container_href.ts";
import { Dialog } from "./dialog.tsx";
import { Ports } from "./project_ports.tsx";
import { RegisterForm } from "./register.tsx";
import { shown } from "./shown.ts";
import { Sign } from "./sign.tsx";
import { words } from "../words/en_later.ts";

const TEXT = words.projects;

export interface UndeclaredProps {
  readonly rows: readonly Row[];
  readonly loose: readonly LooseContainers[];
  readonly reload: () => void;
}

export function Undeclared({ rows, loose, reload }: UndeclaredProps) {
  const [folder, setFolder] = useState<string | null>(null);
  const [asked, setAsked] = useState<{ readonly id: string; readonly name: string } | null>(null);
  const left = loose.map((one) => ({
    ...one,
    containers: one.containers.filter((name) => !ignored.value.has(`${one.engine}/${name}`)),
  })).filter(({ containers }) => containers.length > 0);
  if (rows.length === 0 && left.length === 0) return null;
  return (
    <section aria-labelledby="undeclared">
      <div class="section-head">
        <h2 id="undeclared">{words.project.undeclared}</h2>
        <span class="quiet">{words.project.inNoFile}</span>
      </div>
      <ul class="projects" aria-label={words.project.undeclared}>
        {rows.map((row) => (
          <li class="project is-undeclared" key={row.id} aria-label={shown(row.name)}>
            <div class="project-line">
              <span class="project-name">
                <Sign verdict="undeclared" />
                <a href={projectHref(row.id)}>{shown(row.name)}</a>
              </span>
              <span class="project-why">
                {row.folder === null ? words.verdict("undeclared") : shown(words.project.from(row.folder))}
              </span>
              <span class="project-running">{words.number(row.running)}</span>
              <Ports ports={row.ports} />
              <span class="project-engines">{shown(row.engines.join(", "))}</span>
              <span class="project-act">
                {row.folder !== null && may("workspaces:write") && (
                  <button
                    type="button"
                    class="button"
                    onClick={() => setFolder(row.folder)}
                  >
                    {words.project.addFolder}
                    <span class="unseen">{shown(row.name)}</span>
                  </button>
                )}
                <Ignore name={row.name} ask={() => setAsked(row)} />
              </span>
            </div>
          </li>
        ))}
        {left.map((one) => <Loose key={one.engine} loose={one} ask={setAsked} />)}
      </ul>
      {folder !== null && (
        <Dialog title={words.overview.register} onClose={() => setFolder(null)}>
          <RegisterForm
            path={folder}
            done={() => {
              setFolder(null);
              reload();
            }}
            cancel={() => setFolder(null)}
          />
        </Dialog>
      )}
      {asked !== null && (
        <Dialog title={words.undeclared.ignore} onClose={() => setAsked(null)}>
          <p class="lead">{words.undeclared.ignoreQuestion(shown(asked.name))}</p>
          <div class="form-end">
            <button
              type="button"
              class="button"
              onClick={() => {
                ignore(asked.id);
                setAsked(null);
              }}
            >
              {words.undeclared.ignoreIt}
            </button>
            <button type="button" class="button" onClick={() => setAsked(null)}>{words.cancel}</button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

/** The containers of one engine that belong to no project, in one line that unfolds. */
function Loose(
  { loose: { engine, containers, total }, ask }: {
    readonly loose: LooseContainers;
    readonly ask: (one: { readonly id: string; readonly name: string }) => void;
  },
) {
  const [isOpen, setOpen] = useState(false);
  const title = words.project.looseOn(containers.length, engine);
  return (
    <li class="project is-undeclared" aria-label={title}>
      <div class="project-line">
        <button
          type="button"
          class="unfold"
          aria-expanded={isOpen}
          aria-label={isOpen ? TEXT.fold(title) : TEXT.unfold(title)}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "▾" : "▸"}
        </button>
        <span class="project-name">
          <Sign verdict="undeclared" />
          {words.project.containers(containers.length)}
        </span>
        <span class="project-why">
          {words.project.inNoProject} · {shown(containers.slice(0, 10).join(", "))}
        </span>
        <span class="project-running" />
        <span class="project-ports" />
        <span class="project-engines">{shown(engine)}</span>
        <span class="project-act" />
      </div>
      {isOpen && (
        <ul class="project-units">
          {containers.map((name) => (
            <li class="project-loose" key={name}>
              <a href={containerHref({ backend: engine, name })}>{shown(name)}</a>
              <Ignore name={name} ask={() => ask({ id: `${engine}/${name}`, name })} />
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

function Ignore({ name, ask }: { readonly name: string; readonly ask: () => void }) {
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
