// The executable `resource-api` as it is published: it starts in half the time of the sources.

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildLibrary } from '../../scripts/build-library.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

// Packages are found here, as if the package were installed, and the compile cache finds the same path in each run.
const folder = join(root, 'node_modules/.cache/installed/node_modules/resource-api')

/** The executable that the tests run: the built one in a run with the global setup, otherwise the sources. */
export const program = process.env.TEST_PROGRAM ?? join(root, 'src/cli.ts')

/** For `fork`: imports of the package load that of the executable. */
export const withBuiltPackage = {
  execArgv: ['--import', new URL('use-built-package.ts', import.meta.url).href],
}

/** Builds the executable, and returns its path, the value of TEST_PROGRAM. */
export async function buildProgram(): Promise<string> {
  await buildLibrary(root, folder)
  return join(folder, 'lib/cli.js')
}
