/** The remedies of a message of a plan: a button for each that the page can carry out. */
import { CONTAINER_UNPAUSE } from "../../../client/berth/containers.ts";
import type { Permission, Remedy } from "../../../client/berth/models.ts";
import { planHref, projectHref } from "../../live/projects.ts";
import { client } from "../../live/session.ts";
import { shown } from "../../parts/shown.ts";
import { go, withQuery } from "../../router.ts";
import { words } from "../../words/en_later.ts";
import type { Options } from "../../parts/plan/plan_address.ts";
import { changed } from "./plan_options.tsx";

const TEXT = words.applies;

export interface Choosing {
  /** The project's id. */
  readonly project: string;
  readonly options: Options;
  /** Null where several projects are planned: an option of one is chosen on its own plan. */
  readonly set: ((options: Options) => void) | null;
  readonly reload: () => void;
}

export function Remedies(
  { remedies, choosing }: { readonly remedies: readonly Remedy[]; readonly choosing: Choosing },
) {
  if (remedies.length === 0) return null;
  return (
    <span class="remedies">
      {remedies.map((one) => <One key={JSON.stringify(one)} remedy={one} {...choosing} />)}
    </span>
  );
}

function One({ remedy, project, options, set, reload }: Choosing & { readonly remedy: Remedy }) {
  if (remedy.kind === "edit") {
    const at = new URLSearchParams({ view: "files", file: remedy.file, line: String(remedy.line) });
    return (
      <a class="button" href={`${projectHref(project)}?${at}`}>
        {TEXT.remedy.edit(shown(remedy.file), remedy.line)}
      </a>
    );
  }
  if (remedy.kind === "set") {
    const at = new URLSearchParams({ view: "files", file: remedy.file, set: remedy.name });
    return (
      <a class="button" href={`${projectHref(project)}?${at}`}>
        {TEXT.remedy.set(shown(remedy.name), shown(remedy.file))}
      </a>
    );
  }
  if (remedy.kind === "register") return <a class="button" href="/folders">{words.overview.register}</a>;
  if (remedy.kind === "setting") return <code>{shown(`${remedy.name}=${remedy.value}`)}</code>;
  if (remedy.kind === "permission") {
    return <span class="quiet">{shown(words.lacks(remedy.permission as Permission))}</span>;
  }
  if (remedy.kind === "act") {
    const resume = async () => {
      const { container, engine } = remedy;
      await client.post(CONTAINER_UNPAUSE, { params: { id: container }, query: { backend: engine } });
      reload();
    };
    return (
      <button type="button" class="button" onClick={() => void resume().catch(reload)}>
        {TEXT.remedy.resume(shown(remedy.container))}
      </button>
    );
  }
  const { field, value } = remedy;
  if (set === null) {
    return <a class="button" href={planHref(project)}>{shown(wordOf(field, value))}</a>;
  }
  const choose = () =>
    field === "action"
      ? go(withQuery({ action: value === "up" ? null : value }), { replace: true })
      : set(changed(options, field, value));
  return <button type="button" class="button" onClick={choose}>{shown(wordOf(field, value))}</button>;
}

function wordOf(field: keyof typeof TEXT.remedy.plan, value: string | null): string {
  return TEXT.remedy.plan[field](value);
}
