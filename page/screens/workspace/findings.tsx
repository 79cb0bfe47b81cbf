/** What the rules find in the files of a workspace. */
import type { Diagnostic } from "../../../client/berth/models.ts";
import { WORKSPACE_ARTIFACTS_VALIDATE } from "../../../client/berth/workspaces.ts";
import { startOf } from "../../live/overview.ts";
import { useResource } from "../../live/resource.ts";
import { client } from "../../live/session.ts";
import { Place } from "../../parts/place.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty, Loading, Trouble } from "../../parts/states.tsx";
import { words } from "../../words/en.ts";

export function Findings({ id, revision }: { readonly id: string; readonly revision: string }) {
  const read = useResource(
    `findings ${id} ${revision}`,
    async (signal) => (await client.post(WORKSPACE_ARTIFACTS_VALIDATE, { params: { id }, signal })).json(),
    { live: false },
  );
  const report = read.value.value;
  const problem = read.problem.value;
  if (report === undefined) {
    return problem === null ? <Loading /> : <Trouble problem={problem} again={read.reload} />;
  }
  if (report.diagnostics.length === 0) return <Empty title={words.workspace.noFindings} />;
  return (
    <>
      <ul class="rows">
        {report.diagnostics.map((one) => (
          <Finding key={`${one.fingerprint} ${one.subject}`} diagnostic={one} id={id} />
        ))}
      </ul>
      {report.truncated.diagnostics > 0 && (
        <p class="hint">{words.workspace.truncated(report.truncated.diagnostics)}</p>
      )}
    </>
  );
}

function Finding(
  { id, diagnostic: { severity, message, code, location } }: {
    readonly id: string;
    readonly diagnostic: Diagnostic;
  },
) {
  return (
    <li class="row diagnostic">
      <span class={`severity is-${severity}`}>{words.workspace.severity[severity]}</span>
      <span class="diagnostic-message">{shown(message)}</span>
      <code class="quiet">{shown(code)}</code>
      {location !== null && <Place place={startOf(location)} workspace={id} />}
    </li>
  );
}
