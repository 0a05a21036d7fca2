// The options of a profile: what it consists of.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type * as z from 'zod'
import type { Accounts, AdminOptions } from '#accounts'
import type { ApiOptions } from '#api'
import type {
  Caller,
  Database,
  Migrations,
  OwnedMigrations,
  Paginator,
  Permission,
  Resource,
  UnknownFields,
  ViewOptions,
} from '#core'
import type { Job } from '#jobs'
import type { BrowsableOptions } from '#pages'
import type { MetricsRegistry } from '#server'
import type { Fixture } from './data/fixture.ts'
import type { ProfileDemo, ProfileSettings } from './settings/profile-settings.ts'

/** What a profile consists of. Everything is optional. */
export interface ProfileParts {
  readonly resources?: readonly Resource[]
  /** Views in addition to the resources, by path below the profile's mount. */
  readonly views?: Readonly<Record<string, ViewOptions>>
  /** The paginator of all lists; default: none. */
  readonly pagination?: Paginator
  /** The names of query parameters, such as `{ search: 'q' }`; default: those of Django REST framework. */
  readonly parameters?: NonNullable<ApiOptions['parameters']>
  /** Whether lists refuse unknown parameters; default: they ignore them. */
  readonly strict?: boolean
  /** Whether bodies may contain fields that do not exist: `refuse` is 400. Default: `ignore`. */
  readonly unknownFields?: UnknownFields
  /** Whether `OPTIONS` of a list names its search, filters, ordering and pagination; default true. */
  readonly describesLists?: boolean
  /** Whether `check` names indexes that the lists want; default true. */
  readonly suggestsIndexes?: boolean
  /** Whether URLs end with a slash; default true. If the service has one profile, the URLs of login and tokens end the same way. */
  readonly trailingSlash?: NonNullable<ApiOptions['trailingSlash']>
  /** The names around objects and lists in bodies; default: none. */
  readonly envelope?: NonNullable<ApiOptions['envelope']>
  /** Whether a PUT must contain all required fields (`whole`, the default), or keeps those that its body lacks (`partial`). */
  readonly put?: NonNullable<ApiOptions['put']>
  /** The title, the readers and further parts of the OpenAPI document; false: it has none, and no other contains the profile. */
  readonly openapi?: NonNullable<ApiOptions['openapi']>
  /** The permission policies of all views that set none; default: every caller. */
  readonly permissions?: readonly Permission[]
  /** The size in bytes of the largest body that the fields accept; raises the limit `limits.bodySize`. */
  readonly bodySize?: number
  /** Functions that render the main content of a view's HTML pages, by the view's id (`orders-detail`). */
  readonly pages?: NonNullable<BrowsableOptions['pages']>
  /** The catalogues of the profile's messages and words, which the setting `languages` may translate. */
  readonly catalogues?: NonNullable<ApiOptions['catalogues']>
  /** The work beside requests. */
  readonly jobs?: readonly Job[]
  /** What the administration shows of the resources, by their names: `{ orders: { searchFields: ['number'] } }`. */
  readonly admin?: Readonly<Record<string, AdminOptions>>
  /** The lists of a data file (`loaddata`) that the profile reads, by name. A resource is a fixture without code. */
  readonly fixtures?: Readonly<Record<string, Fixture | Resource>>
  /**
   * Adds Fastify plugins and routes of its own below the profile's mount, in a context of their own: what it adds does not
   * change the API. Called once in each process, before the service is ready; may return a promise.
   */
  readonly configure?: (app: FastifyInstance, context: ConfigureContext) => unknown
  /** Adds metrics. Called if metrics are served (`metricsPort`). */
  readonly metrics?: (registry: MetricsRegistry) => void
  /** Releases what `open` acquired. Runs after the last response. */
  readonly close?: () => Promise<void>
}

/** A request that the home page and the demonstration show as a curl command. */
export interface ExampleRequest {
  /** Such as `Post an order`. */
  readonly title: string
  /** The path below the profile's mount, such as `orders/?status=open`. */
  readonly path: string
  /** The JSON body of a POST request; default: a GET request. */
  readonly body?: object
}

/** What `open` can use. */
export interface ProfileContext<Settings> {
  readonly settings: Settings
  readonly database: Database
  readonly accounts: Accounts
  readonly clock: () => Date
}

/** What `configure` can use. */
export interface ConfigureContext extends Omit<ProfileContext<unknown>, 'settings'> {
  /**
   * Identifies the caller of a request, as the API does. Rejects with what the API responds to wrong credentials; without
   * credentials, the caller is anonymous. A request with a session and an unsafe method needs a CSRF token in the header.
   */
  readonly identify: (request: FastifyRequest) => Promise<Pick<Caller, 'user' | 'auth'>>
}

export interface ProfileOptions<
  Schema extends z.ZodObject = z.ZodObject<Record<never, never>>,
  Opened extends readonly Resource[] = readonly Resource[],
  OpenedViews extends Readonly<Record<string, ViewOptions>> = Readonly<Record<string, ViewOptions>>,
> extends ProfileParts {
  /** How the home page names the profile; default: the name in title case. */
  readonly title?: string
  /** One or two sentences for the home page. */
  readonly description?: string
  /** The path at which the API is mounted if there are several profiles; default: `/${name}/`. */
  readonly mount?: string
  readonly settings?: ProfileSettings<Schema>
  readonly migrations?: Migrations
  /** The declared tables of the profile, with their steps, instead of `migrations`. */
  readonly tables?: OwnedMigrations
  /**
   * Whether creates, and views with `idempotent: true`, support the header `Idempotency-Key`; default false. The service
   * adds the table of the stored responses.
   */
  readonly idempotencyKeys?: boolean
  /** Default: a list of the first resource's objects. */
  readonly examples?: readonly ExampleRequest[]
  readonly demo?: ProfileDemo<Schema>
  /** Lists what is unsafe in production, for `check --deploy`: `setting: problem: fix`. */
  readonly deploymentProblems?: (settings: z.output<Schema>) => readonly string[]
  /**
   * Returns further parts. Called once in each process, before the database is migrated, so it must not query the
   * database.
   */
  readonly open?: (
    context: ProfileContext<z.output<Schema>>,
  ) => ProfileParts & { readonly resources?: Opened; readonly views?: OpenedViews }
}
