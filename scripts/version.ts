/** The files of this repository as they are now. Pages with results name them, and results are compared by them. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export interface Version {
  /** The commit that is checked out. */
  readonly commit: string
  /** Whether files differ from the commit. */
  readonly isChanged: boolean
  /** The id of all files but the written pages, as if they were committed. */
  readonly tree: string
}

/** Commands write results to these pages, so they belong to no version: a page does not change what it describes. */
const pages = ['benchmarks', 'reliability', 'specification'].map(name => `docs/${name}.md`)

/** The version of the checkout that contains this folder. Undefined without Git. */
export function findVersion(checkout = '.'): Version | undefined {
  const git = (args: readonly string[], env = process.env): string =>
    execFileSync('git', args, { cwd: checkout, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  const folder = mkdtempSync(join(tmpdir(), 'resource-api-tree-'))
  try {
    // Git adds the files to a copy of its index, so nothing is staged.
    const index = join(folder, 'index')
    copyFileSync(resolve(checkout, git(['rev-parse', '--git-path', 'index'])), index)
    const environment = { ...process.env, GIT_INDEX_FILE: index }
    const writeTree = () => {
      git(['rm', '--cached', '--quiet', '--ignore-unmatch', '--', ...pages.map(page => `:/${page}`)], environment)
      return git(['write-tree'], environment)
    }
    git(['add', '--all', ':/'], environment)
    const tree = writeTree()
    git(['read-tree', 'HEAD'], environment)
    return { commit: git(['rev-parse', 'HEAD']), isChanged: tree !== writeTree(), tree }
  } catch {
    return undefined
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** For people: `4709996e1b2c`, or `4709996e1b2c with changes`. */
export function formatVersion(version: Pick<Version, 'commit' | 'isChanged'> | undefined): string {
  if (version === undefined) return 'unknown'
  return `${version.commit.slice(0, 12)}${version.isChanged ? ' with changes' : ''}`
}
