/** The objects of engines that files of registered folders declare, whether they run or not. */

/** True also for what they may declare: where a name hangs on a variable that is not set, or a file cannot be read. */
export interface DeclaredObjects {
  /** Takes the names of an image as engines show them, and those with a digest. */
  image(names: readonly string[]): boolean;
  volume(name: string): boolean;
  network(name: string): boolean;
  /** Knows only those that a file names itself; others are known by their labels. */
  container(name: string): boolean;
  /** Number of folders and projects that could not be read whole. */
  readonly unclear: number;
}
