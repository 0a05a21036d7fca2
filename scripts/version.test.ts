import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { findVersion, formatVersion } from './version.ts'

suite('findVersion', () => {
  const folder = mkdtempSync(join(tmpdir(), 'version-'))
  after(() => rmSync(folder, { recursive: true }))
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder })
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text)
  const commit = () => {
    git('add', '--all')
    git('commit', '--quiet', '--message=x')
  }

  test('a changed or new file is a change, until it is committed', () => {
    git('init', '--quiet')
    mkdirSync(join(folder, 'docs'))
    write('a.ts', 'one')
    commit()
    const before = findVersion(folder)
    assert.equal(before?.isChanged, false)
    write('b.ts', 'two')
    const changed = findVersion(folder)
    assert.deepEqual([changed?.isChanged, changed?.commit], [true, before?.commit])
    assert.equal(formatVersion(changed), `${before?.commit.slice(0, 12)} with changes`)
    commit()
    const committed = findVersion(join(folder, 'docs'))
    assert.deepEqual([committed?.isChanged, committed?.tree], [false, changed?.tree])
    assert.notEqual(committed?.tree, before?.tree)
  })

  test('a page with results is no change, before and after it is committed', () => {
    const before = findVersion(folder)
    write('docs/reliability.md', 'written by a command')
    assert.deepEqual(findVersion(folder), before)
    commit()
    const committed = findVersion(folder)
    assert.notEqual(committed?.commit, before?.commit)
    assert.deepEqual([committed?.isChanged, committed?.tree], [false, before?.tree])
    write('docs/reliability.md', 'written again')
    assert.deepEqual(findVersion(folder), committed)
  })

  test('without Git there is no version', () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'version-'))
    try {
      assert.equal(findVersion(elsewhere), undefined)
      assert.equal(formatVersion(undefined), 'unknown')
    } finally {
      rmSync(elsewhere, { recursive: true })
    }
  })
})
