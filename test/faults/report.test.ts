import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { listFaultNames } from './run.ts'
import { formatPage, namesOnPage, output } from './support/report.ts'

test('docs/reliability.md lists exactly the faults of this folder', () => {
  assert.deepEqual(namesOnPage(readFileSync(output.page, 'utf8')), listFaultNames())
})

test('a finding is escaped for its table cell, and the page names the commit', () => {
  const outcome = { name: 'x', fault: 'a|b', promise: 'p', finding: 'one\n<two> | three', seconds: 1 }
  const text = formatPage([{ ...outcome, result: 'broken' }], 'c0ffee with changes')
  assert.match(text, /^\| \[a\\\|b\]\(\.\.\/test\/faults\/x\.ts\) \| p \| one &lt;two> \\\| three \| broken \|$/m)
  assert.match(text, /^Commit c0ffee with changes, \d{4}-/m)
  assert.deepEqual(namesOnPage(text), ['x'])
})
