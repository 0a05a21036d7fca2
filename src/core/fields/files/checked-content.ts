import { invalid } from '../../errors/invalid.ts'
import { isAccepted, isTextType, unknownType } from '../../http/files/content-types.ts'
import type { FileRules } from '../../http/files/file-rules.ts'
import { TextCheck } from '../../http/files/text-check.ts'

type Limits = Pick<FileRules, 'types' | 'maxSize'>

interface Arriving {
  /** The beginning of the content. */
  readonly head: Buffer
  /** The rest. */
  readonly chunks: AsyncIterator<Buffer>
  /** The type found in the beginning. */
  readonly type: string
}

/** The content of a file on its way to the store. It fails beyond the limits of its field. */
export class CheckedContent implements AsyncIterable<Buffer> {
  /** The bytes that have passed. */
  size = 0
  /** The type found in the beginning; `application/octet-stream` once the content stops being text. */
  type: string
  readonly #head: Buffer
  readonly #chunks: AsyncIterator<Buffer>
  readonly #limits: Limits
  #text: TextCheck | undefined

  constructor({ head, chunks, type }: Arriving, limits: Limits) {
    this.#head = head
    this.#chunks = chunks
    this.type = type
    this.#limits = limits
    this.#text = isTextType(type) ? new TextCheck() : undefined
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, void> {
    yield this.#check(this.#head)
    for (;;) {
      const { done, value } = await this.#chunks.next()
      if (done) break
      yield this.#check(value)
    }
    if (this.#text?.ends() === false) this.#becomeUnknown()
  }

  #check(chunk: Buffer): Buffer {
    const { maxSize } = this.#limits
    this.size += chunk.length
    if (this.size > maxSize) throw invalid('max_size', { max: maxSize })
    if (this.#text?.continues(chunk) === false) this.#becomeUnknown()
    return chunk
  }

  #becomeUnknown(): void {
    checkType(unknownType, this.#limits.types)
    this.type = unknownType
    this.#text = undefined
  }
}

/** Throws ValidationError if files of this type are not accepted. */
export function checkType(type: string, types: FileRules['types']): void {
  if (types !== undefined && !isAccepted(type, types))
    throw invalid('invalid.file_type', { type, types: types.join(', ') })
}
