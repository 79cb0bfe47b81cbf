/** Encrypts texts for the place where they are kept: moved elsewhere, they do not open. */
export interface TextSeal {
  seal(text: string, place: string): Promise<Uint8Array>;
  /** Null for what another key has sealed. */
  open(sealed: Uint8Array, place: string): Promise<string | null>;
}
