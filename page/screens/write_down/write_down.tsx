/** Containers that run, written down as files to look at, to copy, and to save as projects. */
import { useMemo, useState } from "preact/hooks";
import { CONTAINERS } from "../../../client/berth/containers.ts";
import {
  type AdoptionDraft,
  type Workspace,
  WORKSPACE_ADOPTIONS_DRAFT,
  WORKSPACES,
} from "../../../client/berth/workspaces.ts";
import { Acting } from "../../live/acting.ts";
import { useResource } from "../../live/resource.ts";
import { client, may } from "../../live/session.ts";
import { Select } from "../../parts/form.tsx";
import { Reading } from "../../parts/reading.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty, Trouble } from "../../parts/states.tsx";
import { query } from "../../router.ts";
import { words } from "../../words/en_later.ts";
import { Save } from "./save.tsx";

type Project = AdoptionDraft["projects"][number];

const TEXT = words.writeDown;

/** A draft in one folder; null if the containers are gone. */
interface Read {
  readonly folders: readonly Workspace[];
  readonly workspace: Workspace;
  readonly draft: AdoptionDraft | null;
}

export function WriteDown() {
  const asked = query.value.toString();
  const [chosen, setChosen] = useState<string | null>(null);
  // With the key of what it was read for: other containers never get these texts.
  const [revealed, setRevealed] = useState<Read & { readonly key: string } | null>(null);
  const key = `write-down ${asked} ${chosen ?? ""}`;
  const read = useResource(
    key,
    (signal) => readDraft(asked, { chosen, reveal: false, signal }),
    { live: false },
  );
  return (
    <Reading read={read} permission="artifacts:read">
      {(masked) => {
        if (masked === null) return <Empty title={TEXT.noFolder} />;
        const isShown = revealed !== null && revealed.key === key &&
          revealed.workspace.id === masked.workspace.id;
        const { draft } = isShown ? revealed : masked;
        if (draft === null) return <Empty title={TEXT.gone} />;
        const reveal = async () => {
          const signal = new AbortController().signal;
          const read = await readDraft(asked, { chosen, reveal: true, signal });
          setRevealed(read && { ...read, key });
        };
        return (
          <>
            <Head isRevealed={isShown} reveal={reveal} />
            <p class="lead">{TEXT.lead}</p>
            {masked.folders.length > 1 && (
              <Select
                label={TEXT.into}
                name="workspace"
                value={masked.workspace.id}
                options={masked.folders.map(({ id, name }) => [id, shown(name)] as const)}
                onChange={setChosen}
              />
            )}
            {draft.projects.map((one) => (
              <Written key={`${one.backend} ${one.name}`} project={one} isMasked={!isShown} />
            ))}
            <Save
              key={key}
              draft={draft}
              workspace={masked.workspace}
              again={() => {
                setRevealed(null);
                read.reload();
              }}
            />
          </>
        );
      }}
    </Reading>
  );
}

function Head(
  { isRevealed, reveal }: { readonly isRevealed: boolean; readonly reveal: () => Promise<void> },
) {
  const acting = useMemo(() => new Acting(), []);
  const problem = acting.problem.value;
  return (
    <header class="screen-head">
      <h1>{words.titles.writeDown}</h1>
      <span class="screen-end">
        {problem !== null && <Trouble problem={problem} />}
        {!isRevealed && may("containers:reveal") && (
          <button
            type="button"
            class="button"
            disabled={acting.isBusy.value}
            onClick={() => void acting.act(reveal)}
          >
            {TEXT.reveal}
          </button>
        )}
      </span>
    </header>
  );
}

/** The label of a run of one command, which is no service of its project. */
const ONE_OFF = "com.docker.compose.oneoff";

/** Reads the containers that the address names: those of a project, or single ones. Null without a folder. */
async function readDraft(
  asked: string,
  { chosen, reveal, signal }: {
    readonly chosen: string | null;
    readonly reveal: boolean;
    readonly signal: AbortSignal;
  },
): Promise<Read | null> {
  const wanted = new URLSearchParams(asked);
  const project = wanted.get("project");
  const engine = wanted.get("engine") ?? "";
  const names = new Set(wanted.getAll("name"));
  const [{ items: folders }, { items }] = await Promise.all([
    client.get(WORKSPACES, { signal }).then((answer) => answer.json()),
    client.get(CONTAINERS, { query: { backend: engine }, signal }).then((answer) => answer.json()),
  ]);
  const workspace = folders.find(({ id }) => id === chosen) ??
    folders.find(({ editable }) => editable) ?? folders[0];
  if (workspace === undefined) return null;
  const containers = items.filter(({ name, compose, labels }) =>
    project === null
      ? names.has(name)
      : compose?.project === project && labels[ONE_OFF]?.toLowerCase() !== "true"
  );
  if (containers.length === 0) return { folders, workspace, draft: null };
  const payload = { containers: containers.map(({ backend, id }) => ({ backend, id })) };
  const options = { params: { id: workspace.id }, query: { reveal }, payload, signal };
  return { folders, workspace, draft: (await client.post(WORKSPACE_ADOPTIONS_DRAFT, options)).json() };
}

function Written({ project, isMasked }: { readonly project: Project; readonly isMasked: boolean }) {
  const { name, backend, services, files, differences, refused, leftOut, blocked } = project;
  const idle = services.filter(({ isRunning }) => !isRunning).length;
  const hasSecrets = files.some(({ path }) => path === ".env");
  return (
    <section aria-label={shown(name)}>
      <div class="section-head">
        <h2>{shown(name)}</h2>
        <span class="quiet">{TEXT.services(services.length)} {shown(TEXT.on(backend))}</span>
      </div>
      {blocked.map((why) => <p class="trouble" role="status" key={why}>{shown(why)}</p>)}
      {idle > 0 && <p class="hint">{TEXT.idle(idle)}</p>}
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
