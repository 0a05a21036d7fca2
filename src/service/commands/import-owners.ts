// Finds the owners of tables that a program declares that is no service: the option `--from`.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { OwnedMigrations } from '#core'
import { CommandError } from '../processes/error-messages.ts'
import { importModule } from './read-config.ts'

/** The exports of a module that have an owner and steps. */
export async function importOwners(file: string): Promise<readonly OwnedMigrations[]> {
  const path = resolve(file)
  if (!existsSync(path)) throw new CommandError(`--from: the file ${path} does not exist`)
  const owners = Object.values(await importModule(path)).filter(isOwner)
  if (owners.length > 0) return owners
  throw new CommandError(
    `--from: ${path} exports no owner of tables, such as export const shop = { owner: 'shop', steps: import.meta.dirname + '/migrations', state }`,
  )
}

const isOwner = (value: unknown): value is OwnedMigrations =>
  typeof value === 'object' && value !== null && 'owner' in value && 'steps' in value
