// The versions of an API: which one a request asks for, and where it says so.

import { checkOptionNames, type OptionNames } from '../../base/option-names.ts'

/**
 * How requests choose the version of an API, which its code reads as `context.version`. A text: the only version of an API that is mounted
 * below a prefix of its own.
 *
 * @example
 * createApi({ versioning: { in: 'accept', versions: ['1', '2'], default: '1' }, resources: [notes], database })
 */
export type Versioning = string | VersioningOptions

export interface VersioningOptions {
  /** `accept`: a parameter of the media type in `Accept`; an unknown version is 406, elsewhere 404. */
  readonly in: 'accept' | 'header' | 'query'
  /** The name of the parameter or the header field. Default: `version`; a header field has no default. */
  readonly name?: string
  readonly versions: readonly string[]
  /** The version of requests that name none. */
  readonly default: string
}

/** The versions of an API with all options. */
export type CompleteVersioning = Required<VersioningOptions>

export const completeVersioning = (versioning: Versioning | undefined): CompleteVersioning | string | undefined =>
  typeof versioning === 'object' ? { name: 'version', ...versioning } : versioning

/** The version of requests that name none, and of commands. */
export const findDefaultVersion = (versioning: CompleteVersioning | string | undefined): string | undefined =>
  typeof versioning === 'object' ? versioning.default : versioning

interface ParameterSettings {
  readonly formatParam: string | null
  readonly versioning: CompleteVersioning | string | undefined
}

/** The query parameters that every view of an API has. */
export const listApiParameters = ({ formatParam, versioning }: ParameterSettings): readonly string[] => [
  ...(formatParam === null ? [] : [formatParam]),
  ...(typeof versioning === 'object' && versioning.in === 'query' ? [versioning.name] : []),
]

const optionNames: OptionNames<VersioningOptions> = { in: true, name: true, versions: true, default: true }

/** Throws for the first mistake. Node runs TypeScript without checking types. */
export function checkVersioning(where: string, versioning: Versioning | undefined, formatParam: string | null): void {
  if (versioning === undefined) return
  if (typeof versioning === 'string') {
    if (versioning === '') throw new Error(`${where}: the version must not be empty: write one such as "1"`)
    return
  }
  if (typeof versioning !== 'object' || versioning === null)
    throw new Error(`${where} must be a version such as '1', or an object with "in", "versions" and "default"`)
  checkOptionNames(where, versioning, optionNames)
  const { in: place, versions } = versioning
  if (!['accept', 'header', 'query'].includes(place))
    throw new Error(`${where}: in must be 'accept', 'header' or 'query', not ${JSON.stringify(place)}`)
  if (!Array.isArray(versions) || versions.length === 0 || !versions.every(isVersion))
    throw new Error(
      `${where}: versions must be a list of versions: letters, digits, ".", "_" and "-", not ${JSON.stringify(versions)}`,
    )
  if (!versions.includes(versioning.default))
    throw new Error(
      `${where}: default must be one of ${versions.map(each => `"${each}"`).join(', ')}, not ${JSON.stringify(versioning.default)}`,
    )
  checkName(where, versioning, formatParam)
}

// A value without these signs needs quotes in no header field.
const isVersion = (version: unknown): boolean => typeof version === 'string' && /^[\w.-]+$/.test(version)

function checkName(
  where: string,
  { in: place, name = place === 'header' ? undefined : 'version' }: VersioningOptions,
  formatParam: string | null,
): void {
  if (place === 'header' && name === undefined)
    throw new Error(`${where}: a header field needs the option "name", such as "X-API-Version"`)
  if (typeof name !== 'string' || !/^[A-Za-z_][\w-]*$/.test(name))
    throw new Error(`${where}: name must be letters, digits, _ and -, not ${JSON.stringify(name)}`)
  if (place === 'query' && name === formatParam)
    throw new Error(
      `${where}: the parameter "${name}" selects the renderer: rename it, or set the option "formatParam"`,
    )
  if (place === 'accept' && (name === 'q' || name === 'charset' || name === 'indent'))
    throw new Error(`${where}: the parameter "${name}" of Accept has another meaning: write another name`)
}
