// The message of the first invalid setting, which names the flag, variable or config file from which it comes.

import type * as z from 'zod'
import { adviseSetting } from './advise-setting.ts'

export interface GivenValues {
  /** The values by setting, without defaults. `readProfiles` reads the setting `profiles`. */
  readonly values: Readonly<Record<string, unknown>>
  /** The flag, variable or config file from which each value comes. */
  readonly sourceNames: ReadonlyMap<string, string>
}

export function formatIssue(schema: z.ZodObject, error: z.ZodError, { values, sourceNames }: GivenValues): string {
  const [issue] = error.issues
  if (issue!.code === 'unrecognized_keys') {
    const [first, ...rest] = issue!.path
    const [name = ''] = issue!.keys
    const place =
      first === undefined ? [sourceNames.get(name) ?? name] : [sourceNames.get(String(first)) ?? first, ...rest, name]
    return `${place.join('.')}: unknown setting${adviseSetting(schema, issue!)}`
  }
  const [key, ...subkeys] = issue!.path.filter(part => typeof part === 'string') as [string, ...string[]]
  const path = [key, ...subkeys].join('.')
  const name = sourceNames.get(path) ?? [sourceNames.get(key) ?? key, ...subkeys].join('.')
  const value = subkeys.reduce((holder: unknown, part) => (holder as Record<string, unknown>)?.[part], values[key])
  const isSecret = key.startsWith('secretKey') || key.startsWith('database')
  return `${name}: ${issue!.message}${isSecret ? '' : `, not ${JSON.stringify(value)}`}`
}
