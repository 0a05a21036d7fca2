/** The files of this repository as they are now. Pages with results name them, and results are compared by them. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Version {
  /** The commit that is checked out. */
  readonly commit: string
  /** Whether files differ from the commit. */
  readonly isChanged: boolean
  /** The id of all files, as if they were committed. */
  readonly tree: string
}

/** Undefined without Git. */
export function findVersion(): Version | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'resource-api-tree-'))
  try {
    // Git adds the files to a copy of its index, so nothing is staged.
    const index = join(folder, 'index')
    copyFileSync(git(['rev-parse', '--git-path', 'index']), index)
    const environment = { ...process.env, GIT_INDEX_FILE: index }
    git(['add', '--all'], environment)
    const [commit, committed] = [git(['rev-parse', 'HEAD']), git(['rev-parse', 'HEAD^{tree}'])]
    const tree = git(['write-tree'], environment)
    return { commit, isChanged: tree !== committed, tree }
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

const git = (args: readonly string[], environment: NodeJS.ProcessEnv = process.env): string =>
  execFileSync('git', args, { encoding: 'utf8', env: environment, stdio: ['ignore', 'pipe', 'ignore'] }).trim()
