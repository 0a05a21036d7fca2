// Workbooks of Excel (.xlsx), which the optional package hucre writes row by row.

import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { DownloadCell, DownloadColumn, DownloadTable } from './download-columns.ts'

export const excelType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** Whether the package is installed. */
export const hasExcel = (() => {
  try {
    return import.meta.resolve('hucre/xlsx') !== ''
  } catch {
    return false
  }
})()

/** Excel has 1,048,576 rows, of which the first has the headings and the last one may say that rows are missing. */
export const maxExcelRows = 1_048_574

/** Writes a workbook with one sheet. */
export async function formatExcel(title: string, { columns, portions }: DownloadTable): Promise<Readable> {
  const { writeXlsxStream } = await import('hucre/xlsx')
  const stream = writeXlsxStream(listRows(portions), {
    name: formatSheetName(title),
    columns: columns.map(column => ({ header: toExcelText(column.header), ...describeFormat(column) })),
    freezePane: { rows: 1 },
  })
  return Readable.fromWeb(stream as ReadableStream<Uint8Array>)
}

async function* listRows(portions: DownloadTable['portions']): AsyncGenerator<ExcelCell[]> {
  for await (const rows of portions) for (const row of rows) yield row.map(toExcelCell)
}

function describeFormat({ type, decimalPlaces, header }: DownloadColumn): { width: number; numFmt?: string } {
  const width = Math.min(60, Math.max(12, header.length + 2))
  if (type === 'date') return { width, numFmt: 'yyyy-mm-dd' }
  if (type === 'time') return { width: Math.max(18, width), numFmt: 'yyyy-mm-dd hh:mm:ss' }
  if (type === 'decimal') return { width, numFmt: decimalPlaces ? `#,##0.${'0'.repeat(decimalPlaces)}` : '#,##0' }
  return { width }
}

type ExcelCell = string | number | boolean | Date | null

/** A cell of a sheet. A text is never a formula. A value that Excel cannot hold exactly is a text. */
export function toExcelCell(cell: DownloadCell): ExcelCell {
  if (cell === null || typeof cell === 'boolean') return cell
  if (typeof cell === 'number') return Number.isSafeInteger(cell) || !Number.isInteger(cell) ? cell : String(cell)
  if (typeof cell === 'bigint') return String(cell)
  if (typeof cell === 'string') return toExcelText(cell)
  const { type, text } = cell
  if (type === 'decimal') return text.replace(/\D/g, '').length <= maxDigits ? Number(text) : text
  const date = new Date(type === 'date' ? `${text}T00:00:00Z` : text)
  return date >= firstDate && date < endOfDates ? date : text
}

const maxDigits = 15
// Before, Excel counts a day that did not exist.
const firstDate = new Date('1900-03-01T00:00:00Z')
const endOfDates = new Date(Date.UTC(10_000, 0))

const maxTextLength = 32_767
// XML 1.0 has no other control characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed
const controls = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g

const toExcelText = (text: string): string => text.toWellFormed().replace(controls, '').slice(0, maxTextLength)

// Excel refuses these characters, and more than 31.
const formatSheetName = (title: string): string =>
  toExcelText(title)
    .replace(/[[\]:*?/\\]/g, ' ')
    .slice(0, 31)
    .trim()
    .replace(/^'+|'+$/g, '') || 'Data'
