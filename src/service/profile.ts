// A profile is a part of a service: resources with their settings, tables, data, pages and metrics, mounted as one API.

import type * as z from 'zod'
import type { ApiTypes, DeclaredApi, TypedApi, TypedOptions } from '#api'
import {
  type Envelope,
  formatTitle,
  type Migrations,
  type OwnedMigrations,
  type Paginator,
  type ParameterNames,
  type Resource,
  type ViewOptions,
} from '#core'
import type { Job } from '#jobs'
import { checkProfileOptions, checkProfileParts } from './check-profile-options.ts'
import type { ExampleRequest, ProfileContext, ProfileOptions, ProfileParts } from './profile-options.ts'
import { type ProfileDemo, type ProfileSources, readProfileSettings } from './settings/profile-settings.ts'

/** A declared profile. `defineService({ profiles: [shop] })` makes it part of a service. `Types`: of its API, for clients. */
export interface Profile<out Types extends ApiTypes = ApiTypes> extends TypedApi<Types> {
  readonly name: string
  readonly title: string
  readonly description: string
  /** The path at which the API is mounted: begins and ends with a slash. */
  readonly mount: string
  readonly migrations: Migrations
  readonly tables: OwnedMigrations | undefined
  readonly idempotencyKeys: boolean
  /** Whether the declaration has jobs; those of `open` are not known before it runs. */
  readonly hasJobs: boolean
  /** The tables of these jobs. */
  readonly tablesOfJobs: readonly OwnedMigrations[]
  /** The same of resources with feeds. */
  readonly hasFeeds: boolean
  readonly examples: readonly ExampleRequest[] | undefined
  readonly demo: Pick<ProfileDemo<z.ZodObject>, 'title' | 'data'>
  /** The environment variables of its settings. */
  readonly variables: readonly string[]
  /** Checks the settings; throws SettingsError for the first invalid one. */
  configure(sources: ProfileSources): ConfiguredProfile
}

/** A profile whose settings are valid. */
export interface ConfiguredProfile extends Omit<Profile, 'configure' | '~api'> {
  readonly deploymentProblems: readonly string[]
  /** Returns the parts of the declaration, then those of `open`. */
  open(context: Omit<ProfileContext<unknown>, 'settings'>): readonly ProfileParts[]
}

/**
 * Declares a profile. Its settings are checked when the service starts.
 *
 * @example
 * const shop = profile('shop', {
 *   resources: [orders],
 *   migrations: { '0001_orders': createOrders },
 *   admin: { orders: { searchFields: ['number'] } },
 *   fixtures: { orders },
 * })
 * export default defineService({ profiles: [shop] })
 *
 * @example
 * const shop = profile('shop', {
 *   settings: { schema: z.object({ currency: z.string().default('EUR') }), variables: { SHOP_CURRENCY: 'currency' } },
 *   open: ({ settings }) => ({ resources: [createOrders(settings.currency)] }),
 * })
 */
export function profile<
  Schema extends z.ZodObject = z.ZodObject<Record<never, never>>,
  const Resources extends readonly Resource[] = readonly [],
  Views extends Readonly<Record<string, ViewOptions>> = Record<never, never>,
  Pages extends Paginator | undefined = undefined,
  const Around extends Envelope | undefined = undefined,
  const Renamed extends ParameterNames | undefined = undefined,
  const Opened extends readonly Resource[] = readonly [],
  OpenedViews extends Readonly<Record<string, ViewOptions>> = Record<never, never>,
>(
  name: string,
  options: ProfileOptions<Schema, Opened, OpenedViews> & TypedOptions<Resources, Views, Pages, Around, Renamed>,
): Profile<DeclaredApi<readonly [...Resources, ...Opened], Views & OpenedViews, Pages, Around, Renamed>> {
  checkProfileOptions(name, options)
  const { title = formatTitle(name), description = '', mount = `/${name}/`, migrations = {}, demo, open } = options
  const declared = {
    name,
    title,
    description,
    mount: `/${mount.replace(/^\/|\/$/g, '')}/`,
    migrations,
    tables: options.tables,
    idempotencyKeys: options.idempotencyKeys ?? false,
    hasJobs: (options.jobs ?? []).length > 0,
    tablesOfJobs: listTablesOfJobs(options.jobs),
    hasFeeds: (options.resources ?? []).some(({ feed }) => feed === true),
    examples: options.examples,
    demo: { ...demo },
    variables: Object.keys(options.settings?.variables ?? {}),
  }
  return Object.freeze<Profile<never>>({
    ...declared,
    configure(sources) {
      const settings = readProfileSettings(name, options, sources)
      return {
        ...declared,
        deploymentProblems: (options.deploymentProblems?.(settings) ?? []).map(problem => `${name}.${problem}`),
        open(context) {
          const opened = open?.({ ...context, settings }) ?? {}
          checkProfileParts(name, opened)
          return [options, opened]
        },
      }
    },
  })
}

export const listTablesOfJobs = (jobs: readonly Job[] = []): readonly OwnedMigrations[] =>
  jobs.flatMap(({ tables }) => tables ?? [])
