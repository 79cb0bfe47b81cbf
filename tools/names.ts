/** The names under which berth is published. A fork changes them here; a test holds every file that repeats them. */

export const REPOSITORY = "https://github.com/berth/berth";
/** Without its tag. */
export const IMAGE = "ghcr.io/berth/berth";
