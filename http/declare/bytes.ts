/** The body of a route that needs it as it was sent, because it is signed. */
import * as z from "../../core/schema.ts";

/** As `body` of a route: bytes of any type, within its bounds; empty where none are sent. */
export const BYTES = z.instanceof(Uint8Array<ArrayBuffer>);
