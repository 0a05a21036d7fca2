// Splits bytes that arrive in chunks at delimiters. It buffers at most one chunk and the bytes before it that may begin
// a delimiter.

/**
 * Reads `start`, then the chunks. Each read continues where the previous one ended. Rejects with the error that
 * `createEndError` returns if the bytes end too early.
 */
export class DelimitedReader {
  readonly #chunks: AsyncIterator<Buffer>
  readonly #createEndError: () => Error
  #buffered: Buffer

  constructor(chunks: AsyncIterator<Buffer>, start: Buffer, createEndError: () => Error) {
    this.#chunks = chunks
    this.#buffered = start
    this.#createEndError = createEndError
  }

  /** Yields the bytes before the delimiter, in portions, and consumes the delimiter. */
  async *until(delimiter: Buffer): AsyncGenerator<Buffer, void, void> {
    for (;;) {
      const index = this.#buffered.indexOf(delimiter)
      const available = index < 0 ? findPossibleStart(this.#buffered, delimiter) : index
      if (available > 0) yield this.#shift(available)
      if (index >= 0) {
        this.#shift(delimiter.length)
        return
      }
      await this.#receive()
    }
  }

  /** Returns the next bytes without consuming them. */
  async peek(length: number): Promise<Buffer> {
    while (this.#buffered.length < length) await this.#receive()
    return this.#buffered.subarray(0, length)
  }

  #shift(length: number): Buffer {
    const bytes = this.#buffered.subarray(0, length)
    this.#buffered = this.#buffered.subarray(length)
    return bytes
  }

  async #receive(): Promise<void> {
    const { done, value } = await this.#chunks.next()
    if (done) throw this.#createEndError()
    this.#buffered = this.#buffered.length === 0 ? value : Buffer.concat([this.#buffered, value])
  }
}

// The last bytes may be the beginning of a delimiter. Most chunks have none there, and are then passed on without a copy.
function findPossibleStart(bytes: Buffer, delimiter: Buffer): number {
  const start = bytes.indexOf(delimiter[0]!, Math.max(bytes.length - delimiter.length + 1, 0))
  return start < 0 ? bytes.length : start
}
