// The rows of a file, and the text with which the forms of the pages keep them between two requests.

import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { hasExcel } from '../download/excel.ts'
import { decodeText, readCsv } from './csv-reader.ts'
import { ImportProblem, maxColumns, maxInflatedSize } from './import-problem.ts'
import { readWorkbook } from './workbook-reader.ts'

/** The rows of a file, below its headings. */
export interface ImportTable {
  readonly fileName: string
  readonly headers: readonly string[]
  /** Each has a cell for each heading. */
  readonly rows: readonly ImportRow[]
}

export interface ImportRow {
  /** The number in the file. */
  readonly number: number
  readonly cells: readonly string[]
}

/** Reads a file with at most this number of rows. Throws ImportProblem. */
export async function readTable(bytes: Buffer, fileName: string, maxRows: number): Promise<ImportTable> {
  const isWorkbook = bytes.subarray(0, 4).equals(Buffer.from('PK\x03\x04'))
  if (isWorkbook && !hasExcel) throw new ImportProblem('page.import_no_excel')
  if (bytes.subarray(0, 4).equals(Buffer.from('d0cf11e0', 'hex'))) throw new ImportProblem('page.import_old_excel')
  const allRows: ImportRow[] = []
  let number = 0
  for await (const cells of isWorkbook ? readWorkbook(bytes) : readCsv(decodeText(bytes))) {
    number++
    if (cells.every(cell => cell.trim() === '')) continue
    if (cells.length > maxColumns) throw new ImportProblem('page.import_columns', { max: maxColumns })
    if (allRows.push({ number, cells }) > maxRows + 1) throw new ImportProblem('page.import_rows', { max: maxRows })
  }
  const [header, ...rows] = allRows
  if (header === undefined) throw new ImportProblem('page.import_empty')
  return { fileName, ...alignRows(header, rows) }
}

function alignRows(header: ImportRow, rows: readonly ImportRow[]): Pick<ImportTable, 'headers' | 'rows'> {
  const headers = header.cells.map(cell => cell.trim())
  while (headers.at(-1) === '') headers.pop()
  const repeated = headers.find((name, index) => headers.indexOf(name) < index)
  if (repeated !== undefined) throw new ImportProblem('page.import_repeated', { name: repeated })
  if (rows.length === 0) throw new ImportProblem('page.import_only_header')
  const aligned = rows.map(({ number, cells }) => {
    if (cells.slice(headers.length).some(cell => cell.trim() !== ''))
      throw new ImportProblem('page.import_cells', { line: number })
    return { number, cells: headers.map((_, index) => cells[index] ?? '') }
  })
  return { headers, rows: aligned }
}

/** Formats the table for a hidden input. */
export const packTable = ({ fileName, headers, rows }: ImportTable): string =>
  deflateRawSync(JSON.stringify([fileName, headers, ...rows.map(({ number, cells }) => [number, ...cells])])).toString(
    'base64url',
  )

/** Parses what `packTable` has formatted; undefined for other texts. */
export function unpackTable(text: string, maxRows: number): ImportTable | undefined {
  try {
    const bytes = inflateRawSync(Buffer.from(text, 'base64url'), { maxOutputLength: maxInflatedSize })
    const [fileName, headers, ...rows] = JSON.parse(bytes.toString()) as readonly unknown[]
    if (!isTexts(headers) || headers.length > maxColumns || rows.length === 0 || rows.length > maxRows) return undefined
    const read = rows.map(row => {
      const [number, ...cells] = row as readonly unknown[]
      if (!Number.isInteger(number) || !isTexts(cells) || cells.length !== headers.length) throw new Error('no row')
      return { number: number as number, cells }
    })
    return { fileName: String(fileName), headers, rows: read }
  } catch {
    return undefined
  }
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(item => typeof item === 'string')
