/** The folders that hold Compose files and are not registered yet, found by the labels of what runs, and any other one. */
import { useState } from "preact/hooks";
import { PLACES, type Places as Found } from "../../client/berth/places.ts";
import { WORKSPACES } from "../../client/berth/workspaces.ts";
import { type Problem, problemOf } from "../live/problem.ts";
import { useResource } from "../live/resource.ts";
import { client, mayEverywhere } from "../live/session.ts";
import { Copied } from "./copied.tsx";
import { RegisterForm } from "./register.tsx";
import { shown } from "./shown.ts";
import { Sign } from "./sign.tsx";
import { Trouble } from "./states.tsx";
import { words } from "../words/en_later.ts";

const TEXT = words.places;

type Place = Found["places"][number];

export function Places({ done = () => {} }: { readonly done?: () => void }) {
  const mayWrite = mayEverywhere("workspaces:write");
  const read = useResource(
    mayWrite ? "places" : null,
    (signal) => client.get(PLACES, { signal }).then((answer) => answer.json()),
  );
  const found = read.value.value;
  const problem = read.problem.value;
  if (!mayWrite) return <p class="hint">{words.lacks("workspaces:write")}</p>;
  return (
    <>
      {problem !== null && <Trouble problem={problem} again={read.reload} />}
      {found !== undefined && found.containers > 0 && <p class="hint">{TEXT.by(found.containers)}</p>}
      {found !== undefined && found.places.length > 0 && (
        <ul class="rows" aria-label={TEXT.found}>
          {found.places.map((place) => (
            <One
              key={place.path}
              place={place}
              roots={found.roots}
              isFirst={place === found.places.find(({ allowed }) => allowed)}
              done={done}
              reload={read.reload}
            />
          ))}
        </ul>
      )}
      <h2>{TEXT.another}</h2>
      <RegisterForm done={done} {...(found === undefined ? {} : { roots: found.roots })} />
    </>
  );
}

function One(
  { place, roots, isFirst, done, reload }: {
    readonly place: Place;
    readonly roots: readonly string[];
    /** True of the one that is most likely meant. */
    readonly isFirst: boolean;
    readonly done: () => void;
    readonly reload: () => void;
  },
) {
  const { path, projects, total, allowed, setting } = place;
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isAdding, setAdding] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const add = async () => {
    setAdding(true);
    try {
      await client.post(WORKSPACES, { payload: { path } });
      done();
      reload();
    } catch (error) {
      setProblem(problemOf(error));
      setAdding(false);
    }
  };
  return (
    <li class="row place-row">
      <Sign verdict={allowed ? "asWritten" : "unknown"} />
      <code>{shown(path)}</code>
      <span class="quiet">
        {total > 0 && TEXT.projects(total, projects.map(shown).join(", "), total - projects.length)}
        {!allowed && <>{TEXT.outside(roots.map(shown).join(", "))}</>}
      </span>
      {allowed
        ? (
          <button
            type="button"
            class={`button ${isFirst ? "is-main" : ""}`}
            disabled={isAdding}
            onClick={() => void add()}
          >
            {TEXT.add}
            <span class="unseen">{shown(path)}</span>
          </button>
        )
        : setting !== null && (
          <button
            type="button"
            class="button"
            aria-expanded={isAsked}
            onClick={() => setAsked(!isAsked)}
          >
            {TEXT.howToAllow}
            <span class="unseen">{shown(path)}</span>
          </button>
        )}
      {isAsked && setting !== null && (
        <p class="hint place-setting">
          {TEXT.allow} <Copied text={setting} /> {TEXT.inContainer}
        </p>
      )}
      {problem !== null && <Trouble problem={problem} />}
    </li>
  );
}
