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

const layers = ['framework', 'accounts', 'jwt', 'profiles', 'service']

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

function findViolationsOfImport({ file, specifier, target }: Import): string[] {
  if (target === undefined) return []
  const wrongEnding = !/\.(ts|json)$/.test(target) ? `"${specifier}" lacks its ending .ts` : undefined
  return [wrongEnding, directionViolation(file, target)].filter(message => message !== undefined)
}

function directionViolation(file: string, target: string): string | undefined {
  const [tree, layer, part] = file.split('/')
  const [targetTree, targetLayer, targetPart] = target.split('/')
  if (tree !== 'src') return undefined
  if (targetTree !== 'src')
    return isTest(file) || target.endsWith('.json') ? undefined : `src/ may not import ${target}`
  if (findHeight(layer) < findHeight(targetLayer)) return `${layer} may not import ${targetLayer}, which builds on it`
  if (layer !== targetLayer || part === targetPart) return undefined
  const isPackageIndex = file === 'src/framework/index.ts'
  if (layer === 'framework' && targetPart === 'browsable' && !isPackageIndex)
    return `only browsable/ may import browsable/`
  if (layer === 'profiles' && isFolder(file) && isFolder(target))
    return `the profile ${part} may not import the profile ${targetPart}`
  return undefined
}

/** The position of a layer; files directly in `src/`, such as an entry file, are above all layers. */
function findHeight(layer: string | undefined): number {
  const height = layers.indexOf(layer ?? '')
  return height === -1 ? layers.length : height
}

/** Whether a file is in a subfolder of its layer. */
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
