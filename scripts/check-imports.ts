/**
 * `node scripts/check-imports.ts [root]`: checks the direction of imports, as `CONTRIBUTING.md` describes it.
 * Prints each violation as `file:line: message` and exits 1 when there are any.
 *
 * The compiler's programming interface is still called unstable: an update of `typescript` may ask for
 * changes here.
 */
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
  /** The imported file, if the specifier is relative. */
  target: string | undefined
}

const storeys = ['framework', 'accounts', 'profiles', 'service']

export function findViolations(imports: readonly Import[]): string[] {
  return [
    ...imports.flatMap(one => violationsOf(one).map(message => `${one.file}:${one.line}: ${message}`)),
    ...findCycles(imports.filter(one => !isTest(one.file))),
  ]
}

/** Every import of the project's files, read by the compiler: comments and strings count for nothing. */
export function readImports(root: string): Import[] {
  const api = new API({ cwd: root })
  try {
    const projects = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] }).getProjects()
    if (projects.length === 0) throw new Error(`${root} has no tsconfig.json.`)
    return projects.flatMap(({ rootFiles, program }) =>
      rootFiles.flatMap(path => {
        const source = program.getSourceFile(path)
        if (!source) throw new Error(`${path} could not be read.`)
        return source.imports.map(node => toImport(root, path, source.text, node))
      }),
    )
  } finally {
    api.close()
  }
}

function toImport(root: string, path: string, text: string, node: Node): Import {
  const specifier = text.slice(node.pos, node.end).trim().slice(1, -1)
  return {
    file: toPortable(relative(root, path)),
    line: text.slice(0, node.end).split('\n').length,
    specifier,
    target: /^\.\.?(\/|$)/.test(specifier) ? toPortable(relative(root, resolve(dirname(path), specifier))) : undefined,
  }
}

function toPortable(path: string): string {
  return path.split(sep).join('/')
}

function violationsOf({ file, specifier, target }: Import): string[] {
  if (target === undefined) return []
  const wrongEnding = !/\.(ts|json)$/.test(target) ? `"${specifier}" lacks its ending .ts` : undefined
  return [wrongEnding, directionViolation(file, target)].filter(message => message !== undefined)
}

function directionViolation(file: string, target: string): string | undefined {
  const [tree, storey, part] = file.split('/')
  const [targetTree, targetStorey, targetPart] = target.split('/')
  if (tree !== 'src') return undefined
  if (targetTree !== 'src')
    return isTest(file) || target.endsWith('.json') ? undefined : `src/ may not import ${target}`
  if (heightOf(storey) < heightOf(targetStorey)) return `${storey} may not import ${targetStorey}, which is above it`
  if (storey !== targetStorey || part === targetPart) return undefined
  const isDoor = file === 'src/framework/index.ts'
  if (storey === 'framework' && targetPart === 'browsable' && !isDoor) return `only browsable/ may import browsable/`
  if (storey === 'profiles' && isFolder(file) && isFolder(target))
    return `the profile ${part} may not import the profile ${targetPart}`
  return undefined
}

/** What lies in `src/` beside the storeys, such as an entry file, stands on top of them. */
function heightOf(storey: string | undefined): number {
  const height = storeys.indexOf(storey ?? '')
  return height === -1 ? storeys.length : height
}

/** Whether a file of a storey lies in a folder of that storey. */
function isFolder(file: string): boolean {
  return file.split('/').length > 3
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
