// Checks the setting `profiles` and what refers to profiles: the selection of those to serve, their mounts and their
// throttle scopes.

import type { ConfiguredProfile, Profile } from '../profile.ts'
import type { ProfileSources } from './profile-settings.ts'
import { path } from './setting-schemas.ts'
import { SettingsError } from './settings-error.ts'

export interface ProfilesSources extends ProfileSources {
  /** The value in the config file, unchecked; undefined if it has none. */
  readonly configured: unknown
  /** The names of the profiles to serve, and the flag or variable that contains them; undefined: all. */
  readonly selected: { readonly source: string; readonly names: unknown } | undefined
  /** The environment variables of the service's own settings. */
  readonly serviceVariables: readonly string[]
}

/** Returns the configured profiles and those to serve; throws SettingsError for the first problem. */
export function readProfiles(sources: ProfilesSources): Record<'configured' | 'served', readonly ConfiguredProfile[]> {
  const profiles = readList(sources.configured)
  checkNames(profiles)
  checkVariables(profiles, sources.serviceVariables)
  const configured = profiles.map(profile => profile.configure(sources))
  return { configured, served: selectProfiles(configured, sources.selected) }
}

const setting = 'profiles (config file)'

function readList(configured: unknown): readonly Profile[] {
  if (configured === undefined) return []
  const items: readonly unknown[] = Array.isArray(configured) ? configured : [configured]
  if (items.length === 0)
    throw new SettingsError(`${setting}: must contain a profile; leave it out to serve only accounts`)
  const wrong = items.find(item => !isProfile(item))
  if (typeof wrong === 'string')
    throw new SettingsError(
      `${setting}: must contain profiles instead of their names: write [${wrong}()] instead of ["${wrong}"], and import the function, such as import { ${wrong} } from 'resource-api/${wrong}'`,
    )
  if (typeof wrong === 'function')
    throw new SettingsError(
      `${setting}: must contain profiles, not functions: call ${wrong.name || 'the function'}, such as [${wrong.name || 'shop'}()]`,
    )
  if (!Array.isArray(configured) || wrong !== undefined || items.includes(undefined))
    throw new SettingsError(
      `${setting}: must be a list of profiles, such as [profile('shop', { resources: [orders] })]`,
    )
  return items.filter(isProfile)
}

const isProfile = (value: unknown): value is Profile =>
  typeof value === 'object' && value !== null && 'variables' in value && 'configure' in value

/** The owners of the service's own tables, and the throttle scope of the token endpoint. */
const reservedNames = ['accounts', 'audit', 'idempotency', 'jobs', 'throttles', 'token']

function checkNames(profiles: readonly Profile[]): void {
  for (const [index, { name, mount }] of profiles.entries()) {
    if (!/^[a-z][a-z0-9-]*$/.test(name))
      throw new SettingsError(
        `${setting}: the name "${name}" must be a lower-case letter, then lower-case letters, digits and "-"`,
      )
    if (reservedNames.includes(name))
      throw new SettingsError(`${setting}: the name "${name}" belongs to the service: choose another one`)
    if (profiles.findIndex(other => other.name === name) < index)
      throw new SettingsError(`${setting}: two profiles have the name "${name}": choose another one`)
    if (!path.safeParse(mount).success)
      throw new SettingsError(
        `${setting}: the mount of ${name} must be a path of letters, digits and . _ ~ -, not "${mount}"`,
      )
  }
}

function checkVariables(profiles: readonly Profile[], serviceVariables: readonly string[]): void {
  const owners = new Map(serviceVariables.map(variable => [variable, 'the service']))
  for (const { name, variables } of profiles)
    for (const variable of variables) {
      const owner = owners.get(variable)
      if (owner !== undefined)
        throw new SettingsError(
          `${setting}: the variable ${variable} of ${name} is also one of ${owner}: choose another name, such as ${name.toUpperCase().replaceAll('-', '_')}_${variable}`,
        )
      owners.set(variable, name)
    }
}

function selectProfiles(
  configured: readonly ConfiguredProfile[],
  selected: ProfilesSources['selected'],
): readonly ConfiguredProfile[] {
  if (selected === undefined) return configured
  const { source, names } = selected
  const list = typeof names === 'string' ? names.split(',').map(name => name.trim()) : (names as readonly string[])
  const known = configured.map(({ name }) => name)
  const given = list.filter(Boolean)
  const value = `not ${JSON.stringify(typeof names === 'string' ? names : list.join(','))}`
  if (known.length === 0)
    throw new SettingsError(`${source}: there are no profiles to choose from: list them in the config file`)
  if (given.length === 0) throw new SettingsError(`${source}: must contain a profile, ${value}`)
  if (!given.every(name => known.includes(name)))
    throw new SettingsError(`${source}: must be one or more of ${known.join(', ')}, ${value}`)
  return [...new Set(given)].flatMap(name => configured.filter(profile => profile.name === name))
}

/** Throws SettingsError if a key of a setting, such as `mounts`, is neither a profile nor one of `others`. */
export function checkProfileNames(
  settingName: string,
  values: object,
  profiles: readonly ConfiguredProfile[],
  others: readonly string[] = [],
): void {
  const known = [...others, ...profiles.map(({ name }) => name)]
  const unknown = Object.keys(values).find(name => !known.includes(name))
  if (unknown === undefined) return
  const choice = known.length === 0 ? 'there are no profiles' : `must be one of ${known.join(', ')}`
  throw new SettingsError(`${settingName}.${unknown}: unknown profile: ${choice}`)
}

/** The paths of the service's own views, by setting; null if there are none. */
export type FixedPaths = Readonly<Record<'tokenPath' | 'adminPath' | 'loginPath', string | null>>

export const listFixedPaths = ({ tokenPath, adminPath, loginPath }: FixedPaths): FixedPaths => ({
  tokenPath,
  adminPath,
  loginPath,
})

/**
 * Returns the profiles with the paths at which they are mounted: a single one at the root, several at their mounts.
 * Throws SettingsError if one path is, or is inside, another one.
 */
export function mountProfiles(
  profiles: readonly ConfiguredProfile[],
  mounts: Readonly<Record<string, string>>,
  fixedPaths: FixedPaths,
): readonly ConfiguredProfile[] {
  if (profiles.length === 1) return profiles.map(profile => ({ ...profile, mount: '/' }))
  const mounted = profiles.map(profile => ({ ...profile, mount: mounts[profile.name] ?? profile.mount }))
  for (const profile of mounted) {
    const outer = mounted.find(other => other !== profile && profile.mount.startsWith(other.mount))
    if (outer !== undefined) throw createMountError(profile, `${outer.name} at ${outer.mount}`)
    for (const [name, fixed] of Object.entries(fixedPaths))
      if (fixed !== null && profile.mount.startsWith(fixed)) throw createMountError(profile, `${name} ${fixed}`)
  }
  return mounted
}

const createMountError = ({ name, mount }: ConfiguredProfile, outer: string) =>
  new SettingsError(
    `mounts.${name}: ${mount} is the same as ${outer}, or inside it: set another path, such as mounts: { ${JSON.stringify(name)}: '/${name}-api/' }`,
  )
