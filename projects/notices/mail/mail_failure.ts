/** A mail that was not taken: a file of its own, so that a berth without notices loads nothing that sends one. */

/** The reason in words, of which none is the server's own. */
export class MailFailure extends Error {
  constructor(message: string, readonly status: number | null = null) {
    super(message);
  }
}
