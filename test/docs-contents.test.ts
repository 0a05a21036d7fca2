// The links of the documentation lead to files and headings, and its tables agree with the code.

import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import * as framework from 'resource-api'
import { frameworkMessages } from '#core'
import { readPublicNames } from '../scripts/house/public-names.ts'

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

test('docs/from-django-rest-framework.md names the entry point of what is not in resource-api', async () => {
  const { exports } = JSON.parse(await read('package.json'))
  const entryPoints = Object.keys(exports).flatMap(path =>
    path === '.' || path === './package.json' ? [] : `resource-api${path.slice(1)}`,
  )
  const cells = (await readRows('docs/from-django-rest-framework.md')).map(row => row[1]!)
  const hasName = (name: string) => (cell: string) => new RegExp(`\`${name}(?:\\([^\`]*\\))?\``).test(cell)
  for (const entryPoint of entryPoints)
    for (const name of Object.keys(await import(entryPoint)).filter(other => !(other in framework))) {
      const uses = cells.filter(hasName(name))
      assert.ok(uses.length === 0 || uses.some(hasName(entryPoint)), `${name} of ${entryPoint}: ${uses[0]}`)
    }
})

test('the public doors have at most 450 names, and the documentation has each of them in its code', async () => {
  const doors = readPublicNames(repository)
  const most = { '.': 200, './extend': 80 }
  for (const [door, limit] of Object.entries(most)) assert.ok(doors.get(door)!.length <= limit, door)
  assert.ok([...doors.values()].flat().length <= 450)

  const pages = await Promise.all(find('{README.md,docs/*.md}').map(read))
  const words = new Set(pages.flatMap(findCode).flatMap(code => code.match(/[\w$]+/g) ?? []))
  for (const [door, names] of doors)
    assert.deepEqual(
      names.filter(name => !words.has(name)),
      [],
      door,
    )
})

/** The blocks of code of a Markdown text, and the code in its sentences. */
const findCode = (markdown: string): readonly string[] => markdown.match(/^```.*?^```|`[^`\n]+`/gms) ?? []

test('docs/errors.md lists each exception with its status and code', async () => {
  const rows = (await readRows('docs/errors.md')).flatMap(([name, status, code]) => {
    const found = /^`([A-Z]\w+)/.exec(name!)?.[1]
    return found !== undefined && /^\d+$/.test(status!) ? [[found, Number(status), code!.replaceAll('`', '')]] : []
  })
  const exceptions = Object.entries(framework).flatMap(([name, value]) =>
    typeof value === 'function' && value.prototype instanceof framework.APIException
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
  const fields = [...(await read('src/index.ts')).matchAll(/^export \{ (.*) \} from '\.\/core\/fields\/(?!keys)/gm)]
    .flatMap(([, names]) => names!.split(', '))
    .filter(name => !name.startsWith('type '))
  const options = [
    ...(await listMembers('src/core/resource/declare/resource-options.ts', 'ResourceOptions')),
    ...(await listMembers('src/core/resource/declare/hooks.ts', 'Hooks')),
    ...(await listMembers('src/api/api-options.ts', 'ApiOptions')),
  ]
  assert.ok(fields.length > 20 && options.length > 40)
  const fieldsPage = await read('docs/fields.md')
  for (const name of fields) assert.ok(new RegExp(`\\b${name}\\b`).test(fieldsPage), name)
  const resourcesPage = await read('docs/resources.md')
  for (const name of options) assert.ok(resourcesPage.includes(`\`${name}\``), name)
})

test('docs/decisions/009-libraries.md lists each package of package.json and of the site with its version', async () => {
  const { dependencies, devDependencies } = JSON.parse(await read('package.json'))
  const site = JSON.parse(await read('site/package.json'))
  const versions = Object.entries<string>({ ...dependencies, ...devDependencies, ...site.devDependencies })
  const names = (await readRows('docs/decisions/009-libraries.md')).flatMap(([cell]) => cell!.split(', '))
  const listed = names.filter(name => / \d/.test(name))
  const used = versions.map(([name, version]) => `${name} ${version.replace(/^npm:.*@/, '')}`)
  assert.deepEqual(listed.toSorted(), used.toSorted())
})

test('a message that names a page says in which package it is', async () => {
  const sources = find('src/**/*.ts').filter(path => !path.endsWith('.test.ts'))
  for (const path of sources)
    for (const [line] of (await read(path)).matchAll(
      /^(?! *(?:\/\/|\/?\*)).*docs\/[a-z-]+\.md(?! in the package).*$/gm,
    ))
      assert.fail(`${path}: ${line.trim()}`)
})

test('the commands of the documentation run a program that is on the path', async () => {
  for (const path of find('{*.md,docs/*.md,templates/*/README.md}')) {
    // Its server has a script of this name on the path.
    if (path === 'docs/deployment.md') continue
    const commands = findCommands(await read(path)).filter(command =>
      /^(?:[A-Z_]+=(?:"[^"]*"|[^\s"$]*) )*resource-api /.test(command),
    )
    assert.deepEqual(commands, [], path)
  }
})

/** The commands in blocks of a Markdown text, and those that set a variable in its sentences. */
function findCommands(markdown: string): readonly string[] {
  const blocks = [...markdown.matchAll(/^```(?:sh|console)\n(.*?)^```/gms)].flatMap(([, block]) => block!.split('\n'))
  const inSentences = [...markdown.matchAll(/`([A-Z_]+=[^`]+)`/g)].map(([, code]) => code!)
  return [...blocks, ...inSentences].flatMap(line => line.replace(/^\$ /, '').split(' && '))
}

test('no command gives two flags of which one contains the other', async () => {
  for (const path of find('{*.md,docs/*.md,templates/*/README.md}'))
    assert.doesNotMatch(await read(path), /--superuser --staff|--staff --superuser/, path)
})

test('the owner of an object is written in one way (decision 097)', async () => {
  for (const path of find('{README.md,docs/*.md,templates/**/*.ts,examples/**/*.ts}'))
    assert.doesNotMatch(await read(path), /owner_id: (?:user\.id|findAccountId)/, path)
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
