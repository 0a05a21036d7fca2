/** Runs tests with `node:test`, and returns their names and whether they prove anything. */
import { globSync } from 'node:fs'
import { relative } from 'node:path'
import { run } from 'node:test'

export interface TestResult {
  name: string
  /** The file, relative to the working directory. */
  file: string
  /** The database, if the test is in a suite for one. */
  database: string | undefined
  outcome: 'passed' | 'failed'
}

export interface TestRun {
  /** Without skipped and todo tests, which prove nothing. */
  results: TestResult[]
  /** Files that ended before their tests did, for example by an error while loading. */
  brokenFiles: string[]
}

export const databases = ['SQLite', 'PostgreSQL']

/** `globalSetupPath` works in Node 24, but its types do not know it yet. */
type RunOptions = NonNullable<Parameters<typeof run>[0]> & { globalSetupPath?: string }

export async function runTests(globs: readonly string[], setup?: string): Promise<TestRun> {
  // Files, not globs: `run` interprets globs differently, and if nothing matches, it would use its default.
  const files = globSync(globs).sort()
  const options: RunOptions = { files, concurrency: true, ...(setup && { globalSetupPath: setup }) }
  const nodes: TestNode[] = []
  const brokenFiles: string[] = []
  for await (const { type, data } of run(options)) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const event: TestEvent = data
    // The runner wraps each file in a test of its own, without an entry file, and reports it when the file
    // has no tests or ends before they do.
    if (event.entryFile !== undefined)
      nodes.push({ ...event, key: formatKey(event, event.testId), outcome: findOutcome(type, event) })
    else if (type === 'test:fail') brokenFiles.push(relative('', event.file ?? event.name))
  }
  return { results: collectResults(nodes), brokenFiles }
}

interface TestEvent {
  name: string
  testId: number
  parentId: number | undefined
  file?: string | undefined
  /** The file whose process ran the test; the types do not know it yet. */
  entryFile?: string | undefined
  skip?: string | boolean | undefined
  todo?: string | boolean | undefined
  details: { type?: string | undefined }
}

interface TestNode extends TestEvent {
  key: string
  outcome: 'passed' | 'failed' | 'ignored'
}

function formatKey(event: TestEvent, id: number | undefined): string {
  return `${id} ${event.entryFile}`
}

function findOutcome(type: 'test:pass' | 'test:fail', event: TestEvent): TestNode['outcome'] {
  if (isMarked(event.skip) || isMarked(event.todo)) return 'ignored'
  return type === 'test:pass' ? 'passed' : 'failed'
}

/** With a reason, the mark is a string, which may be empty. */
function isMarked(mark: string | boolean | undefined): boolean {
  return mark !== undefined && mark !== false
}

function collectResults(nodes: readonly TestNode[]): TestResult[] {
  const byKey = new Map(nodes.map(node => [node.key, node]))
  const children = Map.groupBy(nodes, node => formatKey(node, node.parentId))
  return nodes.flatMap(node => {
    if (node.outcome === 'ignored' || (node.outcome === 'passed' && !isProof(node, children))) return []
    const file = relative('', node.entryFile ?? '')
    return [{ name: node.name, file, database: findDatabase(node, byKey), outcome: node.outcome }]
  })
}

/** A test proves something if it passes; with subtests, if one of them proves something. An empty suite proves nothing. */
function isProof(node: TestNode, children: ReadonlyMap<string, readonly TestNode[]>): boolean {
  if (node.outcome !== 'passed') return false
  const services = children.get(node.key)
  return services ? services.some(part => isProof(part, children)) : node.details.type !== 'suite'
}

function findDatabase(node: TestNode, byKey: ReadonlyMap<string, TestNode>): string | undefined {
  const parent = byKey.get(formatKey(node, node.parentId))
  if (!parent) return undefined
  return databases.find(database => parent.name.startsWith(database)) ?? findDatabase(parent, byKey)
}
