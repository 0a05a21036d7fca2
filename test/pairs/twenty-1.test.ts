// Pairs of babybuddy, codecov-api, course-discovery, linkedevents, open-forms and safe-transaction-service.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  authenticated,
  boolean,
  choice,
  date,
  dateTime,
  filter,
  folder,
  forTypes,
  type Identity,
  image,
  key,
  limitOffset,
  listView,
  NotFound,
  ParseError,
  type Permission,
  pageNumber,
  readOnly,
  related,
  slug,
  staff,
  text,
  textKey,
  time,
  ValidationError,
  view,
} from 'resource-api'
import { caller as callerValue, created, reference, table, tables, updated } from 'resource-api/tables'
import { caller, ListedError, listErrors, modelPermission, now, numbered, testPairs } from './support.ts'

// babybuddy ChildViewSet
const store = folder(join(tmpdir(), `pairs-${process.pid}`))
/** An image that responses show as its URL, as Django REST framework does. */
const picture = {
  ...image({ store, nullable: true }),
  compute: (shown: unknown) => (shown === null ? null : (shown as { url: string }).url),
  describeShown: () => ({ type: 'string', format: 'uri' }) as const,
}
const childTable = table('children', {
  columns: {
    id: key(),
    first_name: text({ max: 255 }),
    last_name: text({ max: 255, blank: true, default: '' }),
    birth_date: date(),
    birth_time: time({ nullable: true }),
    slug: text({ max: 100, unique: 'child with this slug already exists.' }),
    picture: image({ store, nullable: true }),
  },
})
// codecov OwnersViewSet
const ownerTable = table('owners', {
  columns: { id: key(), service: text(), username: text(), name: text({ nullable: true }) },
})
const memberTable = table('members', {
  key: ['organization', 'member'],
  columns: {
    organization: reference('owners', { relatedName: 'members' }),
    member: reference('owners', { relatedName: 'organizations' }),
  },
})
// course-discovery SourceViewSet
const sourceTable = table('sources', {
  columns: {
    id: key(),
    name: text({ max: 255 }),
    slug: slug({ unique: 'taken' }),
    description: text({ max: 255, blank: true }),
  },
})
// linkedevents SignUpViewSet (data_analytics)
const groupTable = table('signup_groups', { columns: { id: key() } })
const signUpTable = table('signups', {
  columns: {
    id: key(),
    signup_group: reference('signup_groups', { nullable: true }),
    deleted: boolean({ default: false }),
    attendee_status: choice(['attending', 'waitlisted'], { default: 'attending' }),
    presence_status: choice(['not_present', 'present'], { default: 'not_present' }),
    created_time: created(),
    last_modified_time: updated(),
  },
})
// safe-transaction-service DelegateListView
const safeTable = table('safes', { key: textKey({ column: 'address' }), columns: { address: key() } })
const delegateTable = table('delegates', {
  columns: {
    id: key(),
    safe: reference('safes', { nullable: true }),
    delegate: text(),
    delegator: text(),
    label: text({ max: 50 }),
    expiry_date: created(),
  },
})
// open-forms ReferenceListsTableItemsViewSet
const serviceTable = table('services', { columns: { id: key(), slug: slug({ unique: 'taken' }) } })

const schema = tables({
  owner: 'pairs',
  tables: [
    childTable,
    ownerTable,
    memberTable,
    sourceTable,
    groupTable,
    signUpTable,
    safeTable,
    delegateTable,
    serviceTable,
  ],
})
const { resource, rowFilter } = forTypes<Identity, typeof schema>()

const children = resource('children', {
  table: childTable,
  lookup: 'slug',
  methods: ['GET', 'POST', 'PATCH', 'DELETE'],
  fields: {
    ...childTable.pick('id', 'first_name', 'last_name', 'birth_date', 'birth_time'),
    slug: readOnly(childTable.pick('slug').slug),
    picture: picture as never,
  },
  hookColumns: ['slug'],
  prepare: ({ values }) => ({
    slug: `${values.first_name} ${values.last_name}`
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-'),
  }),
  filters: { id: true, first_name: true, last_name: true, slug: true, birth_date: true, birth_time: true },
  orderingFields: ['birth_date', 'birth_time', 'first_name', 'last_name', 'slug'],
  ordering: ['-birth_date', '-birth_time'],
  pagination: limitOffset({ defaultLimit: 100 }),
  permissions: [
    modelPermission('child', { GET: 'view', OPTIONS: 'add', POST: 'add', PATCH: 'change', DELETE: 'delete' }),
  ],
})

const services = [
  'github',
  'gitlab',
  'bitbucket',
  'github_enterprise',
  'gitlab_enterprise',
  'bitbucket_server',
] as const
const totalPages = numbered(
  20,
  ({ items, count, pages, next, previous }) =>
    `{"count":${count},"next":${next},"previous":${previous},"results":${items},"total_pages":${pages}}`,
)
const owners = services.map(service =>
  resource(service, {
    table: ownerTable,
    rows: { service },
    actions: ['list'],
    fields: ownerTable.pick('service', 'username', 'name'),
    permissions: [
      authenticated,
      rowFilter({ or: [{ members: { member: callerValue('id') } }, { username: callerValue('username') }] }),
    ],
    pagination: totalPages,
  }),
)
const unknownService = view({
  name: 'Owners',
  permissions: [authenticated],
  parameters: { service: text() },
  handlers: {
    GET({ parameters }) {
      throw new NotFound(`Service not found: ${parameters.service}`)
    },
  },
})

const sources = resource('sources', {
  table: sourceTable,
  lookup: 'slug',
  actions: ['list', 'retrieve'],
  fields: sourceTable.pick('name', 'slug', 'description'),
  permissions: [authenticated],
  pagination: pageNumber({ pageSize: 20, pageSizeQueryParam: 'page_size' }),
})

const metaAndData = numbered(
  20,
  ({ items, count, next, previous }) =>
    `{"meta":{"count":${count},"next":${next},"previous":${previous}},"data":${items}}`,
  { max: 100 },
)
/** A date, or a date-time. */
const anyTime: ReturnType<typeof dateTime> = {
  ...dateTime(),
  parse(input: unknown, context: never) {
    try {
      return dateTime().parse(/^\d{4}-\d\d-\d\d$/.test(String(input)) ? `${input}T00:00:00Z` : input, context)
    } catch {
      throw new ParseError('time in invalid format (try ISO 8601 or yyyy-mm-dd)')
    }
  },
}
const groups = resource('signup_groups', { table: groupTable, actions: [], fields: groupTable.pick('id') })
const signUps = resource('signup', {
  table: signUpTable,
  actions: ['list', 'retrieve'],
  fields: {
    ...signUpTable.pick('id'),
    signup_group: readOnly(related(groups, { nullable: true })),
    ...signUpTable.pick('deleted', 'attendee_status', 'presence_status', 'created_time', 'last_modified_time'),
  },
  ordering: ['created_time'],
  filters: { last_modified_gte: filter(anyTime, ({ row, value }) => sql`${row.last_modified_time} >= ${value}`) },
  permissions: [authenticated],
  pagination: metaAndData,
})

/** Stands for the list of the owners of a Safe, and for the recovery of the signer of a signature. */
const safeOwners: Readonly<Record<string, readonly string[]>> = { '0xaa': ['0xbb'] }
const findSigner = (signature: string) => signature.slice(0, 4)
const address = { pattern: { test: /^0x[0-9a-fA-F]+$/, message: 'Invalid ethereum address' } }
const delegateFields = {
  safe: text({ ...address, nullable: true }),
  delegate: text(address),
  delegator: text(address),
  signature: text({ min: 4, max: 10_000 }),
  label: text({ max: 50 }),
}
const needsFilter: Permission = {
  allows({ request, method }) {
    const query = new URL(request.url, 'http://x').searchParams
    if (method === 'GET' && !['safe', 'delegate', 'delegator', 'label'].some(name => query.get(name)))
      throw new ListedError('At least one query param must be provided')
    return true
  },
}
const delegates = resource('delegates', {
  table: delegateTable,
  actions: ['list'],
  fields: {
    safe: readOnly(text({ nullable: true, column: 'safe_id' })),
    ...delegateTable.pick('delegate', 'delegator', 'label', 'expiry_date'),
  },
  filters: { safe: true, delegate: true, delegator: true, label: true },
  pagination: limitOffset({ defaultLimit: 100, maxLimit: 200 }),
  listMethods: listView({
    handlers: {
      POST: {
        body: delegateFields,
        response: delegateFields,
        status: 201,
        async handle({ body, database }) {
          const { safe, delegate, delegator, label, signature } = body
          await database.transaction(async ({ kysely }) => {
            const found = await kysely
              .selectFrom('safes')
              .select('address')
              .where('address', '=', safe)
              .executeTakeFirst()
            if (safe !== null && found === undefined)
              throw new ValidationError(`Safe=${safe} does not exist or it's still not indexed`)
            if (safe !== null && !safeOwners[safe]?.includes(delegator))
              throw new ValidationError(`Provided delegator=${delegator} is not an owner of Safe=${safe}`)
            if (findSigner(signature) !== delegator)
              throw new ValidationError(`Signature does not match provided delegator=${delegator}`)
            const same = { safe_id: safe, delegate, delegator }
            const { numUpdatedRows } = await kysely
              .updateTable('delegates')
              .set({ label })
              .where(({ and, eb }) =>
                and(
                  Object.entries(same).map(([name, value]) => eb(name as 'label', value === null ? 'is' : '=', value)),
                ),
              )
              .executeTakeFirstOrThrow()
            if (numUpdatedRows === 0n)
              await kysely
                .insertInto('delegates')
                .values({ ...same, label, expiry_date: now })
                .execute()
          })
          return body
        },
      },
    },
  }),
  perAction: {
    list: {
      permissions: [needsFilter],
    },
  },
})

/** Stands for the client of the service. */
const items = [
  { code: 'a', name: 'A', expires_on: '2020-01-01' },
  { code: 'b', name: 'B' },
]
const referenceLists = view({
  name: 'Reference lists table items',
  permissions: [staff],
  parameters: { service: text(), table: text() },
  handlers: {
    async GET({ database: { kysely }, parameters }) {
      const found = await kysely
        .selectFrom('services')
        .select('id')
        .where('slug', '=', parameters.service)
        .executeTakeFirst()
      if (found === undefined) throw new NotFound('No Service matches the given query.')
      return {
        status: 200,
        body: items.map(({ code, name, expires_on }) => ({ code, name, isValid: !(expires_on && expires_on < now) })),
      }
    },
  },
})

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const portrait = new FormData()
portrait.set('picture', new File([Buffer.from(pixel, 'base64')], 'a.png', { type: 'image/png' }))
testPairs(
  {
    schema,
    callers: {
      ann: caller(1, 'ann', { perms: ['view_child', 'add_child', 'change_child', 'delete_child'] }),
      bob: caller(2, 'bob', { perms: ['view_child'] }),
      sue: caller(3, 'sue', { isStaff: true }),
    },
    rows: {
      owners: [
        { service: 'github', username: 'ann', name: 'Ann' },
        { service: 'github', username: 'acme', name: null },
        { service: 'github', username: 'other', name: 'Other' },
        { service: 'gitlab', username: 'ann', name: 'Ann' },
      ],
      members: [{ organization_id: 2, member_id: 1 }],
      sources: [{ name: 'edX', slug: 'edx', description: 'd' }],
      signups: [
        {
          created_time: now,
          last_modified_time: now,
          deleted: false,
          attendee_status: 'attending',
          presence_status: 'present',
        },
      ],
      safes: [{ address: '0xaa' }],
      services: [{ slug: 'lists' }],
    },
    apis: {
      '/babybuddy': { resources: [children] },
      '/codecov': { resources: owners, views: { '/:service/': unknownService } },
      '/course': { resources: [sources] },
      '/events': { resources: [signUps, groups] },
      '/safe': { resources: [delegates], exceptionHandler: listErrors },
      '/forms': { views: { '/reference-lists/:service/:table/': referenceLists } },
    },
    pairs: {
      'babybuddy ChildViewSet': [
        [
          'ann POST /babybuddy/children/',
          { first_name: 'Zoë', last_name: 'May', birth_date: '2025-05-01' },
          201,
          {
            id: 1,
            first_name: 'Zoë',
            last_name: 'May',
            birth_date: '2025-05-01',
            birth_time: null,
            slug: 'zoë-may',
            picture: null,
          },
        ],
        [
          'ann POST /babybuddy/children/',
          { last_name: 'May' },
          400,
          { first_name: ['This field is required.'], birth_date: ['This field is required.'] },
        ],
        ['ann PATCH /babybuddy/children/zo%C3%AB-may/', { first_name: 'Ada' }, 200, /"slug":"ada-may"/],
        [
          'ann PATCH /babybuddy/children/ada-may/',
          portrait,
          200,
          /"picture":"http:\/\/localhost\/babybuddy\/children\/ada-may\/picture\//,
        ],
        ['ann PUT /babybuddy/children/ada-may/', {}, 405],
        ['bob GET /babybuddy/children/?slug=ada-may&ordering=-birth_time', null, 200, /"count":1/],
        [
          'bob DELETE /babybuddy/children/ada-may/',
          null,
          403,
          { detail: 'You do not have permission to perform this action.' },
        ],
        ['ann DELETE /babybuddy/children/ada-may/', null, 204],
      ],
      'codecov OwnersViewSet': [
        [
          'ann GET /codecov/github/?page_size=1',
          null,
          200,
          {
            count: 2,
            next: 'http://localhost/codecov/github/?page_size=1&page=2',
            previous: null,
            results: [{ service: 'github', username: 'ann', name: 'Ann' }],
            total_pages: 2,
          },
        ],
        ['ann GET /codecov/github/?page=2', null, 404, { detail: 'Invalid page.' }],
        ['ann GET /codecov/sourceforge/', null, 404, { detail: 'Service not found: sourceforge' }],
        ['- GET /codecov/github/', null, 401],
        ['ann POST /codecov/github/', {}, 405],
      ],
      'course-discovery SourceViewSet': [
        [
          'ann GET /course/sources/?page_size=5',
          null,
          200,
          { count: 1, next: null, previous: null, results: [{ name: 'edX', slug: 'edx', description: 'd' }] },
        ],
        ['ann GET /course/sources/edx/', null, 200, { name: 'edX', slug: 'edx', description: 'd' }],
        ['ann GET /course/sources/x/', null, 404],
        ['- GET /course/sources/', null, 401],
      ],
      'linkedevents SignUpViewSet': [
        [
          'ann GET /events/signup/?last_modified_gte=2025-12-31',
          null,
          200,
          {
            meta: { count: 1, next: null, previous: null },
            data: [
              {
                id: 1,
                signup_group: null,
                deleted: false,
                attendee_status: 'attending',
                presence_status: 'present',
                created_time: now,
                last_modified_time: now,
              },
            ],
          },
        ],
        ['ann GET /events/signup/1/', null, 200],
        [
          'ann GET /events/signup/?last_modified_gte=never',
          null,
          400,
          { detail: 'time in invalid format (try ISO 8601 or yyyy-mm-dd)' },
        ],
        ['- GET /events/signup/', null, 401],
        ['ann POST /events/signup/', {}, 405],
      ],
      'safe-transaction-service DelegateListView': [
        [
          '- POST /safe/delegates/',
          { safe: '0xaa', delegate: '0xcc', delegator: '0xbb', signature: '0xbb00', label: 'L' },
          201,
          { safe: '0xaa', delegate: '0xcc', delegator: '0xbb', signature: '0xbb00', label: 'L' },
        ],
        [
          '- POST /safe/delegates/',
          { safe: '0xaa', delegate: '0xcc', delegator: '0xbb', signature: '0xbb00', label: 'M' },
          201,
        ],
        [
          '- GET /safe/delegates/?safe=0xaa',
          null,
          200,
          {
            count: 1,
            next: null,
            previous: null,
            results: [{ safe: '0xaa', delegate: '0xcc', delegator: '0xbb', label: 'M', expiry_date: now }],
          },
        ],
        ['- GET /safe/delegates/', null, 400, ['At least one query param must be provided']],
        [
          '- POST /safe/delegates/',
          { safe: '0xdd', delegate: '0xcc', delegator: '0xbb', signature: '0xbb00', label: 'L' },
          400,
          { non_field_errors: ["Safe=0xdd does not exist or it's still not indexed"] },
        ],
        [
          '- POST /safe/delegates/',
          { delegate: '0xcc', delegator: '0xbb', signature: '0xee00', label: 'L' },
          400,
          { non_field_errors: ['Signature does not match provided delegator=0xbb'] },
        ],
        ['- POST /safe/delegates/', { delegate: 'cc', delegator: '0xbb', signature: '0xee00', label: 'L' }, 400],
      ],
      'open-forms ReferenceListsTableItemsViewSet': [
        [
          'sue GET /forms/reference-lists/lists/t/',
          null,
          200,
          [
            { code: 'a', name: 'A', isValid: false },
            { code: 'b', name: 'B', isValid: true },
          ],
        ],
        ['sue GET /forms/reference-lists/x/t/', null, 404, { detail: 'No Service matches the given query.' }],
        ['ann GET /forms/reference-lists/lists/t/', null, 403],
      ],
    },
  },
  (name, run) => test(name, run),
)
