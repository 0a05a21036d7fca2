// A pair of linkedevents.

import { test } from 'node:test'
import { sql } from 'kysely'
import {
  APIException,
  boolean,
  computed,
  type ExceptionHandler,
  exceptionHandler,
  filter,
  forTypes,
  type Identity,
  isSafe,
  key,
  list,
  type Permission,
  related,
  text,
  textKey,
  ValidationError,
  via,
  zodField,
} from 'resource-api'
import { created, owner, reference, table, tables, updated } from 'resource-api/tables'
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
const schema = tables({ owner: 'pairs', tables: [organizationTable, userTable, priceGroupTable, usedTable] })
type Member = Identity & { isSuperuser?: boolean; organization?: string; adminOf?: readonly string[] }
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
  ordering: ['description_fi' as never],
  filters: {
    publisher: filter(
      list({ of: text() }),
      ({ row, value }: Loose) => sql`coalesce(${row.publisher_id}, 'none') in ${value}`,
    ),
    description: filter(
      text(),
      ({ row, value }: Loose) =>
        sql`lower(coalesce(${row.description_fi}, '') || ' ' || coalesce(${row.description_sv}, '') || ' ' || coalesce(${row.description_en}, '')) like '%' || lower(${value}) || '%'`,
    ),
    is_free: true,
  },
  pagination: numbered(
    20,
    ({ items, count, next, previous }) =>
      `{"meta":{"count":${count},"next":${next},"previous":${previous}},"data":${items}}`,
    { max: 100 },
  ),
} as Loose)

testPairs(
  {
    schema,
    callers: {
      ann: caller(1, 'ann', { organization: 'o:1', adminOf: ['o:1'] }),
      bob: caller(2, 'bob', { organization: 'o:1' }),
      sue: caller(3, 'sue', { isSuperuser: true }),
    },
    rows: {
      organizations: [{ id: 'o:1', name: 'O' }],
      users: [{ username: 'ann' }, { username: 'bob' }, { username: 'sue' }],
      price_groups: [
        { description_fi: 'Aikuinen', is_free: false, created_by_id: 1, created_time: now, last_modified_time: now },
      ],
    },
    apis: {
      '/v1': {
        resources: [priceGroups, organizations],
        exceptionHandler: listMessages,
        parameters: { ordering: 'sort' },
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
        ['bob GET /v1/price_group/?publisher=none,o:1&description=child', null, 200, /"meta":\{"count":1,/],
        ['sue PATCH /v1/price_group/1/', { is_free: true }, 400, ['You may not edit a default price group.']],
        ['sue DELETE /v1/price_group/1/', null, 400, ['You may not delete a default price group.']],
        ['bob PATCH /v1/price_group/2/', {}, 403],
        ['bob POST /v1/price_group/', {}, 403],
        ['ann DELETE /v1/price_group/2/', null, 204],
      ],
    },
  },
  (name, run) => test(name, run),
)
