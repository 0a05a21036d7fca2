/**
 * `node scripts/check-imports.ts [root]`: checks the direction of imports, as `CONTRIBUTING.md` describes it.
 * Prints each violation as `file:line: message` and exits 1 when there are any.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Node } from 'typescript/unstable/ast'
import { readSources } from './read-sources.ts'
import { findFolderImport, findWrongStorey, storeys } from './storeys.ts'

export interface Import {
  /** The importing file, relative to the root, with forward slashes. */
  file: string
  line: number
  /** As written. */
  specifier: string
  /** The imported file, if it is one of the project: by a relative path or by the name of an entry point. */
  target: string | undefined
}

export function findViolations(imports: readonly Import[]): string[] {
  const shipped = imports.filter(one => !isTest(one.file))
  return [
    ...imports.flatMap(one => findViolationsOfImport(one).map(message => `${one.file}:${one.line}: ${message}`)),
    ...findCycles(shipped),
    ...findFolderCircles(shipped),
  ]
}

/** Every import of the project's files, read by the compiler: comments and strings count for nothing. */
export function readImports(root: string): Import[] {
  const entryPoints = readEntryPoints(root)
  return readSources(root, (path, source) =>
    source.imports.map(node => toImport(root, path, source.text, node, entryPoints)),
  )
}

/** The source file of each name by which the package can be imported. */
type EntryPoints = ReadonlyMap<string, string>

function readEntryPoints(root: string): EntryPoints {
  const file = join(root, 'package.json')
  if (!existsSync(file)) return new Map()
  const { name, exports = {}, imports = {} } = JSON.parse(readFileSync(file, 'utf8'))
  const doors = Object.entries<string>(exports).map(([path, file]) => [name + path.slice(1), file] as const)
  return new Map(
    [...doors, ...Object.entries<string>(imports)].map(([door, file]) => [door, file.replace(/^\.\//, '')]),
  )
}

function toImport(root: string, path: string, text: string, node: Node, entryPoints: EntryPoints): Import {
  const specifier = text.slice(node.pos, node.end).trim().slice(1, -1)
  return {
    file: toPortable(relative(root, path)),
    line: text.slice(0, node.end).split('\n').length,
    specifier,
    target: isRelative(specifier)
      ? toPortable(relative(root, resolve(dirname(path), specifier)))
      : entryPoints.get(specifier),
  }
}

const isRelative = (specifier: string): boolean => /^\.\.?(\/|$)/.test(specifier)

function toPortable(path: string): string {
  return path.split(sep).join('/')
}

function findViolationsOfImport({ file, specifier, target }: Import): string[] {
  if (target === undefined) return []
  const wrongEnding =
    isRelative(specifier) && !/\.(ts|json)$/.test(target) ? `"${specifier}" lacks its ending .ts` : undefined
  const violation = findWrongDirection(file, target) ?? findWrongSpecifier(file, specifier, target)
  return [wrongEnding, violation].filter(message => message !== undefined)
}

function findWrongDirection(file: string, target: string): string | undefined {
  if (!file.startsWith('src/')) return undefined
  if (!target.startsWith('src/'))
    return isTest(file) || target.endsWith('.json') ? undefined : `src/ may not import ${target}`
  // The files directly in `src/` are the public doors and the executable, which are above all storeys.
  if (isTopFile(target) && !isTopFile(file) && !isPublicDoor(file, target))
    return `${findStorey(file)}/ may not import ${target}, which builds on it`
  const database = /^src\/core\/database\/(?:sqlite|postgres)\//.exec(target)?.[0]
  if (database !== undefined && !file.startsWith('src/core/database/') && !isTest(file) && !isDoor(file))
    return `only src/core/database/ and the doors may import ${database}`
  const folders = findFolderImport(file, target)
  // A unit test may use all of its storey.
  return folders === undefined || (isTest(file) && folders.parent !== 'src') ? undefined : findWrongStorey(folders)
}

// Applications import public doors. Another storey is imported by its inner door, and the own one by relative paths. Tests may
// open inner files.
function findWrongSpecifier(file: string, specifier: string, target: string): string | undefined {
  if (!target.startsWith('src/') || isTopFile(target)) return undefined
  if (/^(?:examples|templates)\//.test(file))
    return `"${specifier}" must be imported from a public door, such as resource-api`
  if (!file.startsWith('src/') || isTopFile(file)) return undefined
  const [own, other] = [findStorey(file), findStorey(target)]
  if (own === other) return isRelative(specifier) ? undefined : `${own}/ must import its own files by relative paths`
  return isRelative(specifier) && !isTest(file) ? `"${specifier}" must be imported from its door, #${other}` : undefined
}

const isDoor = (file: string): boolean => isTopFile(file) || /^src\/[^/]+\/index\.ts$/.test(file)
const isTopFile = (file: string): boolean => /^src\/[^/]+$/.test(file)
const findStorey = (file: string): string => file.split('/')[1] ?? ''

/** The service of the repository and unit tests may import the public doors, as applications do. */
const isPublicDoor = (file: string, target: string): boolean =>
  (file.startsWith('src/seed/') || isTest(file)) && target !== 'src/cli.ts'

/** Circles of folders that lie beside each other, at every depth; the lists of storeys exclude them already. */
function findFolderCircles(imports: readonly Import[]): string[] {
  const byParent = new Map<string, Map<string, Set<string>>>()
  for (const { file, target } of imports) {
    const found = target?.startsWith('src/') && file.startsWith('src/') ? findFolderImport(file, target) : undefined
    if (found === undefined || storeys[found.parent] !== undefined) continue
    const folders = byParent.get(found.parent) ?? new Map<string, Set<string>>()
    byParent.set(found.parent, folders.set(found.from, (folders.get(found.from) ?? new Set()).add(found.to)))
  }
  return [...byParent].flatMap(([parent, folders]) =>
    findCircle(folders).map(circle => `${parent}: circle of folders ${circle.join(' → ')}`),
  )
}

function findCircle(folders: ReadonlyMap<string, ReadonlySet<string>>): readonly (readonly string[])[] {
  const done = new Set<string>()
  const circles: (readonly string[])[] = []
  const visit = (folder: string, trail: readonly string[]): void => {
    const start = trail.indexOf(folder)
    if (start !== -1) circles.push([...trail.slice(start), folder])
    if (start !== -1 || done.has(folder)) return
    for (const next of folders.get(folder) ?? []) visit(next, [...trail, folder])
    done.add(folder)
  }
  for (const folder of folders.keys()) visit(folder, [])
  return circles
}

function isTest(file: string): boolean {
  return file.endsWith('.test.ts')
}

/** Depth first; an import that leads back to a file still being visited closes a cycle. Type imports count. */
function findCycles(imports: readonly Import[]): string[] {
  const importsOf = Map.groupBy(imports, one => one.file)
  const done = new Set<string>()
  const cycles: string[] = []
  const visit = (file: string, trail: readonly string[]): void => {
    if (done.has(file)) return
    const path = [...trail, file]
    for (const { target, line } of importsOf.get(file) ?? []) {
      if (target === undefined) continue
      const start = path.indexOf(target)
      if (start === -1) visit(target, path)
      else cycles.push(`${file}:${line}: import cycle ${[...path.slice(start), target].join(' → ')}`)
    }
    done.add(file)
  }
  for (const file of importsOf.keys()) visit(file, [])
  return cycles
}

if (import.meta.main) {
  const root = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)))
  const violations = findViolations(readImports(root))
  for (const violation of violations) console.error(violation)
  process.exitCode = violations.length > 0 ? 1 : 0
}
