import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatCsvCell } from '../download/csv.ts'
import { readCsv } from './csv-reader.ts'

test('each text of a download is read back, also one that looks like a formula, or like an escaped one', () => {
  const start = fc.constantFrom('', '=', "'=", "''+", "'", '-', '@', '＝')
  const cell = fc.tuple(start, fc.string()).map(([first, rest]) => first + rest.replaceAll(/[\r\n]/g, ' '))
  fc.assert(
    fc.property(fc.array(cell, { minLength: 2, maxLength: 4 }), cells => {
      const line = cells.map(formatCsvCell).join(',')
      // The first line decides which separator the file has.
      assert.deepEqual([...readCsv(`a,b,c,d\r\n${line}\r\n`)][1], cells)
    }),
    { numRuns: 200 },
  )
})
