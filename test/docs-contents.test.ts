// The links of the documentation lead to files and headings, and its tables agree with the code.

import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import * as framework from 'resource-api'
import { frameworkMessages } from 'resource-api/extend'

const repository = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string) => readFile(join(repository, path), 'utf8')
const find = (pattern: string) => globSync(pattern, { cwd: repository }).map(path => path.replaceAll('\\', '/'))

test('every link leads to a file, and to a heading that it has', async () => {
  for (const path of find('{*.md,docs/**/*.md}'))
    for (const link of findLinks(await read(path))) await checkLink(path, link)
})

test('docs/README.md links to every page', async () => {
  const links = findLinks(await read('docs/README.md'))
  for (const path of find('docs/*.md').map(file => basename(file)))
    assert.ok(path === 'README.md' || links.includes(path), path)
})

test('README.md and docs/command-line.md name the file of the package that a build of this version packs', async () => {
  const { version } = JSON.parse(await read('package.json'))
  for (const path of ['README.md', 'docs/command-line.md'])
    for (const [, name] of (await read(path)).matchAll(/resource-api-(\d[^ `]*)\.tgz/g))
      assert.equal(name, version, path)
})

const readRows = async (path: string): Promise<readonly (readonly string[])[]> =>
  [...(await read(path)).matchAll(/^\| (.*) \|$/gm)].map(([, row]) => row!.split(' | '))

test('docs/from-django-rest-framework.md: the tables side by side show code of the programs below them', async () => {
  const sections = (await read('docs/from-django-rest-framework.md')).split(/^(?=##)/m)
  const compared = sections.filter(section => /^### .* side by side\n/.test(section))
  assert.ok(compared.length > 1)
  for (const section of compared) {
    const code = [...section.matchAll(/^```ts\n(.*?)^```$/gms)].map(([block]) => block).join('')
    const cells = [...section.matchAll(/^\| .* \| (.*) \| .*\|$/gm)].map(([, cell]) => cell!)
    const shown = cells.filter(cell => cell.startsWith('`')).flatMap(cell => [...cell.matchAll(/`([^`]+)`/g)])
    assert.ok(shown.length > 5)
    for (const [, part] of shown) assert.ok(code.includes(part!), part)
  }
})

test('docs/errors.md lists each exception with its status and code', async () => {
  const rows = (await readRows('docs/errors.md')).flatMap(([name, status, code]) => {
    const found = /^`([A-Z]\w+)/.exec(name!)?.[1]
    return found !== undefined && /^\d+$/.test(status!) ? [[found, Number(status), code!.replaceAll('`', '')]] : []
  })
  const exceptions = Object.entries(framework).flatMap(([name, value]) =>
    typeof value === 'function' && value.prototype instanceof framework.APIException && name !== 'HostError'
      ? [[name, (value as typeof framework.APIException).status, (value as typeof framework.APIException).code]]
      : [],
  )
  assert.deepEqual(rows.toSorted(), exceptions.toSorted())
})

test('docs/languages.md lists each message of the framework with its text', async () => {
  const rows = [...(await read('docs/languages.md')).matchAll(/^\| `([a-z_.]+)` \| `(.*)` \|$/gm)]
  const texts = rows.map(([, key, text]) => [key, text!.replaceAll('\\|', '|')])
  assert.deepEqual(texts, Object.entries(frameworkMessages.texts))
})

test('docs/fields.md names each field, and docs/resources.md each option', async () => {
  const fields = [...(await read('src/framework/index.ts')).matchAll(/^export \{ (.*) \} from '\.\/fields\//gm)]
    .flatMap(([, names]) => names!.split(', '))
    .filter(name => !name.startsWith('type '))
  const options = [
    ...(await listMembers('src/framework/resources/resource.ts', 'ResourceOptions')),
    ...(await listMembers('src/framework/resources/hooks.ts', 'Hooks')),
    ...(await listMembers('src/framework/api-options.ts', 'ApiOptions')),
  ]
  assert.ok(fields.length > 20 && options.length > 40)
  const fieldsPage = await read('docs/fields.md')
  for (const name of fields) assert.ok(new RegExp(`\\b${name}\\b`).test(fieldsPage), name)
  const resourcesPage = await read('docs/resources.md')
  for (const name of options) assert.ok(resourcesPage.includes(`\`${name}\``), name)
})

async function listMembers(path: string, name: string): Promise<readonly string[]> {
  const [, declaration] = new RegExp(`interface ${name}<.*?\\{\\n(.*?)^}`, 'ms').exec(await read(path))!
  return [...declaration!.matchAll(/^ {2}readonly (\w+)/gm)].map(([, member]) => member!)
}

/** The relative links of a Markdown text, outside of its blocks of code. */
function findLinks(markdown: string): readonly string[] {
  const text = markdown.replace(/^```.*?^```$/gms, '')
  return [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link]) => link!)
}

async function checkLink(from: string, link: string): Promise<void> {
  const [target, heading] = link.split('#') as [string, string?]
  const path = target === '' ? from : join(dirname(from), target)
  await stat(join(repository, path)).catch(() => assert.fail(`${from}: ${link}`))
  if (heading !== undefined) assert.ok(findHeadings(await read(path)).includes(heading), `${from}: ${link}`)
}

/** The anchors that GitHub gives to the headings of a file. */
const findHeadings = (markdown: string): readonly string[] =>
  [...markdown.replace(/^```.*?^```$/gms, '').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
