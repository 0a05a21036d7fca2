/**
 * `node scripts/check-imports.ts [root]`: checks the direction of imports, as `CONTRIBUTING.md` describes it.
 * Prints each violation as `file:line: message` and exits 1 when there are any.
 *
 * The compiler's programming interface is still called unstable: an update of `typescript` may ask for
 * changes here.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Node } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'

export interface Import {
  /** The importing file, relative to the root, with forward slashes. */
  file: string
  line: number
  /** As written. */
  specifier: string
  /** The imported file, if it is one of the project: by a relative path or by the name of an entry point. */
  target: string | undefined
}

/** The folders of `src/`; each may import those before it. */
const layers = ['framework', 'client', 'server', 'accounts', 'jwt', 'service', 'profiles', 'testing']

export function findViolations(imports: readonly Import[]): string[] {
  return [
    ...imports.flatMap(one => findViolationsOfImport(one).map(message => `${one.file}:${one.line}: ${message}`)),
    ...findCycles(imports.filter(one => !isTest(one.file))),
  ]
}

/** Every import of the project's files, read by the compiler: comments and strings count for nothing. */
export function readImports(root: string): Import[] {
  const api = new API({ cwd: root })
  try {
    const projects = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] }).getProjects()
    if (projects.length === 0) throw new Error(`${root} has no tsconfig.json.`)
    const entryPoints = readEntryPoints(root)
    return projects.flatMap(({ rootFiles, program }) =>
      rootFiles.flatMap(path => {
        const source = program.getSourceFile(path)
        if (!source) throw new Error(`${path} could not be read.`)
        return source.imports.map(node => toImport(root, path, source.text, node, entryPoints))
      }),
    )
  } finally {
    api.close()
  }
}

/** The source file of each name by which the package can be imported. */
type EntryPoints = ReadonlyMap<string, string>

function readEntryPoints(root: string): EntryPoints {
  const file = join(root, 'package.json')
  if (!existsSync(file)) return new Map()
  const { name, exports = {} } = JSON.parse(readFileSync(file, 'utf8'))
  return new Map(
    Object.entries<string>(exports).map(([path, file]) => [name + path.slice(1), file.replace(/^\.\//, '')] as const),
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
  const [tree, layer, part] = file.split('/')
  const [targetTree, targetLayer, targetPart] = target.split('/')
  if (tree !== 'src') return undefined
  if (targetTree !== 'src')
    return isTest(file) || target.endsWith('.json') ? undefined : `src/ may not import ${target}`
  if (findHeight(layer) < findHeight(targetLayer)) return `${layer} may not import ${targetLayer}, which builds on it`
  if (layer !== targetLayer || part === targetPart) return undefined
  if (layer === 'framework' && targetPart === 'browsable' && !isFrameworkEntryPoint(file))
    return `only browsable/ may import browsable/`
  if (layer === 'profiles') return `the profile ${part} may not import the profile ${targetPart}`
  return undefined
}

const isFrameworkEntryPoint = (file: string): boolean => /^src\/framework\/(?:index|extend)\.ts$/.test(file)

// Outside its own layer, a file imports what applications can import too.
function findWrongSpecifier(file: string, specifier: string, target: string): string | undefined {
  const [tree, layer] = file.split('/')
  const [targetTree, targetLayer = ''] = target.split('/')
  // The executable and what only it uses have no entry point.
  if (targetTree !== 'src' || !layers.includes(targetLayer)) return undefined
  if (tree === 'src' && layer === targetLayer)
    return isRelative(specifier) ? undefined : `${layer} must import its own files by relative paths`
  const isOutside = ['src', 'examples', 'templates'].includes(tree ?? '') || file.startsWith('test/http/')
  if (!isOutside || !isRelative(specifier)) return undefined
  return `"${specifier}" must be imported from an entry point such as resource-api`
}

/** The position of a layer; files directly in `src/`, such as an entry file, are above all layers. */
function findHeight(layer: string | undefined): number {
  const height = layers.indexOf(layer ?? '')
  return height === -1 ? layers.length : height
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
