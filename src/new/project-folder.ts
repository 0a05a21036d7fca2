// Writes the files of a new project into a new or empty folder: all of them or none.

import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { NewError } from './new-error.ts'
import type { ProjectFiles } from './template.ts'

/** Throws NewError if the folder is not one that a project can be written into. Changes nothing. */
export function checkFolder(folder: string): void {
  if (!existsSync(folder)) return
  if (!statSync(folder).isDirectory()) throw new NewError(`${folder}: is a file: name a folder`)
  if (list(folder).some(name => name !== '.git'))
    throw new NewError(`${folder}: is not empty: name a new folder, or an empty one`)
}

/** Throws NewError if a file cannot be written; those that were written before are then deleted. */
export function writeFiles(folder: string, files: ProjectFiles): void {
  const written: string[] = []
  const create = (path: string): void => {
    const first = mkdirSync(path, { recursive: true })
    if (first !== undefined) written.push(first)
  }
  try {
    create(folder)
    for (const [name, text] of files) {
      const file = join(folder, name)
      create(dirname(file))
      written.push(file)
      writeFileSync(file, text, { flag: 'wx' })
    }
  } catch (error) {
    for (const path of written) rmSync(path, { recursive: true, force: true })
    throw toNewError(error, folder)
  }
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    throw toNewError(error, folder, 'read')
  }
}

function toNewError(error: unknown, folder: string, verb = 'written'): unknown {
  const { code } = error as NodeJS.ErrnoException
  return code === undefined ? error : new NewError(`${folder}: cannot be ${verb} (${code})`)
}
