import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { listFaultNames } from './run.ts'
import { formatPage, namesOnPage, page } from './support/report.ts'

test('docs/reliability.md lists exactly the faults of this folder', () => {
  assert.deepEqual(namesOnPage(readFileSync(page, 'utf8')), listFaultNames())
})

test('a finding is escaped for its table cell', () => {
  const text = formatPage([
    { name: 'x', fault: 'a|b', promise: 'p', finding: 'one\n<two> | three', result: 'broken', seconds: 1 },
  ])
  assert.match(text, /^\| \[a\\\|b\]\(\.\.\/test\/faults\/x\.ts\) \| p \| one &lt;two> \\\| three \| broken \|$/m)
  assert.deepEqual(namesOnPage(text), ['x'])
})
