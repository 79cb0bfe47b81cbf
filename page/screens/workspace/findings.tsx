/** The findings of a workspace by rule or by file, filtered by the address. */
import type { Diagnostic } from "../../../client/berth/models.ts";
import {
  type Report as ReportModel,
  WORKSPACE_ARTIFACTS_VALIDATE,
} from "../../../client/berth/workspaces.ts";
import { startOf } from "../../live/overview.ts";
import { useResource } from "../../live/resource.ts";
import { client } from "../../live/session.ts";
import { Choose, offered } from "../../parts/choose.tsx";
import { byFile, byRule, type Group, SEVERITIES } from "../../parts/findings_groups.ts";
import { Place } from "../../parts/place.tsx";
import { Reading } from "../../parts/reading.tsx";
import { shown } from "../../parts/shown.ts";
import { Empty } from "../../parts/states.tsx";
import { query, withQuery } from "../../router.ts";
import { words } from "../../words/en_later.ts";

const TEXT = words.findings;

export function Findings({ id, revision }: { readonly id: string; readonly revision: string }) {
  const read = useResource(
    `findings ${id}`,
    async (signal) => (await client.post(WORKSPACE_ARTIFACTS_VALIDATE, { params: { id }, signal })).json(),
    { live: false, revision },
  );
  return <Reading read={read} isPart>{(report) => <Report id={id} report={report} />}</Reading>;
}

function Report({ id, report }: { readonly id: string; readonly report: ReportModel }) {
  const { diagnostics, truncated } = report;
  if (diagnostics.length === 0) return <Empty title={TEXT.none} />;
  const severity = query.value.get("severity") || null;
  const rule = query.value.get("rule") || null;
  const isSevere = (one: Diagnostic) => severity === null || one.severity === severity;
  const isOfRule = (one: Diagnostic) => rule === null || one.code === rule;
  const fitting = diagnostics.filter((one) => isSevere(one) && isOfRule(one));
  const severities = new Set(diagnostics.filter(isOfRule).map((one) => one.severity));
  const isByFile = query.value.get("by") === "file";
  return (
    <>
      <div class="findings-head">
        <span class="quiet" role="status">{TEXT.count(fitting.length, diagnostics.length)}</span>
        <div class="filters" role="search">
          <Choose
            name="severity"
            label={TEXT.severity}
            all={TEXT.anySeverity}
            options={SEVERITIES.filter((one) => one === severity || severities.has(one))}
            word={(name) => TEXT.severities[name] ?? name}
          />
          <Choose
            name="rule"
            label={TEXT.rule}
            all={TEXT.anyRule}
            options={offered(diagnostics.filter(isSevere).map(({ code }) => code), rule)}
          />
          <Choose
            name="by"
            label={TEXT.order}
            all={TEXT.byRule}
            options={["file"]}
            word={() => TEXT.byFile}
          />
        </div>
      </div>
      {fitting.length === 0 && (
        <Empty title={TEXT.noMatch}>
          <a class="button" href={withQuery({ severity: null, rule: null })}>{words.lists.showAll}</a>
        </Empty>
      )}
      {(isByFile ? byFile : byRule)(fitting).map((group) => (
        <FindingsOf key={group.name} group={group} id={id} isFile={isByFile} />
      ))}
      {truncated.diagnostics > 0 && <p class="hint">{TEXT.truncated(truncated.diagnostics)}</p>}
    </>
  );
}

function FindingsOf(
  { group: { name, findings }, id, isFile }: {
    readonly group: Group;
    readonly id: string;
    readonly isFile: boolean;
  },
) {
  return (
    <section>
      <h2 class="findings-name">
        {name === null
          ? TEXT.whole
          : isFile
          ? (
            <a href={`/w/${encodeURIComponent(id)}?${new URLSearchParams({ view: "files", file: name })}`}>
              {shown(name)}
            </a>
          )
          : <OfRule code={name} />} <span class="count">{words.number(findings.length)}</span>
      </h2>
      <ul class="rows" aria-label={shown(name ?? TEXT.whole)}>
        {findings.map((one) => (
          <Finding key={`${one.fingerprint} ${one.subject}`} diagnostic={one} id={id} isFile={isFile} />
        ))}
      </ul>
    </section>
  );
}

/** Leads to the findings of that rule alone. */
function OfRule({ code }: { readonly code: string }) {
  return <a href={withQuery({ rule: code })}>{shown(code)}</a>;
}

function Finding(
  { id, diagnostic: { severity, message, code, location }, isFile }: {
    readonly id: string;
    readonly diagnostic: Diagnostic;
    readonly isFile: boolean;
  },
) {
  return (
    <li class="row diagnostic">
      <span class={`severity is-${severity}`}>{TEXT.severities[severity]}</span>
      <span class="diagnostic-message">{shown(message)}</span>
      {isFile && (
        <code class="quiet">
          <OfRule code={code} />
        </code>
      )}
      {location !== null && <Place place={startOf(location)} workspace={id} />}
    </li>
  );
}
