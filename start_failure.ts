/** What stops a start for a reason that people can mend; the message is the whole sentence. */
export class StartFailure extends Error {
  override readonly name = "StartFailure";
}
