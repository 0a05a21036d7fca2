// Opens the profiles that the process serves, and joins the parts of each into one.

import { type AdminOptions, type AdminResource, administrationNames, adminResource, resetJobName } from '#accounts'
import { type OwnedMigrations, type Resource, resolveNames } from '#core'
import { neededTables } from '#jobs'
import type { Fixture } from './data/fixture.ts'
import { listExamples } from './data/list-examples.ts'
import { fixture } from './data/resource-fixture.ts'
import type { ConfiguredProfile } from './profile.ts'
import type { ExampleRequest, ProfileContext, ProfileParts } from './profile-options.ts'
import type { FixedPaths } from './settings/profiles.ts'
import { SettingsError } from './settings/settings-error.ts'

/** A profile of this process, with all its parts. */
export interface OpenProfile
  extends Required<Omit<ProfileParts, 'pagination' | 'permissions' | 'envelope' | 'openapi' | 'fixtures' | 'admin'>> {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The path at which the API is mounted: begins and ends with a slash. */
  readonly mount: string
  /** The same path, as links end. */
  readonly root: string
  readonly demo: ConfiguredProfile['demo']
  readonly idempotencyKeys: boolean
  readonly pagination: ProfileParts['pagination']
  readonly permissions: ProfileParts['permissions']
  readonly envelope: ProfileParts['envelope']
  readonly openapi: NonNullable<ProfileParts['openapi']>
  readonly fixtures: Readonly<Record<string, Fixture>>
  /** The resources that the administration shows. */
  readonly admin: readonly AdminResource[]
  readonly examples: readonly ExampleRequest[]
  /** The tables of its webhooks, which come with their jobs. */
  readonly webhookTables: readonly OwnedMigrations[]
}

/**
 * Opens the profiles in their order. Throws SettingsError if one cannot be opened, or if two profiles, or a profile and
 * the service, have a part of the same name or path; then the opened profiles are closed.
 */
export function openProfiles(
  profiles: readonly ConfiguredProfile[],
  context: Omit<ProfileContext<unknown>, 'settings'>,
  fixedPaths: FixedPaths,
): readonly OpenProfile[] {
  const opened: OpenProfile[] = []
  try {
    for (const profile of profiles) opened.push(openProfile(profile, context))
    for (const kind of distinctParts) checkDistinct(opened, kind)
    for (const profile of opened) checkPaths(profile, fixedPaths)
    return opened
  } catch (error) {
    void closeProfiles(opened).catch(() => undefined)
    throw error
  }
}

/** Closes all profiles, in the reverse order of their opening; then rejects with the first error, if there was one. */
export async function closeProfiles(profiles: readonly OpenProfile[]): Promise<void> {
  const errors: unknown[] = []
  for (const { name, close } of profiles.toReversed())
    await close().catch(error => errors.push(new Error(`the profile ${name} cannot be closed`, { cause: error })))
  if (errors.length > 0) throw errors[0]
}

/** Throws SettingsError if a profile has the resources of webhooks, but none has the jobs that send. */
export function checkWebhooks(profiles: readonly OpenProfile[], owners: readonly OwnedMigrations[]): void {
  const lacking = profiles.find(({ webhookTables }) => webhookTables.some(tables => !owners.includes(tables)))
  if (lacking !== undefined)
    throw new SettingsError(
      `profiles: ${lacking.name} has resources of createWebhooks(), but no profile has the jobs that send: add "jobs: webhooks.jobs" to ${lacking.name}`,
    )
}

function openProfile(profile: ConfiguredProfile, context: Omit<ProfileContext<unknown>, 'settings'>): OpenProfile {
  try {
    return joinParts(profile, profile.open(context))
  } catch (error) {
    if (error instanceof SettingsError) throw error
    throw new SettingsError(`profiles: ${profile.name} cannot be opened: ${(error as Error).message}`, { cause: error })
  }
}

function joinParts(profile: ConfiguredProfile, parts: readonly ProfileParts[]): OpenProfile {
  const { name, title, description, mount, demo, idempotencyKeys } = profile
  const declared = parts.flatMap(part => part.resources ?? [])
  const resources = resolveNames(declared)
  const toResolved = (resource: Resource): Resource => resources[declared.indexOf(resource)] ?? resource
  const permissions = parts.flatMap(part => part.permissions ?? [])
  const trailingSlash = parts.findLast(part => part.trailingSlash !== undefined)?.trailingSlash ?? true
  return {
    ...{ name, title, description, mount, demo, idempotencyKeys, resources },
    views: Object.assign({}, ...parts.map(part => part.views)),
    pagination: parts.findLast(part => part.pagination !== undefined)?.pagination,
    parameters: Object.assign({}, ...parts.map(part => part.parameters)),
    strict: parts.findLast(part => part.strict !== undefined)?.strict ?? false,
    unknownFields: parts.findLast(part => part.unknownFields !== undefined)?.unknownFields ?? 'ignore',
    describesLists: parts.findLast(part => part.describesLists !== undefined)?.describesLists ?? true,
    suggestsIndexes: parts.findLast(part => part.suggestsIndexes !== undefined)?.suggestsIndexes ?? true,
    trailingSlash,
    root: trailingSlash === true ? mount : mount.replace(/(?<=.)\/$/, ''),
    envelope: parts.findLast(part => part.envelope !== undefined)?.envelope,
    put: parts.findLast(part => part.put !== undefined)?.put ?? 'whole',
    openapi: joinDocuments(profile, parts, resources),
    permissions: permissions.length === 0 ? undefined : permissions,
    bodySize: Math.max(...parts.map(part => part.bodySize ?? 0)),
    pages: Object.assign({}, ...parts.map(part => part.pages)),
    jobs: parts.flatMap(part => part.jobs ?? []),
    catalogues: parts.flatMap(part => part.catalogues ?? []),
    admin: parts
      .flatMap(part => Object.entries(part.admin ?? {}))
      .map(entry => toAdminResource(name, resources, entry)),
    fixtures: Object.fromEntries(
      parts.flatMap(part => Object.entries(part.fixtures ?? {})).map(part => toFixture(part, toResolved)),
    ),
    webhookTables: declared.flatMap(resource => neededTables.get(resource) ?? []),
    async configure(app, context) {
      for (const part of parts) await part.configure?.(app, context)
    },
    metrics(registry) {
      for (const part of parts) part.metrics?.(registry)
    },
    examples: profile.examples ?? exampleRequests(resources, trailingSlash === true ? '/' : ''),
    async close() {
      for (const part of parts.toReversed()) await part.close?.()
    },
  }
}

// A later part changes the document of an earlier one.
function joinDocuments(
  { title, description, demo }: ConfiguredProfile,
  parts: readonly ProfileParts[],
  resources: readonly Resource[],
): OpenProfile['openapi'] {
  const given = parts.flatMap(({ openapi }) => (openapi === undefined ? [] : [openapi]))
  if (given.at(-1) === false) return false
  const examples = listExamples(demo?.data ?? {}, resources)
  return Object.assign({ title, ...(description !== '' && { description }), examples }, ...given)
}

const toFixture = (
  [name, value]: readonly [string, Fixture | Resource],
  toResolved: (resource: Resource) => Resource,
): readonly [string, Fixture] => [name, 'read' in value ? value : fixture(toResolved(value))]

function toAdminResource(
  profile: string,
  resources: readonly Resource[],
  [name, options]: readonly [string, AdminOptions],
): AdminResource {
  const found = resources.find(resource => resource.name === name)
  if (found !== undefined) return adminResource(found, options)
  const names = resources.map(resource => resource.name).join(', ')
  throw new SettingsError(`profiles: "admin" of ${profile} names "${name}", but its resources are ${names || 'none'}`)
}

// The first list shows what the profile is about.
function exampleRequests(resources: readonly Resource[], end: string): readonly ExampleRequest[] {
  const first = resources.find(({ actions }) => actions.includes('list'))
  return first === undefined ? [] : [{ title: `List ${first.name}`, path: `${first.name}${end}` }]
}

interface DistinctPart {
  readonly kind: string
  readonly names: (profile: OpenProfile) => readonly string[]
  /** The names that the service uses itself. */
  readonly taken: readonly string[]
}

const distinctParts: readonly DistinctPart[] = [
  { kind: 'job', names: ({ jobs }) => jobs.map(({ name }) => name), taken: [resetJobName] },
  { kind: 'list of data files', names: ({ fixtures }) => Object.keys(fixtures), taken: ['groups', 'users'] },
  {
    kind: 'resource of the administration',
    names: ({ admin }) => admin.map(({ resource }) => resource.name),
    taken: administrationNames,
  },
]

function checkDistinct(profiles: readonly OpenProfile[], { kind, names, taken }: DistinctPart): void {
  const owners = new Map(taken.map(name => [name, 'the service']))
  for (const profile of profiles)
    for (const name of names(profile)) {
      const owner = owners.get(name)
      if (owner !== undefined)
        throw new SettingsError(
          `profiles: the ${kind} "${name}" of ${profile.name} is also one of ${owner}: choose another name`,
        )
      owners.set(name, profile.name)
    }
}

// The paths of the service come first, so a resource or view there would be hidden.
function checkPaths({ name, mount, resources, views }: OpenProfile, fixedPaths: FixedPaths): void {
  const paths = [...resources.map(resource => `${resource.name}/`), ...Object.keys(views).map(path => path.slice(1))]
  for (const [setting, fixed] of Object.entries(fixedPaths)) {
    const hidden = paths.map(path => mount + path).find(path => fixed !== null && path.startsWith(fixed))
    if (hidden !== undefined)
      throw new SettingsError(
        `profiles: ${hidden} of ${name} is the same as ${setting} ${fixed}, or inside it: set another ${setting}`,
      )
  }
}
