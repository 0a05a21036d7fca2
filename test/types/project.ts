// An application that imports the package, for the compiler.

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const repository = fileURLToPath(new URL('../..', import.meta.url))

export interface Project {
  readonly folder: string
  /** Returns what the compiler prints. */
  compile(...options: readonly string[]): Promise<string>
}

/** Creates an application with these files, by name; it exists until the test ends. */
export async function createProject(files: ReadonlyMap<string, string>, context: TestContext): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'resource-api-types-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  const modules = join(folder, 'node_modules')
  await mkdir(modules)
  await symlink(repository, join(modules, 'resource-api'))
  for (const name of ['@types', 'kysely']) await symlink(join(repository, 'node_modules', name), join(modules, name))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  const options = {
    extends: join(repository, 'tsconfig.json'),
    compilerOptions: { noUnusedLocals: false },
    include: ['*.ts'],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options))
  for (const [name, code] of files) await writeFile(join(folder, name), code)
  const compiler = join(repository, 'node_modules/typescript/bin/tsc')
  return {
    folder,
    async compile(...args) {
      const compiling = promisify(execFile)(process.execPath, [compiler, '-p', folder, ...args], { cwd: folder })
      const { stdout } = await compiling.catch(error => error as { stdout: string })
      return stdout
    },
  }
}
