/** A view that is loaded by the first who looks at it. */
import type { ComponentChildren, ComponentType, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { BulkProps } from "./bulk.tsx";
import type { NoProjectsProps } from "./no_projects.tsx";
import type { ProjectWaysProps } from "./project_ways.tsx";
import type { UndeclaredProps } from "./undeclared.tsx";
import type { RemoveDialogProps } from "./remove_dialog.tsx";
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

/** Draws what is in it once its place comes into view: what nobody has scrolled to is not loaded. */
export function WhenSeen({ children }: { readonly children: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (isSeen || place.current === null) return;
    const watch = new IntersectionObserver((entries) =>
      setSeen(entries.some(({ isIntersecting }) => isIntersecting))
    );
    watch.observe(place.current);
    return () => watch.disconnect();
  }, [isSeen]);
  return isSeen ? <>{children}</> : <div ref={place} />;
}

/** Parts that the first screens show later, from the script of the other screens. */
export interface Others {
  readonly Lately: ComponentType;
  readonly NoProjects: ComponentType<NoProjectsProps>;
  readonly Undeclared: ComponentType<UndeclaredProps>;
  readonly Bulk: ComponentType<BulkProps>;
  readonly ProjectWays: ComponentType<ProjectWaysProps>;
  readonly Units: ComponentType<{ readonly id: string; readonly revision: string }>;
  readonly Measured: ComponentType<{ readonly container: string }>;
  readonly RemoveDialog: ComponentType<RemoveDialogProps>;
  readonly ProofDialog: ComponentType;
  readonly KeysHelp: ComponentType<{ readonly close: () => void }>;
}

let loadOthers: () => Promise<Others> = () => Promise.reject(new Error("the table of screens was not read"));

/** The table of screens knows where they are. */
export function loadOthersBy(load: () => Promise<Others>): void {
  loadOthers = load;
}

export const LaterLately = later(async () => (await loadOthers()).Lately);
export const LaterUndeclared = later(async () => (await loadOthers()).Undeclared);
export const LaterNoProjects = later(async () => (await loadOthers()).NoProjects);
export const LaterBulk = later(async () => (await loadOthers()).Bulk);
export const LaterProjectWays = later(async () => (await loadOthers()).ProjectWays);
export const LaterUnits = later(async () => (await loadOthers()).Units);
export const LaterMeasured = later(async () => (await loadOthers()).Measured);
export const LaterRemoveDialog = later(async () => (await loadOthers()).RemoveDialog);
export const LaterProofDialog = later(async () => (await loadOthers()).ProofDialog);
export const LaterKeysHelp = later(async () => (await loadOthers()).KeysHelp);
