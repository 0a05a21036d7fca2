// Pairs of linkedevents and opencve.

import { test } from 'node:test'
import { sql } from 'kysely'
import {
  APIException,
  boolean,
  computed,
  dateTime,
  type ExceptionHandler,
  exceptionHandler,
  filter,
  forTypes,
  type Identity,
  isSafe,
  key,
  list,
  type Permission,
  PermissionDenied,
  pageNumber,
  related,
  text,
  textKey,
  ValidationError,
  via,
  zodField,
} from 'resource-api'
import { created, owner, reference, table, tables, through, updated } from 'resource-api/tables'
import { z } from 'zod'
import { caller, type Loose, now, numbered, testPairs } from './support.ts'

const languages = ['fi', 'sv', 'en'] as const
const organizationTable = table('organizations', {
  key: textKey({ column: 'id' }),
  columns: { id: key(), name: text() },
})
const userTable = table('users', { columns: { id: key(), username: text() } })
const priceGroupTable = table('price_groups', {
  columns: {
    id: key(),
    publisher: reference('organizations', { nullable: true }),
    description_fi: text({ nullable: true }),
    description_sv: text({ nullable: true }),
    description_en: text({ nullable: true }),
    is_free: boolean({ default: false }),
    created_by: owner('users', { relatedName: 'created_groups' } as Loose),
    last_modified_by: reference('users', { nullable: true, relatedName: 'modified_groups' }),
    created_time: created(),
    last_modified_time: updated(),
  },
})
const usedTable = table('registration_price_groups', { columns: { id: key(), price_group: reference('price_groups') } })
const weaknessTable = table('weaknesses', { columns: { id: key(), cwe_id: text({ max: 16, unique: 'taken' }) } })
const cveTable = table('cves', {
  columns: {
    id: key(),
    created_at: created(),
    updated_at: updated(),
    cve_id: text({ max: 20, unique: 'taken' }),
    title: text({ nullable: true }),
    description: text({ nullable: true }),
  },
  many: { weaknesses: through('cve_weaknesses') },
})
const cveWeaknesses = table('cve_weaknesses', {
  key: ['cve', 'weakness'],
  columns: { cve: reference('cves'), weakness: reference('weaknesses') },
})
const schema = tables({
  owner: 'pairs',
  tables: [organizationTable, userTable, priceGroupTable, usedTable, weaknessTable, cveTable, cveWeaknesses],
})
type Member = Identity & {
  isSuperuser?: boolean
  organization?: string
  adminOf?: readonly string[]
  scopes?: readonly string[]
}
const { resource } = forTypes<Member, typeof schema>()

class PriceGroupError extends APIException {
  static override status = 400
  static override message = 'Invalid input.'
  static override code = 'price_group'
}
const listMessages: ExceptionHandler = (error, context) => {
  const response = exceptionHandler(error, context)
  return response && error instanceof PriceGroupError ? { ...response, body: [error.message] } : response
}
const isAdminOf = (user: Identity, organization: unknown) =>
  (user as Member).isSuperuser || ((user as Member).adminOf ?? []).includes(organization as string)
const canAccess: Permission = {
  columns: ['publisher_id'],
  allows: ({ user, method }) =>
    user.isAuthenticated && (method !== 'POST' || isAdminOf(user, (user as Member).organization)),
  allowsObject: ({ user, method }, { publisher_id }) => isSafe(method) || isAdminOf(user, publisher_id),
}
const organizations = resource('organizations', {
  table: organizationTable,
  actions: [],
  fields: organizationTable.pick('id', 'name'),
})
const translations = z.partialRecord(z.enum(languages), z.string().trim().nullable())
const priceGroups = resource('price_group', {
  table: priceGroupTable,
  permissions: [canAccess],
  fields: {
    ...priceGroupTable.pick('id'),
    publisher: related(organizations),
    description: computed({
      columns: languages.map(name => `description_${name}`),
      value: (row: Loose) => {
        const given = languages.filter(name => row[`description_${name}`] !== null)
        return given.length === 0 ? null : Object.fromEntries(given.map(name => [name, row[`description_${name}`]]))
      },
      takes: zodField(translations.optional()),
      // The language of every request is the first one of the settings.
      queriedAs: computed(text(), ({ row }: Loose) => row.description_fi),
    } as Loose),
    ...priceGroupTable.pick('is_free', 'created_time', 'last_modified_time'),
    created_by: text({ source: via('created_by_id', 'users', 'username') }),
    last_modified_by: text({ source: via('last_modified_by_id', 'users', 'username') }),
  },
  hookColumns: [...languages.map(name => `description_${name}` as const), 'last_modified_by_id'],
  async validate({ action, key: own, before, given, connection: { kysely } }: Loose) {
    if (action === 'update' && before.publisher === null)
      throw new PriceGroupError('You may not edit a default price group.')
    const texts = Object.values(given.description ?? {}).filter(Boolean) as string[]
    if ((action === 'create' || given.description !== undefined) && texts.length === 0)
      throw new ValidationError({ description: 'This field is required.' })
    if (texts.some(each => each.length > 255))
      throw new ValidationError({ description: 'Description can be at most 255 characters long.' })
    if (action === 'update' && given.publisher !== undefined && given.publisher !== before.publisher) {
      const used = await kysely
        .selectFrom('registration_price_groups')
        .select('id')
        .where('price_group_id', '=', own)
        .executeTakeFirst()
      if (used)
        throw new PriceGroupError(
          'You may not change the publisher of a price group that has been used in registrations.',
        )
    }
  },
  prepare: ({ given, user }: Loose) => ({
    last_modified_by_id: user.id,
    ...Object.fromEntries(
      Object.entries(given.description ?? {}).map(([name, value]) => [`description_${name}`, value]),
    ),
  }),
  beforeDestroy({ before }: Loose) {
    if (before.publisher === null) throw new PriceGroupError('You may not delete a default price group.')
  },
  ordering: ['description'],
  orderingFields: ['description'],
  filters: {
    publisher: filter(
      list({ of: text() }),
      ({ row, value }: Loose) => sql`coalesce(${row.publisher_id}, 'none') in ${value}`,
    ),
    description: { icontains: 'description' },
    is_free: true,
  },
  pagination: numbered(
    20,
    ({ items, count, next, previous }) =>
      `{"meta":{"count":${count},"next":${next},"previous":${previous}},"data":${items}}`,
    { max: 100 },
  ),
} as Loose)

// opencve WeaknessCveViewSet
class MissingScope extends PermissionDenied {
  static override message = 'The token does not have the required scope for this operation.'
  static override code = 'missing_scope'
}
const opencveErrors: ExceptionHandler = (error, context) => {
  const response = exceptionHandler(error, context)
  if (response === undefined || !(error instanceof APIException)) return response
  const { code } = error.constructor as typeof APIException
  const scope = error instanceof MissingScope ? { required_scope: 'catalog:read' } : {}
  return { ...response, body: { error: { code, message: error.message, ...scope } } }
}
const readsCatalog: Permission<Member> = {
  allows({ user: { isAuthenticated, scopes = [] } }) {
    const isScoped = scopes.length > 0 && !scopes.includes('catalog:read') && !scopes.includes('catalog:write')
    if (isAuthenticated && isScoped) throw new MissingScope()
    return isAuthenticated
  },
}
const toSeconds = (column: 'created_at' | 'updated_at') =>
  computed({
    columns: [column],
    value: (row: Loose) => `${row[column].slice(0, 19)}Z`,
    queriedAs: computed(dateTime(), ({ row }) => row[column]!),
  })
const weaknesses = resource('weaknesses', {
  table: weaknessTable,
  lookup: 'cwe_id',
  actions: [],
  fields: weaknessTable.pick('cwe_id'),
})
const cvesOfWeakness = resource('weakness-cves', {
  table: cveTable,
  path: 'cves',
  actions: ['list'],
  permissions: [readsCatalog],
  fields: {
    created_at: toSeconds('created_at'),
    updated_at: toSeconds('updated_at'),
    ...cveTable.pick('cve_id', 'description', 'title'),
  },
  nestedUnder: [{ parent: weaknesses, through: 'weaknesses', only: true }],
  ordering: ['-updated_at'],
  pagination: pageNumber({ pageSize: 20, pageSizeQueryParam: 'page_size', maxPageSize: 100 }),
})

testPairs(
  {
    schema,
    callers: {
      ann: caller(1, 'ann', { organization: 'o:1', adminOf: ['o:1'] }),
      bob: caller(2, 'bob', { organization: 'o:1' }),
      sue: caller(3, 'sue', { isSuperuser: true }),
      org: caller(4, 'org', { scopes: ['org:read'] }),
      cat: caller(5, 'cat', { scopes: ['catalog:read'] }),
    },
    rows: {
      organizations: [{ id: 'o:1', name: 'O' }],
      users: [{ username: 'ann' }, { username: 'bob' }, { username: 'sue' }],
      price_groups: [
        { description_fi: 'Aikuinen', is_free: false, created_by_id: 1, created_time: now, last_modified_time: now },
      ],
      weaknesses: [{ cwe_id: 'CWE-79' }, { cwe_id: 'CWE-89' }],
      cves: [
        { cve_id: 'CVE-1', title: 'one', description: 'd', created_at: now, updated_at: now },
        { cve_id: 'CVE-2', created_at: now, updated_at: '2026-02-01T00:00:00.500000Z' },
        { cve_id: 'CVE-3', created_at: now, updated_at: now },
      ],
      cve_weaknesses: [
        { cve_id: 1, weakness_id: 1 },
        { cve_id: 2, weakness_id: 1 },
        { cve_id: 3, weakness_id: 2 },
      ],
    },
    apis: {
      '/v1': {
        resources: [priceGroups, organizations],
        exceptionHandler: listMessages,
        parameters: { ordering: 'sort' },
      },
      '/api/v2': {
        resources: [weaknesses, cvesOfWeakness],
        exceptionHandler: opencveErrors,
        trailingSlash: false,
        root: null,
      },
    },
    pairs: {
      'linkedevents PriceGroupViewSet': [
        [
          'ann POST /v1/price_group/',
          { publisher: 'o:1', description: { fi: 'Lapsi' } },
          201,
          {
            id: 2,
            publisher: 'o:1',
            description: { fi: 'Lapsi' },
            is_free: false,
            created_time: now,
            last_modified_time: now,
            created_by: 'ann',
            last_modified_by: 'ann',
          },
        ],
        [
          'ann PATCH /v1/price_group/2/',
          { description: { en: 'Child' } },
          200,
          /"description":\{"fi":"Lapsi","en":"Child"\}/,
        ],
        ['ann POST /v1/price_group/', { publisher: 'o:1' }, 400, { description: ['This field is required.'] }],
        ['bob GET /v1/price_group/?publisher=none,o:1&description=LAPS', null, 200, /"meta":\{"count":1,/],
        ['bob GET /v1/price_group/?description=child', null, 200, /"meta":\{"count":0,/],
        ['bob GET /v1/price_group/', null, 200, /"fi":"Aikuinen".*"fi":"Lapsi"/],
        ['bob GET /v1/price_group/?sort=-description', null, 200, /"fi":"Lapsi".*"fi":"Aikuinen"/],
        ['bob GET /v1/price_group/?sort=description', null, 200, /"fi":"Aikuinen".*"fi":"Lapsi"/],
        ['sue PATCH /v1/price_group/1/', { is_free: true }, 400, ['You may not edit a default price group.']],
        ['sue DELETE /v1/price_group/1/', null, 400, ['You may not delete a default price group.']],
        ['bob PATCH /v1/price_group/2/', {}, 403],
        ['bob POST /v1/price_group/', {}, 403],
        ['ann DELETE /v1/price_group/2/', null, 204],
      ],
      'opencve WeaknessCveViewSet': [
        [
          'cat GET /api/v2/weaknesses/CWE-79/cves',
          null,
          200,
          {
            count: 2,
            next: null,
            previous: null,
            results: [
              {
                created_at: '2026-01-01T00:00:00Z',
                updated_at: '2026-02-01T00:00:00Z',
                cve_id: 'CVE-2',
                description: null,
                title: null,
              },
              {
                created_at: '2026-01-01T00:00:00Z',
                updated_at: '2026-01-01T00:00:00Z',
                cve_id: 'CVE-1',
                description: 'd',
                title: 'one',
              },
            ],
          },
        ],
        [
          'ann GET /api/v2/weaknesses/CWE-79/cves?page_size=1&page=2',
          null,
          200,
          /"next":null,"previous":"[^"]*\/api\/v2\/weaknesses\/CWE-79\/cves\?page_size=1","results":\[\{[^}]*"CVE-1"/,
        ],
        ['ann GET /api/v2/weaknesses/CWE-89/cves', null, 200, /"count":1.*"CVE-3"/],
        ['ann GET /api/v2/weaknesses/CWE-1/cves', null, 404, { error: { code: 'not_found', message: 'Not found.' } }],
        [
          'ann GET /api/v2/weaknesses/CWE-79/cves?page=9',
          null,
          404,
          { error: { code: 'not_found', message: 'Invalid page.' } },
        ],
        [
          'org GET /api/v2/weaknesses/CWE-79/cves',
          null,
          403,
          {
            error: {
              code: 'missing_scope',
              message: 'The token does not have the required scope for this operation.',
              required_scope: 'catalog:read',
            },
          },
        ],
        [
          'nobody GET /api/v2/weaknesses/CWE-79/cves',
          null,
          401,
          { error: { code: 'not_authenticated', message: 'Authentication credentials were not provided.' } },
        ],
        ['ann POST /api/v2/weaknesses/CWE-79/cves', {}, 405],
      ],
    },
  },
  (name, run) => test(name, run),
)
