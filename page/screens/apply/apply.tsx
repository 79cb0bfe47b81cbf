/** One apply: each step as it is done, why it failed, and what a person can say to it. */
import { useEffect, useMemo, useState } from "preact/hooks";
import {
  APPLY_ABANDON,
  APPLY_CANCEL,
  APPLY_RESUME,
  type ApplyResume,
} from "../../../client/berth/applies.ts";
import type { Apply as ApplyModel, ApplyStep } from "../../../client/berth/models.ts";
import { ApplyFeed, type Pulled, type Said } from "../../live/apply_feed.ts";
import { proved } from "../../live/proof.ts";
import { planHref, projectHref } from "../../live/projects.ts";
import { type Problem, problemOf } from "../../live/problem.ts";
import { client } from "../../live/session.ts";
import { containerHref } from "../../parts/container_href.ts";
import { Act } from "../../parts/act.tsx";
import { shown } from "../../parts/shown.ts";
import { Trouble, Unread } from "../../parts/states.tsx";
import { words } from "../../words/en_later.ts";
import { Hook } from "./hook.tsx";
import { Reasons } from "./reasons.tsx";
import { ApplyMark, StepMark } from "../../parts/apply_mark.tsx";

const TEXT = words.applies;

export function Apply({ id }: { readonly id: string }) {
  const feed = useMemo(() => new ApplyFeed(id), [id]);
  const [again, setAgain] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    void feed.follow(ending.signal);
    return () => ending.abort();
  }, [feed, again]);
  const apply = feed.apply.value;
  const problem = feed.problem.value;
  const reload = () => setAgain(again + 1);
  if (apply === undefined) return <Unread problem={problem} again={reload} />;
  return (
    <>
      {problem !== null && <Trouble problem={problem} again={reload} />}
      <header class="screen-head">
        <h1>{TEXT.title(shown(apply.group))}</h1>
        <span role="status">
          <ApplyMark apply={apply} />
        </span>
        <a href={projectHref(`${apply.group}@${apply.workspace}`)}>{words.applies.toProject}</a>
        <span class="quiet">{words.moment(Date.parse(apply.createdAt))} {shown(TEXT.by(apply.by))}</span>
        <Words apply={apply} said={() => void feed.read().catch(() => {})} />
      </header>
      {apply.unstable.length > 0
        ? <NotUp backend={apply.backend} unstable={apply.unstable} />
        : apply.reason !== null && <p class="trouble" role="alert">{shown(apply.reason)}</p>}
      <ol class="steps">
        {apply.steps.map((step) => (
          <Step
            key={step.n}
            step={step}
            workspace={apply.workspace}
            said={feed.said.value.filter((one) => one.step === step.n)}
            pulled={feed.pulled.value.get(step.n)}
          />
        ))}
      </ol>
      <p>
        <a href={planHref(`${apply.group}@${apply.workspace}`)}>
          {TEXT.toPlan}
        </a>
        {apply.steps.some(isImageBack) && (
          <>
            {" "}
            <a href={`/updates?project=${encodeURIComponent(`${apply.group}@${apply.workspace}`)}`}>
              {TEXT.toImages}
            </a>
          </>
        )}
      </p>
    </>
  );
}

/** True for a container that went back from an image that the file says. */
const isImageBack = ({ kind, state, why }: ApplyStep): boolean =>
  kind === "container.swap" && state === "failed" &&
  why.some((reason) => reason.code === "field" && reason.field === "image");

function Step(
  { step: { n, kind, target, state, error, note, why, hook, within }, workspace, said, pulled }: {
    readonly step: ApplyStep;
    readonly workspace: string;
    readonly said: readonly Said[];
    readonly pulled: Pulled | undefined;
  },
) {
  return (
    <li class="step">
      <p class="step-head">
        <span class="step-number">{n}</span>
        <StepMark state={state} />
        <span>{TEXT.kinds[kind]}</span> <strong>{shown(target)}</strong>
        {note !== null && <span class="quiet">{shown(note)}</span>}
        {state === "running" && pulled !== undefined && <span class="quiet">{shown(pullText(pulled))}</span>}
      </p>
      {hook !== undefined && <Hook hook={hook} within={within} />}
      <Reasons why={why} workspace={workspace} isPast={state === "done"} />
      {error !== null && <p class="trouble">{shown(error.title)}</p>}
      {said.map(({ id, container, lines }) => (
        <figure class="last-words" key={id}>
          <figcaption>{shown(TEXT.log(container))}</figcaption>
          <pre tabIndex={0}>{lines.map(shown).join("\n")}</pre>
        </figure>
      ))}
    </li>
  );
}

/** Names the containers that were started and do not stay up, with the way to their logs. */
function NotUp(
  { backend, unstable }: { readonly backend: string; readonly unstable: ApplyModel["unstable"] },
) {
  const problems = [...Map.groupBy(unstable, ({ problem }) => problem)];
  return (
    <div class="trouble" role="alert">
      {problems.map(([problem, found]) => (
        <p key={problem}>
          {TEXT.unstable[problem](found.length)} {found.map(({ container }) => (
            <span key={container}>
              {problem === "gone"
                ? shown(container)
                : <a href={containerHref({ backend, name: container })}>{TEXT.logOf(shown(container))}</a>}
              {" "}
            </span>
          ))}
        </p>
      ))}
    </div>
  );
}

const pullText = ({ layer, status, current, total }: Pulled): string =>
  [
    layer ?? "",
    status,
    current !== null && total !== null ? `${words.bytes(current)} / ${words.bytes(total)}` : "",
  ].filter((part) => part !== "").join(" ");

/** The buttons that fit the apply's state. */
function Words(
  { apply: { id, state, steps }, said }: { readonly apply: ApplyModel; readonly said: () => void },
) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const say = async (asked: () => Promise<unknown>) => {
    try {
      await proved(asked);
      setProblem(null);
      said();
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  const permission = "projects:apply";
  const params = { id };
  const resume = (hooks?: ApplyResume["hooks"]) =>
    void say(() => client.post(APPLY_RESUME, { params, payload: hooks === undefined ? {} : { hooks } }));
  const isAsked = steps.some(({ state, hook }) => state === "unknown" && hook !== undefined);
  return (
    <span class="screen-end">
      {problem !== null && <Trouble problem={problem} />}
      {state === "running" && (
        <Act
          permission={permission}
          act={() => void say(() => client.post(APPLY_CANCEL, { params }))}
        >
          {TEXT.cancel}
        </Act>
      )}
      {state === "paused" && (
        <>
          {isAsked
            ? (
              <>
                <Act permission={permission} act={() => resume("again")}>{TEXT.hookAgain}</Act>
                <Act permission={permission} act={() => resume("done")}>{TEXT.hookDone}</Act>
              </>
            )
            : <Act permission={permission} kind="is-main" act={() => resume()}>{TEXT.resume}</Act>}
          <Act permission={permission} act={() => void say(() => client.post(APPLY_ABANDON, { params }))}>
            {TEXT.abandon}
          </Act>
        </>
      )}
    </span>
  );
}
