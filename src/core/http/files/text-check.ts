/** Checks bytes that arrive in chunks: text is UTF-8 without control characters other than tabs, line breaks and form feeds. */
export class TextCheck {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })

  /** Whether the bytes are text up to the end of this chunk, which may cut off a character. */
  continues(chunk: Uint8Array): boolean {
    return this.#isText(chunk, { stream: true })
  }

  /** Whether the bytes were text up to their end. */
  ends(): boolean {
    return this.#isText(new Uint8Array(), { stream: false })
  }

  #isText(chunk: Uint8Array, options: { readonly stream: boolean }): boolean {
    try {
      return !/[^\P{Cc}\t\n\f\r]/u.test(this.#decoder.decode(chunk, options))
    } catch {
      return false
    }
  }
}
