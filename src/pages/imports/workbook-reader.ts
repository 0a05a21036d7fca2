// Reads the first sheet of a workbook of Excel (.xlsx), with the optional package hucre.

import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'
import { ImportProblem, maxInflatedSize } from './import-problem.ts'

/** Yields the rows. Formulas count as their last values. Throws ImportProblem if the file is no workbook, or too large inside. */
export async function* readWorkbook(bytes: Buffer): AsyncGenerator<readonly string[]> {
  await checkInflatedSize(bytes)
  const { streamXlsxRows } = await import('hucre/xlsx')
  const rows = streamXlsxRows(bytes)
  for (;;) {
    const next = await rows.next().catch(() => {
      throw new ImportProblem('page.import_workbook')
    })
    if (next.done) return
    yield next.value.values.map(formatCell)
  }
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (!(value instanceof Date)) return String(value)
  if (Number.isNaN(value.valueOf())) return ''
  const text = value.toISOString()
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text
}

const inflate = promisify(inflateRaw)
const maxParts = 1000

// What the parts of the archive say about their sizes may be wrong, so they are inflated up to the bound (APPNOTE.TXT of PKWARE, 4.3).
async function checkInflatedSize(bytes: Buffer): Promise<void> {
  let left = maxInflatedSize
  for (const { method, content } of listParts(bytes)) {
    left -= method === 8 ? await measure(content, left) : content.length
    if (left < 0) throw new ImportProblem('page.import_inflated', { max: maxInflatedSize / 1024 / 1024 })
  }
}

async function measure(content: Buffer, left: number): Promise<number> {
  try {
    const inflated: Buffer = await inflate(content, { maxOutputLength: left + 1 })
    return inflated.length
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return left + 1
    throw new ImportProblem('page.import_workbook')
  }
}

interface Part {
  readonly method: number
  readonly content: Buffer
}

function listParts(bytes: Buffer): readonly Part[] {
  try {
    const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1')
    const count = bytes.readUInt16LE(end + 10)
    if (end < 0 || count > maxParts) throw new ImportProblem('page.import_workbook')
    const parts: Part[] = []
    let at = bytes.readUInt32LE(end + 16)
    for (let index = 0; index < count; index++) {
      const [size, local] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 42)]
      const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
      parts.push({ method: bytes.readUInt16LE(at + 10), content: bytes.subarray(start, start + size) })
      at += 46 + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
    }
    return parts
  } catch {
    throw new ImportProblem('page.import_workbook')
  }
}
