/**
 * `npm run house` prints how the code is laid out, read from the source itself: lines and files of each storey, circles of folders,
 * full folders, the files with the most importers, the names of each public door, the lines that ask for the kind and for the storage
 * of a field, and for seven requests the files that they enter.
 */
import { readFileSync } from 'node:fs'
import { readImports } from '../check-imports.ts'
import { findFolderImport, storeys } from '../storeys.ts'
import { readPublicNames } from './public-names.ts'
import { traceRequests } from './trace-requests.ts'

const root = new URL('../..', import.meta.url).pathname
const isProduction = (file: string): boolean => file.startsWith('src/') && !file.endsWith('.test.ts')

const imports = readImports(root).filter(({ file }) => isProduction(file))
const lines = countLines()

function countLines(): ReadonlyMap<string, number> {
  const files = new Set(imports.flatMap(({ file, target }) => [file, target ?? '']).filter(isProduction))
  return new Map([...files].filter(file => file.endsWith('.ts')).map(file => [file, read(file).split('\n').length - 1]))
}

function read(file: string): string {
  return readFileSync(new URL(file, `file://${root}`), 'utf8')
}

const folderOf = (file: string): string => file.slice(0, file.lastIndexOf('/'))
const largestFirst = <Item>(items: readonly (readonly [Item, number])[]) => items.toSorted((a, b) => b[1] - a[1])

function printStoreys(): void {
  console.log('storey               files   lines')
  for (const storey of storeys.src!) {
    const own = [...lines].filter(([file]) => file.startsWith(`src/${storey}/`))
    print(storey, own.length, sum(own))
    if (storey === 'core')
      for (const folder of storeys['src/core']!) {
        const inner = own.filter(([file]) => file.startsWith(`src/core/${folder}/`))
        print(`  ${folder}`, inner.length, sum(inner))
      }
  }
  print('all', lines.size, sum([...lines]))
}

const print = (name: string, files: number, count: number): void =>
  console.log(`${name.padEnd(20)}${String(files).padStart(6)}${String(count).padStart(8)}`)
const sum = (counted: readonly (readonly [string, number])[]): number =>
  counted.reduce((total, [, count]) => total + count, 0)

function printFolders(): void {
  const files = Map.groupBy(lines.keys(), folderOf)
  const fullest = largestFirst([...files].map(([folder, own]) => [folder, own.length] as const)).slice(0, 3)
  console.log(`\nfullest folders: ${fullest.map(([folder, count]) => `${folder} ${count}`).join(', ')}`)
  const longest = largestFirst([...lines]).slice(0, 3)
  console.log(`longest files: ${longest.map(([file, count]) => `${file} ${count}`).join(', ')}`)
  console.log(`folders in a circle: ${findCircles().join('; ') || 'none'}`)
}

/** The folders beside each other that import each other, directly or through others. */
function findCircles(): readonly string[] {
  const edges = new Map<string, Set<string>>()
  for (const { file, target } of imports) {
    const found = target === undefined || !isProduction(target) ? undefined : findFolderImport(file, target)
    if (found === undefined) continue
    const [from, to] = [`${found.parent}/${found.from}`, `${found.parent}/${found.to}`]
    edges.set(from, (edges.get(from) ?? new Set()).add(to))
  }
  return [...edges.keys()].filter(folder => reach(folder, edges).has(folder))
}

function reach(start: string, edges: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>()
  const waiting = [start]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const folder of edges.get(next) ?? []) {
      if (reached.has(folder)) continue
      reached.add(folder)
      waiting.push(folder)
    }
  return reached
}

function printHubs(): void {
  const importers = Map.groupBy(
    imports.filter(({ target }) => target !== undefined && isProduction(target)),
    ({ target }) => target!,
  )
  const counts = [...importers].map(([file, all]) => [file, new Set(all.map(one => one.file)).size] as const)
  console.log('\nfiles with the most importers:')
  for (const [file, count] of largestFirst(counts).slice(0, 10)) console.log(`  ${String(count).padStart(4)} ${file}`)
}

function printDoors(): void {
  const counts = [...readPublicNames(root)].map(([door, names]) => [door, names.length] as const)
  console.log('\nnames of the public doors:')
  for (const [door, count] of counts) console.log(`  ${String(count).padStart(4)} ${door}`)
  console.log(`  ${String(sum(counts)).padStart(4)} in all`)
}

// Lines that compare a member of a kind with a literal, and lines that ask whether columns, rows or children store a field.
const questions = {
  kind: /\bkind\??\.\w+(?:\?\.\[\d\])? [!=]== '|\bshown [!=]== '/,
  storage:
    /\b(?:hasColumn|isStored)\(|\b(?:childStorage|storedRows|field\.parts)\)?(?:$| return| \?(?!\?)| &&| [!=]== |\?\.\w+ [!=]== )/,
}

function printQuestions(): void {
  console.log('\nlines outside of kinds/ and storage.ts of src/core/fields that ask about a field:')
  const code = [...lines.keys()]
    .filter(file => !/^src\/core\/fields\/(?:kinds\/|storage)/.test(file))
    .flatMap(file => read(file).split('\n'))
  for (const [name, pattern] of Object.entries(questions))
    console.log(`  ${String(code.filter(line => pattern.test(line)).length).padStart(4)} ${name}`)
}

async function printRequests(): Promise<void> {
  console.log('\nrequest                                   files  changes of file  functions')
  for (const { name, files, changes, functions } of await traceRequests())
    console.log(
      `${name.padEnd(42)}${String(files).padStart(5)}${String(changes).padStart(17)}${String(functions).padStart(11)}`,
    )
}

printStoreys()
printFolders()
printHubs()
printDoors()
printQuestions()
await printRequests()
