// Cuts bytes that arrive in chunks at delimiters, and holds no more than a chunk of them.

/** Reads on from where it stopped. Rejects with what `end` makes when the bytes end too early. */
export class DelimitedReader {
  readonly #chunks: AsyncIterator<Buffer>
  readonly #end: () => Error
  #rest: Buffer

  constructor(chunks: AsyncIterator<Buffer>, start: Buffer, end: () => Error) {
    this.#chunks = chunks
    this.#rest = start
    this.#end = end
  }

  /** The bytes before the delimiter, in portions; ends behind it. */
  async *until(delimiter: Buffer): AsyncGenerator<Buffer, void, void> {
    for (;;) {
      const at = this.#rest.indexOf(delimiter)
      // The last bytes may be the beginning of a delimiter.
      const certain = at < 0 ? this.#rest.length - delimiter.length + 1 : at
      if (certain > 0) yield this.#shift(certain)
      if (at >= 0) {
        this.#shift(delimiter.length)
        return
      }
      await this.#receive()
    }
  }

  /** The next bytes, which stay where they are. */
  async peek(length: number): Promise<Buffer> {
    while (this.#rest.length < length) await this.#receive()
    return this.#rest.subarray(0, length)
  }

  #shift(length: number): Buffer {
    const bytes = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(length)
    return bytes
  }

  async #receive(): Promise<void> {
    const { done, value } = await this.#chunks.next()
    if (done) throw this.#end()
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value])
  }
}
