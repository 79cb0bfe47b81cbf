/** A view that is loaded by the first who looks at it. */
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { words } from "../words/en.ts";
import { Loading } from "./states.tsx";

export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => JSX.Element {
  let loaded: ComponentType<Props> | null = null;
  return function Later(props: Props) {
    const [View, setView] = useState(() => loaded);
    const [isUnloaded, setUnloaded] = useState(false);
    useEffect(() => {
      if (View !== null) return;
      load().then((view) => setView(() => loaded = view), () => setUnloaded(true));
    }, []);
    if (View !== null) return <View {...props} />;
    return isUnloaded ? <p class="trouble" role="alert">{words.problem.unloaded}</p> : <Loading />;
  };
}
