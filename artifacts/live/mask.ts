/** Masks values that may be secrets. */

const SECRET_OPTION =
  /((?:^|[\s"'-])[\w-]*(?:password|passwd|secret|token|api[_-]?key|credential)[\w-]*(?:=|:|\s+))("[^"]*"|'[^']*'|\S+)/gi;
const URL_CREDENTIALS = /([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi;

/** What stands in a secret's place. */
export const MASK = "***";

/** A text with everything that looks like a credential masked. */
export function masked(text: string): string {
  return text.replace(URL_CREDENTIALS, `$1${MASK}@`).replace(SECRET_OPTION, `$1${MASK}`);
}

/** Whether the value of a label or variable of this name is never shown. */
export const isSecretName = (name: string): boolean =>
  /pass(word|wd)?|secret|token|key|credential|auth|private/i.test(name);
