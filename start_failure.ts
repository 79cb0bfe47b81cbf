/** A failure of the start that people can mend; the message is the whole sentence. */
export class StartFailure extends Error {
  override readonly name = "StartFailure";
}
