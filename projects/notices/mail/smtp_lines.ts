/** The lines of a conversation with a mail server, bounded. */

const MOST_BYTES = 64 * 1024;
const ANSWER = /^(\d{3})([ -]?)(.*)$/;

export class SmtpLines {
  #text = "";
  #read = 0;

  constructor(private readonly open: Deno.Conn) {}

  /** True if nothing is there that was not read. */
  get isEmpty(): boolean {
    return this.#text === "";
  }

  async write(line: string): Promise<void> {
    const bytes = new TextEncoder().encode(`${line}\r\n`);
    for (let sent = 0; sent < bytes.length;) sent += await this.open.write(bytes.subarray(sent));
  }

  /** Returns the next answer, with the text of each of its lines; null if the server ended it, or speaks otherwise. */
  async answer(): Promise<{ readonly status: number; readonly text: readonly string[] } | null> {
    const text: string[] = [];
    while (true) {
      const line = await this.#line();
      const [, status, more, rest] = ANSWER.exec(line ?? "") ?? [];
      if (status === undefined) return null;
      text.push(rest ?? "");
      if (more !== "-") return { status: Number(status), text };
    }
  }

  async #line(): Promise<string | null> {
    const part = new Uint8Array(4_096);
    while (true) {
      const end = this.#text.indexOf("\n");
      if (end >= 0) {
        const line = this.#text.slice(0, end).replace(/\r$/, "");
        this.#text = this.#text.slice(end + 1);
        return line;
      }
      const read = await this.open.read(part);
      this.#read += read ?? 0;
      if (read === null || this.#read > MOST_BYTES) return null;
      this.#text += new TextDecoder("latin1").decode(part.subarray(0, read));
    }
  }
}
