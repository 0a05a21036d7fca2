import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { after, before, beforeEach, mock, suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { runFaults } from './run.ts'

suite('test:faults', () => {
  const folder = pathToFileURL(mkdtempSync(join(tmpdir(), 'faults-')) + sep)
  const files = { page: new URL('page/page.md', folder), latest: new URL('page/latest.json', folder) }
  let printed = ''
  const print = (...texts: readonly unknown[]) => {
    printed += `${texts.join(' ')}\n`
  }
  before(() => {
    for (const name of ['log', 'error'] as const) mock.method(console, name, print)
  })
  after(() => {
    mock.restoreAll()
    rmSync(folder, { recursive: true })
  })
  beforeEach(() => {
    printed = ''
    rmSync(new URL('page/', folder), { recursive: true, force: true })
  })
  const run = (...args: readonly string[]) => runFaults(args, folder, files)

  writeFileSync(
    new URL('made-up.ts', folder),
    `export default {
      name: 'made up',
      promise: 'It counts.',
      scale: { full: { rounds: 20 }, short: { rounds: 2 } },
      run: async ({ rounds }) => \`\${rounds} rounds\`,
    }`,
  )

  test('--short passes the short numbers to the fault, and writes no page', async () => {
    assert.equal(await run('--short'), 0)
    assert.match(printed, /^held {5}made-up \(\d+ s\): 2 rounds; a sleeping thread was late for /m)
    assert.equal(existsSync(files.page), false)
    assert.equal(existsSync(files.latest), false)
  })

  test('without it, the fault gets the full numbers, and the page shows its finding', async () => {
    assert.equal(await run(), 0)
    const page = readFileSync(files.page, 'utf8')
    assert.match(
      page,
      /^\| \[made up\]\(\.\.\/test\/faults\/made-up\.ts\) \| It counts\. \| 20 rounds; .* \| held \|$/m,
    )
    assert.match(page, /^Commit ([0-9a-f]{12}( with changes)?|unknown), /m)
  })

  test('an unknown option or fault is refused, and nothing runs', async () => {
    assert.equal(await run('--shorter'), 1)
    assert.equal(printed, 'Unknown option "--shorter". The only option is --short; the faults are made-up.\n')
    printed = ''
    assert.equal(await run('--short', 'unmade'), 1)
    assert.equal(printed, 'Unknown fault "unmade". The only option is --short; the faults are made-up.\n')
  })
})
