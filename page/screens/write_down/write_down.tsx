/** Containers that run, written down as files to look at and to copy. */
import { useState } from "preact/hooks";
import { CONTAINERS } from "../../../client/berth/containers.ts";
import {
  type AdoptionDraft,
  WORKSPACE_ADOPTIONS_DRAFT,
  WORKSPACES,
} from "../../../client/berth/workspaces.ts";
import { proved } from "../../live/proof.ts";
import { useResource } from "../../live/resource.ts";
import { client, may } from "../../live/session.ts";
import { Reading } from "../../parts/reading.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty } from "../../parts/states.tsx";
import { query } from "../../router.ts";
import { words } from "../../words/en_later.ts";

type Project = AdoptionDraft["projects"][number];

const TEXT = words.writeDown;

/** Null without a folder; empty if the containers are gone. */
type Draft = readonly Project[] | null;

export function WriteDown() {
  const asked = query.value.toString();
  const [revealed, setRevealed] = useState<Draft>(null);
  const read = useResource(`write-down ${asked}`, (signal) => draft(asked, false, signal), { live: false });
  return (
    <Reading read={read} permission="artifacts:read">
      {(masked) => {
        const projects = revealed ?? masked;
        if (projects === null) return <Empty title={TEXT.noFolder} />;
        if (projects.length === 0) return <Empty title={TEXT.gone} />;
        const reveal = async () =>
          setRevealed(await proved(() => draft(asked, true, new AbortController().signal)));
        return (
          <>
            <header class="screen-head">
              <h1>{words.titles.writeDown}</h1>
              <span class="screen-end">
                {revealed === null && may("containers:reveal") && (
                  <button
                    type="button"
                    class="button"
                    onClick={() => void reveal().catch(() => {})}
                  >
                    {TEXT.reveal}
                  </button>
                )}
              </span>
            </header>
            <p class="lead">{TEXT.lead}</p>
            <p class="hint">{TEXT.later}</p>
            {projects.map((one) => (
              <Written key={`${one.backend} ${one.name}`} project={one} isMasked={revealed === null} />
            ))}
          </>
        );
      }}
    </Reading>
  );
}

/** Reads the containers that the address names: those of a project, or single ones. */
async function draft(asked: string, reveal: boolean, signal: AbortSignal): Promise<Draft> {
  const wanted = new URLSearchParams(asked);
  const project = wanted.get("project");
  const engine = wanted.get("engine") ?? "";
  const names = new Set(wanted.getAll("name"));
  const [{ items: folders }, { items }] = await Promise.all([
    client.get(WORKSPACES, { signal }).then((answer) => answer.json()),
    client.get(CONTAINERS, { query: { backend: engine }, signal }).then((answer) => answer.json()),
  ]);
  const [folder] = folders;
  if (folder === undefined) return null;
  const containers = items.filter(({ name, compose }) =>
    project === null ? names.has(name) : compose?.project === project
  );
  if (containers.length === 0) return [];
  const payload = { containers: containers.map(({ backend, id }) => ({ backend, id })) };
  const options = { params: { id: folder.id }, query: { reveal }, payload, signal };
  return (await client.post(WORKSPACE_ADOPTIONS_DRAFT, options)).json().projects;
}

function Written({ project, isMasked }: { readonly project: Project; readonly isMasked: boolean }) {
  const { name, backend, services, files, differences, refused, leftOut, blocked } = project;
  const hasSecrets = files.some(({ path }) => path === ".env");
  return (
    <section aria-label={shown(name)}>
      <div class="section-head">
        <h2>{shown(name)}</h2>
        <span class="quiet">{TEXT.services(services.length)} {shown(TEXT.on(backend))}</span>
      </div>
      {blocked.map((why) => <p class="trouble" role="status" key={why}>{shown(why)}</p>)}
      {differences.length + refused.length === 0 && <p class="hint">{TEXT.same}</p>}
      {isMasked && hasSecrets && <p class="hint">{TEXT.masked}</p>}
      <Reasons
        title={TEXT.refused}
        items={refused.map(({ container, why }) => TEXT.because(container, why))}
      />
      <Reasons
        title={TEXT.differences}
        items={differences.map((one) => TEXT.differs(one.container, one.field, one.declared, one.actual))}
      />
      {files.map(({ path, text }) => <FileOf key={path} path={path} text={text} />)}
      <Reasons
        title={TEXT.leftOut}
        items={leftOut.map(({ containers, field, why }) => TEXT.left(TEXT.names(containers), field, why))}
      />
    </section>
  );
}

function Reasons({ title, items }: { readonly title: string; readonly items: readonly string[] }) {
  if (items.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="written-reasons">{items.map((one) => <li key={one}>{shown(one)}</li>)}</ul>
    </>
  );
}

function FileOf({ path, text }: { readonly path: string; readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <>
      <div class="section-head">
        <h3>{path}</h3>
        <button
          type="button"
          class="link"
          aria-label={TEXT.copyFile(path)}
          onClick={() => void copy().catch(() => setCopied(false))}
        >
          {isCopied ? TEXT.copied : words.copy}
        </button>
      </div>
      <pre class="written-file" tabIndex={0} aria-label={path}>{shown(text)}</pre>
    </>
  );
}
