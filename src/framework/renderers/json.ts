// JSON (RFC 8259): compact, UTF-8, and as the database wrote it; `indent` spaces where the caller asks for them (SVC-6).

import { Readable } from 'node:stream'
import { formatJson, parseExactly } from '../exact-json.ts'
import { Document, JsonStream, JsonText, jsonOf, type ResponseBody } from '../response.ts'
import { timeSlices } from '../time-slices.ts'
import type { Renderer } from './renderer.ts'

/** The renderer of every API. */
export const jsonRenderer: Renderer = Object.freeze<Renderer>({
  mediaType: 'application/json',
  format: 'json',
  contentType: 'application/json',
  parameters: ['indent'],
  canRender: body => !(body instanceof Document),
  render(body, parameters) {
    const indent = parseIndent(parameters.get('indent'))
    if (body instanceof JsonStream) return streamArray(body, indent)
    return indent === 0 ? jsonOf(body) : formatJson(dataOf(body), indent)
  },
})

/** 0 to 8 spaces; what is no number, or below 0, is compact. */
export function parseIndent(text: string | undefined): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Math.min(Number(text), 8) : 0
}

const dataOf = (body: ResponseBody): unknown => (body instanceof JsonText ? parseExactly(body.text) : body)

async function streamArray({ portions }: JsonStream, indent: number): Promise<Readable> {
  const iterator = portions[Symbol.asyncIterator]()
  // The first portion is fetched before the status line goes out, so that a failing query is still an error.
  const first = await iterator.next()
  return Readable.from(arrayText(first, iterator, indent), { objectMode: false })
}

async function* arrayText(
  first: IteratorResult<readonly string[]>,
  iterator: AsyncIterator<readonly string[]>,
  indent: number,
): AsyncGenerator<string> {
  let isFirst = true
  for (let portion = first; !portion.done; portion = await iterator.next()) {
    if (portion.value.length === 0) continue
    const items = indent === 0 ? portion.value : await timeSlices.map(portion.value, item => indentItem(item, indent))
    yield (isFirst ? openArray(indent) : separator(indent)) + items.join(separator(indent))
    isFirst = false
  }
  yield isFirst ? '[]' : indent === 0 ? ']' : '\n]'
}

const openArray = (indent: number): string => (indent === 0 ? '[' : `[\n${' '.repeat(indent)}`)
const separator = (indent: number): string => (indent === 0 ? ',' : `,\n${' '.repeat(indent)}`)

function indentItem(item: string, indent: number): string {
  const text = JSON.stringify(parseExactly(item), null, indent)
  return text.replaceAll('\n', `\n${' '.repeat(indent)}`)
}
