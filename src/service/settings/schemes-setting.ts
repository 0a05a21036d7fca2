// The setting `schemes`: the authentication schemes of the application, or a function that creates them from the accounts of the
// service.

import * as z from 'zod'
import type { Accounts } from '#accounts'
import type { Database, Scheme } from '#core'
import { SettingsError } from './settings-error.ts'

/** What a function in the setting `schemes` can use. */
export interface SchemesContext {
  readonly accounts: Accounts
  readonly database: Database
  readonly clock: () => Date
}

/** Creates the schemes once in each process, before the database is migrated, so it must not query the database. */
export type CreateSchemes = (context: SchemesContext) => readonly Scheme[]

const problem = 'must be authentication schemes, such as [jwtScheme({ … })], or a function that returns them'

const isSchemes = (value: unknown): value is readonly Scheme[] =>
  Array.isArray(value) && value.every(scheme => typeof (scheme as Partial<Scheme> | null)?.authenticate === 'function')

/** The schema of the setting. */
export const schemes = z.custom<readonly Scheme[] | CreateSchemes>(
  value => typeof value === 'function' || isSchemes(value),
  problem,
)

/** Returns the schemes. Throws SettingsError if the function throws, or returns something else. */
export function openSchemes(setting: readonly Scheme[] | CreateSchemes, context: SchemesContext): readonly Scheme[] {
  if (typeof setting !== 'function') return setting
  const created: unknown = createSchemes(setting, context)
  if (!isSchemes(created)) throw new SettingsError(`schemes (config file): ${problem}`)
  return created
}

function createSchemes(create: CreateSchemes, context: SchemesContext): unknown {
  try {
    return create(context)
  } catch (error) {
    throw new SettingsError(`schemes (config file): ${(error as Error).message}`, { cause: error })
  }
}
