// The site of the documentation has each page, links between them, and finds them.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'

const root = join(import.meta.dirname, '..')
const built = join(root, 'site/dist')
const read = (path: string) => readFileSync(join(built, path), 'utf8')

before(() => {
  // Nothing here needs the server of PostgreSQL, so this process may wait.
  const { status, stdout, stderr } = spawnSync('npm', ['run', 'site'], { cwd: root, encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
})

test('each page of the documentation is a page of the site', () => {
  const pages = globSync('{docs/{,decisions/}*.md,[A-Z]*.md}', { cwd: root })
  assert.ok(pages.length > 150)
  for (const page of pages)
    assert.ok(existsSync(join(built, page.replace(/README\.md$/, 'index.md').replace(/md$/, 'html'))), page)
})

test('the sidebar leads to all pages that docs/README.md lists', () => {
  const html = read('docs/index.html')
  for (const page of ['tutorial', 'tables', 'live-feeds', 'deployment', 'decisions/'])
    assert.ok(
      html.includes(`<a class="VPLink link link" href="/docs/${page}${page.endsWith('/') ? '' : '.html'}"`),
      page,
    )
})

test('links lead to pages, and name files that are no pages', () => {
  const html = read('docs/index.html')
  assert.match(html, /<a href="\.\/permissions\.html"/)
  assert.match(html, /<span title="examples\/conduit\/conduit\.ts">/)
})

test('a search finds sections', () => {
  const [index] = globSync('assets/chunks/@localSearchIndexroot.*.js', { cwd: built })
  for (const title of ['Send mails', 'Soft deletion']) assert.ok(read(index!).includes(title), title)
})
