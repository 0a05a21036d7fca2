// JSON (RFC 8259): compact UTF-8, as the database wrote it, or with the `indent` that the caller requests (SVC-6).

import { Readable } from 'node:stream'
import { formatJson, parseExactNumbers } from '../exact-json.ts'
import { Document, formatBody, JsonStream, JsonText, type ResponseBody } from '../response.ts'
import { timeSlices } from '../time-slices.ts'
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

async function streamArray({ portions }: JsonStream, indent: number): Promise<Readable> {
  const iterator = portions[Symbol.asyncIterator]()
  // The first portion is fetched before the status line is sent, so that a failing query still returns an error status.
  const first = await iterator.next()
  return Readable.from(formatArray(first, iterator, indent), { objectMode: false })
}

async function* formatArray(
  first: IteratorResult<readonly string[]>,
  iterator: AsyncIterator<readonly string[]>,
  indent: number,
): AsyncGenerator<string> {
  let isFirst = true
  for (let portion = first; !portion.done; portion = await iterator.next()) {
    if (portion.value.length === 0) continue
    const items = indent === 0 ? portion.value : await timeSlices.map(portion.value, item => indentItem(item, indent))
    yield (isFirst ? formatStart(indent) : formatSeparator(indent)) + items.join(formatSeparator(indent))
    isFirst = false
  }
  yield isFirst ? '[]' : indent === 0 ? ']' : '\n]'
}

const formatStart = (indent: number): string => (indent === 0 ? '[' : `[\n${' '.repeat(indent)}`)
const formatSeparator = (indent: number): string => (indent === 0 ? ',' : `,\n${' '.repeat(indent)}`)

function indentItem(item: string, indent: number): string {
  const text = JSON.stringify(parseExactNumbers(item), null, indent)
  return text.replaceAll('\n', `\n${' '.repeat(indent)}`)
}
