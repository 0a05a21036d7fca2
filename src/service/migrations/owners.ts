// The owners of tables whose steps and declared tables the commands compare: the profiles of a service, or the exports of a program.

import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findEnds, type Migrations, type OwnedMigrations, readSteps } from '#core'
import { CommandError } from '../processes/error-messages.ts'

/** An owner with its steps. */
export interface DeclaredOwner extends OwnedMigrations {
  readonly steps: Migrations
  /** The folder of the steps, as a path from the working directory; undefined: the program contains them. */
  readonly folder: string | undefined
}

/** Reads the steps of the owners. Rejects with an Error that names a file that is no step. */
export const readOwners = (owners: readonly OwnedMigrations[]): Promise<readonly DeclaredOwner[]> =>
  Promise.all(
    owners.map(async owner => {
      const folder = findFolder(owner.steps)
      const isNew = folder !== undefined && !existsSync(folder)
      return { ...owner, folder, steps: isNew ? {} : await readSteps(owner.steps) }
    }),
  )

/** The folder of the steps, as a path from the working directory; undefined if the program contains them. */
export function findFolder(steps: OwnedMigrations['steps']): string | undefined {
  if (typeof steps !== 'string' && !(steps instanceof URL)) return undefined
  const isPath = typeof steps === 'string' && !steps.startsWith('file:')
  return relative('', isPath ? resolve(steps) : fileURLToPath(steps)) || '.'
}

/** The owner of this name, or the only one. */
export function findOwner(owners: readonly DeclaredOwner[], name: string | undefined): DeclaredOwner {
  const found = name === undefined && owners.length === 1 ? owners[0] : owners.find(({ owner }) => owner === name)
  if (found !== undefined) return found
  const names = owners.map(({ owner }) => owner).join(', ') || 'none'
  throw new CommandError(
    name === undefined ? `name one of the owners: ${names}` : `there is no owner "${name}"; the owners are ${names}`,
  )
}

/** The folder for a new step. Throws CommandError if the program contains the steps. */
export function findStepFolder({ owner, folder }: DeclaredOwner): string {
  if (folder !== undefined) return folder
  throw new CommandError(
    `${owner}: its steps are not in a folder, so that no file can be written: move each to a file, and write migrations: import.meta.dirname + '/migrations'`,
  )
}

/** The step on which a new one builds; undefined: there is none yet. Throws CommandError if there are two. */
export function findEnd({ owner, steps }: DeclaredOwner): string | undefined {
  const ends = findEnds(steps)
  if (ends.length <= 1) return ends[0]
  throw new CommandError(formatEnds(owner, ends))
}

export const formatEnds = (owner: string, ends: readonly string[]): string =>
  `${owner} has ${ends.length === 2 ? 'two' : ends.length} ends, ${ends.join(' and ')}: join them with "resource-api migrations merge"`
