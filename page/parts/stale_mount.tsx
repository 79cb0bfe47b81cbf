/** A mount of which the container reads another file than the one that is there now. */
import type { ComponentChildren } from "preact";
import type { MountReading } from "../../client/berth/models.ts";
import { words } from "../words/en_later.ts";
import { shown } from "./shown.ts";

/** The sentence without the field. */
export function mountText({ state, replacedAt, startedAt }: MountReading): string {
  const at = replacedAt === null ? null : words.minute(Date.parse(replacedAt));
  return words.unit.mount(state, words.minute(Date.parse(startedAt)), at);
}

export function StaleMount({ field, mount, children }: {
  readonly field: string;
  readonly mount: MountReading;
  /** Content at the end of the row, such as the place of the mount. */
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="facing">
      <span class="facing-field">{shown(field.replace(/^mounts\./, ""))}</span>
      <span class="facing-side is-actual">{mountText(mount)}</span>
      <span class="facing-end">{children}</span>
    </div>
  );
}
