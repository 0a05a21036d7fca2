import { join } from 'node:path'
import type { SourceFile } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'

/**
 * Reads something from each file of the project at `root`, as the compiler parses it. The compiler's programming interface is
 * still called unstable: an update of `typescript` may ask for changes here.
 */
export function readSources<Item>(root: string, read: (path: string, source: SourceFile) => readonly Item[]): Item[] {
  const api = new API({ cwd: root })
  try {
    const projects = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] }).getProjects()
    if (projects.length === 0) throw new Error(`${root} has no tsconfig.json.`)
    return projects.flatMap(({ rootFiles, program }) =>
      rootFiles.flatMap(path => {
        const source = program.getSourceFile(path)
        if (!source) throw new Error(`${path} could not be read.`)
        return read(path, source)
      }),
    )
  } finally {
    api.close()
  }
}
