// Reads the settings of one profile, as the settings of the service are read: environment variables override the values
// in the config file, which override the defaults.

import type * as z from 'zod'
import { adviseSetting } from './advise-setting.ts'
import { SettingsError } from './settings-error.ts'

/** The settings of a profile. `variables` names environment variables, which override `values`. */
export interface ProfileSettings<Schema extends z.ZodObject> {
  readonly schema: Schema
  readonly values?: z.input<Schema> | undefined
  /** The setting of each environment variable, whose value is a string: `{ SHOP_CURRENCY: 'currency' }`. */
  readonly variables?: Readonly<Record<string, keyof z.input<Schema> & string>>
}

/** What `serve --demo` loads and uses. */
export interface ProfileDemo<Schema extends z.ZodObject> {
  /** How the printed introduction names the profile; default: its title. */
  readonly title?: string
  /**
   * The rows to load into an empty database, in the form of a data file. The setting `demo` and several profiles may
   * declare the same user: the first of them that gives a property wins.
   */
  readonly data?: Readonly<Record<string, readonly object[]>>
  /** Defaults that replace those of the schema. */
  readonly settings?: Partial<z.input<Schema>>
}

/** Where the settings come from, apart from the config file. */
export interface ProfileSources {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** True: the defaults of the demonstration apply. */
  readonly isDemo: boolean
}

interface Declared<Schema extends z.ZodObject> {
  readonly settings?: ProfileSettings<Schema>
  readonly demo?: ProfileDemo<Schema>
}

/** Returns the settings of the profile; throws SettingsError for the first invalid one. */
export function readProfileSettings<Schema extends z.ZodObject>(
  profile: string,
  { settings, demo }: Declared<Schema>,
  { environment, isDemo }: ProfileSources,
): z.output<Schema> {
  const variables = Object.entries(settings?.variables ?? {}).filter(([variable]) => environment[variable])
  const values: Readonly<Record<string, unknown>> = {
    ...(isDemo && demo?.settings),
    ...withoutUndefined(settings?.values),
    ...Object.fromEntries(variables.map(([variable, setting]) => [setting, environment[variable]])),
  }
  // A profile without settings has none that could be wrong.
  if (settings === undefined) return {} as z.output<Schema>
  // `jitless`, because generating code for the schema takes longer than one validation.
  const result = settings.schema.strict().safeParse(values, { jitless: true })
  if (result.success) return Object.freeze(result.data) as z.output<Schema>
  const issue = result.error.issues[0]!
  const variable = variables.findLast(([, setting]) => setting === issue.path[0])?.[0]
  throw new SettingsError(formatIssue(profile, issue, { values, variable, schema: settings.schema }))
}

// A factory passes its optional arguments on, so an undefined value means that the setting is not given.
const withoutUndefined = (values: object = {}): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

function formatIssue(
  profile: string,
  issue: z.core.$ZodIssue,
  {
    values,
    variable,
    schema,
  }: {
    readonly values: Readonly<Record<string, unknown>>
    readonly variable: string | undefined
    readonly schema: z.core.$ZodType
  },
): string {
  if (issue.code === 'unrecognized_keys')
    return `${[profile, ...issue.path, issue.keys[0]].join('.')}: unknown setting${adviseSetting(schema, issue)}`
  const setting = [profile, ...issue.path].join('.')
  const value = issue.path.reduce((holder: unknown, part) => Object(holder)[part], values)
  if (value === undefined) return `${setting}: must be set`
  // A URL may contain a password. An hourly rate is not a URL.
  const isSecret = /secret|password|token|key|url(?!y)/i.test(setting)
  const name = variable ?? `${setting} (config file)`
  return `${name}: ${issue.message}${isSecret ? '' : `, not ${JSON.stringify(value)}`}`
}
