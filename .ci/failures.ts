/**
 * Which files failed, read from the lines of a run. The tests of one file stand under its name; those of a group, see
 * `tests/support/groups.ts`, under the group's, and the summary says where each of them is.
 */

/** `test_file.ts => name ... FAILED`, and what is said of a file that failed outside its tests. */
const FAILED = /^(?:Uncaught error from )?(\S+\.ts)(?: => (.*) \.\.\.)? FAILED\b/;
const SUMMARY = " FAILURES ";
/** `name => test_file.ts:1:2`, where the test is registered: in a helper, now and then. */
const REGISTERED = /^(.*) => (\S+\.ts):\d+:\d+$/;

export class Failures {
  readonly files = new Set<string>();
  /** True if something failed of which no file is known. */
  isUnsaid = false;
  /** Counts failures in files by themselves, by the name of the test. */
  readonly #named = new Map<string, number>();
  #isSummary = false;

  /** Takes the next line, which has no colours. */
  read(line: string): void {
    this.#isSummary ||= line === SUMMARY;
    if (this.#isSummary) this.#readSummary(line);
    else this.#readLine(line);
  }

  #readLine(line: string): void {
    const [, file, name] = FAILED.exec(line) ?? [];
    if (file === undefined) return;
    if (isTestFile(file)) {
      this.files.add(file);
      if (name !== undefined) this.#named.set(name, (this.#named.get(name) ?? 0) + 1);
    } else if (name === undefined) this.isUnsaid = true;
  }

  #readSummary(line: string): void {
    const [, name, file] = REGISTERED.exec(line) ?? [];
    if (name === undefined || file === undefined) return;
    const left = this.#named.get(name) ?? 0;
    this.#named.set(name, left - 1);
    if (isTestFile(file)) this.files.add(file);
    else if (left === 0) this.isUnsaid = true;
  }
}

const isTestFile = (file: string): boolean => file.endsWith("_test.ts");
