// CSV (RFC 4180) that spreadsheets open: UTF-8 with a byte order mark, and no cell that they would run as a formula.

import type { DownloadCell, DownloadTable } from './download-columns.ts'

export const csvType = 'text/csv; charset=utf-8'

/** The separator that spreadsheets expect where people read this language: `;` where a comma stands before decimals. */
export function findSeparator(language: string): ',' | ';' {
  const parts = new Intl.NumberFormat(language).formatToParts(1.5)
  return parts.find(({ type }) => type === 'decimal')?.value === ',' ? ';' : ','
}

/** Writes the lines of each portion of rows. */
export async function* formatCsv({ columns, portions }: DownloadTable, separator: string): AsyncGenerator<string> {
  const formatLine = (cells: readonly DownloadCell[]) => `${cells.map(formatCsvCell).join(separator)}\r\n`
  yield `\ufeff${formatLine(columns.map(({ header }) => header))}`
  for await (const rows of portions) if (rows.length > 0) yield rows.map(formatLine).join('')
}

/** Formats a cell. A text that a spreadsheet would run as a formula begins with `'`, which makes it a text. */
export function formatCsvCell(cell: DownloadCell): string {
  if (cell === null) return ''
  if (typeof cell === 'object') return cell.text
  if (typeof cell !== 'string') return String(cell)
  const text = formulaStart.test(cell) ? `'${cell}` : cell
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * The start of a text that a download escapes: https://owasp.org/www-community/attacks/CSV_Injection, with the full-width forms of the
 * characters. It includes an escaped start, so that an import gets each text back.
 */
export const formulaStart = /^'*[=+\-@\t\r\n＝＋－＠]/
// A spreadsheet may expect another separator.
const needsQuotes = /[",;\t\r\n]|^\s|\s$/
