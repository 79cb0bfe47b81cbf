/** Needs of steps beside the rights of whoever applies them. */

import { type Holder, may } from "../../core/access.ts";
import type { Need } from "../plan/plan_shape.ts";

/** Returns the needs that the holder does not meet. */
export function notHeld(holder: Holder | null, needs: readonly Need[]): Need[] {
  return needs.filter(({ permission, subject }) =>
    holder === null || !may<typeof permission>(holder, permission, subject)
  );
}
