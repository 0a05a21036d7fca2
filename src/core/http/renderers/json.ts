// JSON (RFC 8259): compact UTF-8, as the database wrote it, or with the `indent` that the caller requests (SVC-6).

import { Readable } from 'node:stream'
import { formatJson, parseExactNumbers } from '../../base/exact-json.ts'
import { timeSlices } from '../../base/time-slices.ts'
import { Document, formatBody, JsonStream, JsonText, type ResponseBody } from '../response.ts'
import type { Renderer } from './renderer.ts'

/** The default renderer. */
export const jsonRenderer: Renderer = Object.freeze<Renderer>({
  mediaType: 'application/json',
  format: 'json',
  contentType: 'application/json',
  parameters: ['indent'],
  canRender: body => !(body instanceof Document),
  render(body, parameters) {
    const indent = parseIndent(parameters.get('indent'))
    if (body instanceof JsonStream) return streamArray(body, indent)
    return indent === 0 ? formatBody(body) : formatJson(toData(body), indent)
  },
})

/** Parses the number of spaces, at most 8. Anything but a whole number is 0, which means compact. */
export function parseIndent(text: string | undefined): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Math.min(Number(text), 8) : 0
}

const toData = (body: ResponseBody): unknown => (body instanceof JsonText ? parseExactNumbers(body.text) : body)

async function streamArray({ portions, name }: JsonStream, indent: number): Promise<Readable> {
  const iterator = portions[Symbol.asyncIterator]()
  // The first portion is fetched before the status line is sent, so that a failing query still returns an error status.
  const first = await iterator.next()
  return Readable.from(formatArray(first, iterator, createArrayFormat(indent, name)), { objectMode: false })
}

async function* formatArray(
  first: IteratorResult<readonly string[]>,
  iterator: AsyncIterator<readonly string[]>,
  format: ArrayFormat,
): AsyncGenerator<string> {
  let isFirst = true
  for (let portion = first; !portion.done; portion = await iterator.next()) {
    if (portion.value.length === 0) continue
    const items = format.isIndented ? await timeSlices.map(portion.value, format.formatItem) : portion.value
    yield (isFirst ? format.start : format.separator) + items.join(format.separator)
    isFirst = false
  }
  yield isFirst ? format.empty : format.end
}

/** The texts around the items of an array. */
interface ArrayFormat {
  readonly isIndented: boolean
  readonly start: string
  readonly separator: string
  readonly end: string
  /** The text of an array without items. */
  readonly empty: string
  formatItem(item: string): string
}

function createArrayFormat(indent: number, name: string | undefined): ArrayFormat {
  const isIndented = indent > 0
  const depth = name === undefined ? 1 : 2
  const breakLine = (level: number) => (isIndented ? `\n${' '.repeat(level * indent)}` : '')
  const [opening, closing] =
    name === undefined
      ? ['', '']
      : [`{${breakLine(1)}${JSON.stringify(name)}:${isIndented ? ' ' : ''}`, `${breakLine(0)}}`]
  return {
    isIndented,
    start: `${opening}[${breakLine(depth)}`,
    separator: `,${breakLine(depth)}`,
    end: `${breakLine(depth - 1)}]${closing}`,
    empty: `${opening}[]${closing}`,
    formatItem: item => JSON.stringify(parseExactNumbers(item), null, indent).replaceAll('\n', breakLine(depth)),
  }
}
