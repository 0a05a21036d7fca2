// Reads CSV (RFC 4180) with the separators that spreadsheets write.

import { isUtf8 } from 'node:buffer'
import { formulaStart } from '../download/csv.ts'
import { ImportProblem } from './import-problem.ts'

/** Decodes the file. Throws ImportProblem if it is no text in UTF-8 or, with a byte order mark, in UTF-16. */
export function decodeText(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  if (!isUtf16 && !isUtf8(bytes)) throw new ImportProblem('page.import_encoding')
  const text = isUtf16 ? bytes.toString('utf16le') : bytes.toString('utf8')
  if (text.includes('\0')) throw new ImportProblem('page.import_type')
  return text.replace(/^\ufeff/, '')
}

/** Yields the rows. Throws ImportProblem for a quote that is not closed. */
export function* readCsv(text: string): Generator<readonly string[]> {
  const separator = findSeparator(text)
  // A quoted cell, or one without quotes, and what ends it.
  const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|((?!")[^${separator}\\r\\n]*))(${separator}|\\r?\\n|\\r|$)`, 'y')
  let cells: string[] = []
  for (let [start, line] = [0, 1]; start < text.length || cells.length > 0; ) {
    cell.lastIndex = start
    const match = cell.exec(text)
    if (match === null) throw new ImportProblem('page.import_quote', { line })
    const [all, quoted, plain, end] = match
    cells.push(unescapeFormula(quoted === undefined ? plain! : quoted.replaceAll('""', '"')))
    start += all.length
    line += all.split('\n').length - 1
    if (end === separator) continue
    yield cells
    cells = []
  }
}

// The separator that the first line contains most often.
function findSeparator(text: string): string {
  const [line = ''] = text.replace(/"[^"]*"/g, '').split(/\r?\n|\r/, 1)
  const count = (separator: string) => line.split(separator).length
  return [',', ';', '\t'].toSorted((a, b) => count(b) - count(a))[0]!
}

// A download begins such a text with an apostrophe, so that no spreadsheet runs it.
const unescapeFormula = (text: string): string =>
  text.startsWith("'") && formulaStart.test(text) ? text.slice(1) : text
