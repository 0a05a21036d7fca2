// The text of a pattern and the place up to which it is read, and the errors at a place.

import { invalid } from '../../errors/invalid.ts'

export class PatternReader {
  readonly #text: string
  #index: number

  constructor(text: string, index: number) {
    this.#text = text
    this.#index = index
  }

  /** The place of the next character, in UTF-16 code units from 0. */
  get position(): number {
    return this.#index
  }

  get isAtEnd(): boolean {
    return this.#index >= this.#text.length
  }

  /** The next character; an empty text at the end. */
  get next(): string {
    return this.isAtEnd ? '' : String.fromCodePoint(this.#text.codePointAt(this.#index)!)
  }

  take(): string {
    const { next } = this
    this.#index += next.length
    return next
  }

  /** Skips the character if it is the next one. */
  skip(character: string): boolean {
    const isNext = this.next === character
    if (isNext) this.#index += character.length
    return isNext
  }

  /** Skips what the sticky expression matches here. */
  find(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#index
    const found = expression.exec(this.#text) ?? undefined
    this.#index += found?.[0].length ?? 0
    return found
  }

  /** What the sticky expression matches here. */
  peek(expression: RegExp): string {
    const { position } = this
    const [found = ''] = this.find(expression) ?? []
    this.#index = position
    return found
  }
}

/** The character that an escape such as `\n` or `\.` means; undefined for other letters and digits. */
export const escapedCharacters = (character: string): string | undefined =>
  controls.get(character) ?? (/[A-Za-z0-9]/.test(character) ? undefined : character)

const controls: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['f', '\f'],
  ['v', '\v'],
])

export const mistake = (position: number, part: string): Error =>
  invalid('invalid.pattern', { position: position + 1, part })

export const unsupported = (position: number, part: string): Error =>
  invalid('invalid.pattern.unsupported', { position: position + 1, part })
