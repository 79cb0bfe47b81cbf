/** The screens as components: those that are looked at first, and all others from a script that is loaded on demand. */
import type { ComponentChild, ComponentType } from "preact";
import { partsOf } from "./live/address_parts.ts";
import { later, loadOthersBy } from "./parts/later.tsx";
import { Empty } from "./parts/states.tsx";
import { type Parts, SCREENS, type ViewName } from "./screen_table.ts";
import { Containers } from "./screens/containers/containers.tsx";
import { Overview } from "./screens/overview/overview.tsx";
import { words } from "./words/en.ts";

interface Screen {
  readonly title: string;
  readonly view: ComponentChild;
}

const FIRST = { Overview, Containers } as const;

const others = () => import("./screens_later.tsx");
loadOthersBy(others);

/** The screens before the first sign-in. */
export const SetPassword = later(async () => (await others()).SetPassword);
export const Setup = later(async () => (await others()).Setup);

type LaterName = Exclude<ViewName, keyof typeof FIRST>;
/** Each view takes the parts of its address. */
type View = ComponentType<Parts>;

/** A name in the table that no script exports does not compile. */
const viewOf = (name: LaterName): View => later(async () => (await others())[name] as View);

const VIEWS = SCREENS.map(({ path, title, view }) => ({
  path,
  title,
  View: view in FIRST ? FIRST[view as keyof typeof FIRST] as View : viewOf(view as LaterName),
}));

export function screenAt(url: URL): Screen {
  for (const { path, title, View } of VIEWS) {
    const parts = partsOf(path, url.pathname);
    if (parts === null) continue;
    return {
      title: typeof title === "string" ? title : title(parts),
      view: <View {...parts} key={JSON.stringify([title, parts])} />,
    };
  }
  return {
    title: words.problem.notFound,
    view: (
      <Empty title={words.problem.notFound} whole>
        <a class="button" href="/">{words.problem.toOverview}</a>
      </Empty>
    ),
  };
}
