/** Hints from replica to replica after a change; a hint says where to look, and never what is there. */

/** Somebody may be allowed less than before. */
export const RIGHTS = "rights";
