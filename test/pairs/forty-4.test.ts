// Pairs of paperless-ngx, galaxy_ng and pulpcore.

import { test } from 'node:test'
import { sql } from 'kysely'
import {
  authenticated,
  boolean,
  choice,
  computed,
  Document,
  dateTime,
  filter,
  forTypes,
  type Identity,
  integer,
  JsonText,
  json,
  jsonParser,
  key,
  limitOffset,
  list,
  NotFound,
  nested,
  objectView,
  type Permission,
  pageNumber,
  readOnly,
  related,
  text,
  url,
  uuidKey,
  ValidationError,
  view,
  writeOnly,
} from 'resource-api'
import { createPageLink, type Paginator, parseCount } from 'resource-api/extend'
import { count as countRows, created, reference, table, tables, updated } from 'resource-api/tables'
import { byName, ignored, parseExpression, pulpErrors } from './pulp.ts'
import { caller, isHtml, type Loose, modelPermission, now, type Step, testPairs } from './support.ts'

// paperless-ngx
const documentTable = table('documents', { columns: { id: key(), title: text(), owner: integer({ nullable: true }) } })
const taskTable = table('tasks', { columns: { id: key(), name: text(), payload: json() } })
const customFieldTable = table('custom_fields', {
  columns: {
    id: key(),
    name: text({ max: 128 }),
    data_type: choice([
      'string',
      'url',
      'date',
      'boolean',
      'integer',
      'float',
      'monetary',
      'documentlink',
      'select',
      'longtext',
    ]),
    extra_data: json({ nullable: true }),
  },
})
const instanceTable = table('custom_field_instances', {
  columns: { id: key(), document: reference('documents'), field: reference('custom_fields') },
})
const namedTables = ['tags', 'correspondents', 'document_types', 'storage_paths', 'users', 'groups'].map(name =>
  table(name, { columns: { id: key(), name: text() } }),
)
const emailTable = table('workflow_emails', {
  columns: { id: key(), subject: text(), body: text(), to: text(), include_document: boolean({ default: false }) },
})
const webhookTable = table('workflow_webhooks', {
  columns: {
    id: key(),
    url: text(),
    use_params: boolean({ default: true }),
    as_json: boolean({ default: false }),
    params: json({ nullable: true }),
    body: text({ nullable: true, blank: true }),
    headers: json({ nullable: true }),
    include_document: boolean({ default: false }),
  },
})
const flags = [
  'remove_all_tags',
  'remove_all_correspondents',
  'remove_all_document_types',
  'remove_all_storage_paths',
  'remove_all_custom_fields',
  'remove_all_owners',
  'remove_all_permissions',
] as const
const lists = {
  assign_tags: 'tags',
  assign_view_users: 'users',
  assign_view_groups: 'groups',
  assign_change_users: 'users',
  assign_change_groups: 'groups',
  assign_custom_fields: 'custom_fields',
  remove_tags: 'tags',
  remove_correspondents: 'correspondents',
  remove_document_types: 'document_types',
  remove_storage_paths: 'storage_paths',
  remove_custom_fields: 'custom_fields',
  remove_owners: 'users',
  remove_view_users: 'users',
  remove_view_groups: 'groups',
  remove_change_users: 'users',
  remove_change_groups: 'groups',
} as const
const actionTable = table('workflow_actions', {
  columns: {
    id: key(),
    type: choice(
      [
        [1, 'Assignment'],
        [2, 'Removal'],
        [3, 'Email'],
        [4, 'Webhook'],
        [5, 'Password removal'],
      ],
      { default: 1 },
    ),
    assign_title: text({ nullable: true, blank: true }),
    assign_correspondent: reference('correspondents', { nullable: true }),
    assign_document_type: reference('document_types', { nullable: true }),
    assign_storage_path: reference('storage_paths', { nullable: true }),
    assign_owner: reference('users', { nullable: true }),
    assign_custom_fields_values: json({ default: {}, nullable: true }),
    ...(Object.fromEntries(flags.map(name => [name, boolean({ default: false })])) as Record<
      (typeof flags)[number],
      ReturnType<typeof boolean<{ default: false }>>
    >),
    email: reference('workflow_emails', { nullable: true, unique: true }),
    webhook: reference('workflow_webhooks', { nullable: true, unique: true }),
    passwords: json({ nullable: true }),
  },
})
const listTables = Object.entries(lists).map(([name, target]) =>
  table(`action_${name}`, {
    key: ['action', 'other'],
    columns: { action: reference('workflow_actions', { onDelete: 'cascade' }), other: reference(target) },
  }),
)

// galaxy_ng
const remoteTable = table('remotes', {
  key: uuidKey(),
  columns: {
    id: key(),
    name: text({ unique: 'This field must be unique.' }),
    url: text(),
    policy: choice(['immediate'], { default: 'immediate' }),
    pulp_created: created(),
    pulp_last_updated: updated(),
    username: text({ nullable: true }),
    password: text({ nullable: true }),
    tls_validation: boolean({ default: true }),
    client_key: text({ nullable: true }),
    client_cert: text({ nullable: true }),
    ca_cert: text({ nullable: true }),
    download_concurrency: integer({ min: 1, nullable: true }),
    proxy_url: text({ nullable: true }),
    proxy_username: text({ nullable: true }),
    proxy_password: text({ nullable: true }),
    rate_limit: integer({ nullable: true }),
  },
})
const syncTable = table('sync_tasks', {
  columns: { id: key(), remote: reference('remotes'), state: text(), started_at: dateTime() },
})

// pulpcore
const policyTable = table('access_policies', {
  key: uuidKey(),
  columns: {
    id: key(),
    pulp_created: created(),
    pulp_last_updated: updated(),
    creation_hooks: json({ nullable: true }),
    statements: json(),
    viewset_name: text({ unique: 'This field must be unique.' }),
    customized: boolean({ default: false }),
    queryset_scoping: json({ nullable: true }),
  },
})

const schema = tables({
  owner: 'pairs',
  tables: [
    ...[
      documentTable,
      taskTable,
      customFieldTable,
      instanceTable,
      emailTable,
      webhookTable,
      actionTable,
      remoteTable,
      syncTable,
      policyTable,
    ],
    ...namedTables,
    ...listTables,
  ],
})
type Member = Identity & { perms?: readonly string[]; isSuperuser?: boolean; organization?: number; isAdmin?: boolean }
const { resource } = forTypes<Member, typeof schema>()

const hasPermission = (user: Identity, permission: string) => ((user as Member).perms ?? []).includes(permission)
const removePassword = view({
  name: 'Remove password',
  permissions: [authenticated],
  parsers: [jsonParser()],
  body: {
    documents: list({ of: integer() }),
    password: text(),
    update_document: boolean({ default: false }),
    delete_original: boolean({ default: false }),
    include_metadata: boolean({ default: true }),
    source_mode: text({
      default: 'latest_version',
      validators: [
        mode => {
          if (!['latest_version', 'explicit_selection'].includes(mode)) throw new ValidationError('Invalid source_mode')
        },
      ],
    }),
    from_webui: boolean({ default: false }),
  },
  errors: { 403: 'document' },
  handlers: {
    async POST({ body, user, database }) {
      const { documents, update_document, delete_original, from_webui, ...rest } = body
      const found = await database.kysely
        .selectFrom('documents')
        .select('owner')
        .where('id', 'in', [0, ...documents])
        .execute()
      if (found.length !== documents.length)
        throw new ValidationError({ documents: "Some documents in documents don't exist or were specified twice." })
      const owns = found.every(({ owner }) => owner === null || owner === user.id)
      const needed = [
        'change',
        ...(update_document ? [] : ['add']),
        ...(delete_original && !update_document ? ['delete'] : []),
      ]
      if (!(user as Member).isSuperuser && !(owns && needed.every(each => hasPermission(user, `${each}_document`))))
        return { status: 403, body: new Document('Insufficient permissions') }
      const payload = JSON.stringify({
        documents,
        ...rest,
        user: user.id,
        trigger_source: from_webui ? 'web_ui' : 'api_upload',
      })
      await database.transaction(({ kysely }) =>
        kysely.insertInto('tasks').values({ name: 'remove_password', payload }).execute(),
      )
      return { status: 200, body: { result: 'OK' } }
    },
  },
})

/** `PageNumberPagination`; in version 9, with the keys of all objects. */
const standardPages: Paginator = {
  varyOn: ['accept'],
  parameters: { page: { type: 'integer', min_value: 1 }, page_size: { type: 'integer', min_value: 1 } },
  plan(request) {
    const size = Math.min(parseCount(request.query.get('page_size')) || 25, 100_000)
    const page = parseCount(request.query.get('page') ?? '1')
    if (!page) throw new NotFound('Invalid page.')
    const showsAll = /version=9\b/.test(request.headers?.accept ?? '')
    const start = (page - 1) * size
    return {
      kind: 'counted',
      offset: showsAll ? 0 : start,
      limit: showsAll ? 1_000_000 : size,
      createPage(items, total) {
        const pages = Math.max(Math.ceil(total / size), 1)
        if (page > pages) throw new NotFound('Invalid page.')
        const link = (to: number) =>
          JSON.stringify(to < 1 || to > pages ? null : createPageLink(request, { page: String(to) }))
        const all = showsAll ? `"all":${JSON.stringify(items.map(item => JSON.parse(item).id))},` : ''
        const shown = showsAll ? items.slice(start, start + size) : items
        return {
          body: new JsonText(
            `{"count":${total},"next":${link(page + 1)},"previous":${link(page - 1)},${all}"results":[${shown.join(',')}]}`,
          ),
        }
      },
    }
  },
}
const objectPermission = (model: string) =>
  modelPermission(model, {
    GET: 'view',
    OPTIONS: 'view',
    HEAD: 'view',
    POST: 'add',
    PUT: 'change',
    PATCH: 'change',
    DELETE: 'delete',
  })
const texts = [
  'startswith',
  'istartswith',
  'endswith',
  'iendswith',
  'contains',
  'icontains',
  'exact',
  'iexact',
  'in',
] as const
const customFields = resource('custom_fields', {
  table: customFieldTable,
  permissions: [authenticated, objectPermission('customfield')],
  fields: {
    ...customFieldTable.pick('id', 'name', 'data_type', 'extra_data'),
    document_count: countRows('custom_field_instances'),
  },
  ordering: ['name'],
  orderingFields: ['id', 'name', 'data_type', 'document_count'],
  filters: { id: ['exact', 'in'], name: texts },
  pagination: standardPages,
  async validate({ key: own, given, values, connection: { kysely } }) {
    const fail = (error: string) => {
      throw new ValidationError({ error })
    }
    if (given.name !== undefined) {
      const same = await kysely.selectFrom('custom_fields').select('id').where('name', '=', given.name).execute()
      if (same.some(({ id }) => id !== own)) fail('Object violates name unique constraint')
    }
    const extra = given.extra_data as
      | { select_options?: readonly { label?: string }[]; default_currency?: unknown }
      | undefined
    if (values.data_type === 'select') {
      const options = extra?.select_options
      if (!Array.isArray(options) || options.length === 0 || !options.every(option => (option.label ?? '').length > 0))
        fail('extra_data.select_options must be a valid list')
    } else if (given.data_type === 'monetary' && extra?.default_currency != null) {
      const currency = extra.default_currency
      if (typeof currency !== 'string' || (currency.length > 0 && currency.length !== 3))
        fail('extra_data.default_currency must be a 3-character string')
    }
  },
  normalize: values => {
    const extra = values.extra_data as { select_options?: readonly { id?: string }[] } | null | undefined
    if (!Array.isArray(extra?.select_options)) return values
    const select_options = extra.select_options.map(option => ({
      ...option,
      id: option.id ?? Math.random().toString(36).slice(2).padEnd(16, '0').slice(0, 16),
    }))
    return { ...values, extra_data: { ...extra, select_options } as never }
  },
})
const named = ['tags', 'correspondents', 'document_types', 'storage_paths', 'users', 'groups'].map((name, index) =>
  resource(name, { table: namedTables[index]! as never, actions: [], fields: { id: key(), name: text() } as never }),
)
const emails = resource('workflow-emails', {
  table: emailTable,
  actions: [],
  fields: emailTable.pick('id', 'subject', 'body', 'to', 'include_document'),
})
const webhooks = resource('workflow-webhooks', {
  table: webhookTable,
  actions: [],
  fields: {
    ...webhookTable.pick('id'),
    url: url({ max: 2000 }),
    ...webhookTable.pick('use_params', 'as_json', 'params', 'body', 'headers', 'include_document'),
  },
})
const many = (name: keyof typeof lists) =>
  related(lists[name], { many: { table: `action_${name}`, own: 'action_id', other: 'other_id' }, default: [] })
const one = (target: string) => related(target, { nullable: true })
const placeholders = new Set([
  'correspondent',
  'document_type',
  'added',
  'added_year',
  'added_year_short',
  'added_month',
  'added_month_name',
  'added_month_name_short',
  'added_day',
  'added_time',
  'owner_username',
  'original_filename',
  'filename',
  'created',
  'created_year',
  'created_year_short',
  'created_month',
  'created_month_name',
  'created_month_name_short',
  'created_day',
  'created_time',
])
const actionFields = {
  ...actionTable.pick('id', 'type', 'assign_title'),
  assign_tags: many('assign_tags'),
  assign_correspondent: one('correspondents'),
  assign_document_type: one('document_types'),
  assign_storage_path: one('storage_paths'),
  assign_owner: one('users'),
  ...(Object.fromEntries(
    (
      [
        'assign_view_users',
        'assign_view_groups',
        'assign_change_users',
        'assign_change_groups',
        'assign_custom_fields',
      ] as const
    ).map(name => [name, many(name)]),
  ) as Record<string, ReturnType<typeof many>>),
  ...actionTable.pick('assign_custom_fields_values', ...flags),
  ...(Object.fromEntries(
    (Object.keys(lists) as (keyof typeof lists)[])
      .filter(name => name.startsWith('remove'))
      .map(name => [name, many(name)]),
  ) as Record<string, ReturnType<typeof many>>),
  email: nested({ of: emails, column: 'email_id', writable: true, nullable: true }),
  webhook: nested({ of: webhooks, column: 'webhook_id', writable: true, nullable: true }),
  ...actionTable.pick('passwords'),
}
const workflowActions = resource('workflow_actions', {
  table: actionTable,
  permissions: [authenticated, objectPermission('workflowaction')],
  fields: actionFields as Loose,
  pagination: standardPages,
  normalize: (values: Loose) => (values.assign_title === '' ? { ...values, assign_title: null } : values),
  validate({ given }: Loose) {
    for (const [, name = ''] of given.assign_title?.matchAll(/\{(\w*)\}/g) ?? [])
      if (!placeholders.has(name)) throw new ValidationError({ assign_title: `Invalid f-string detected: "${name}"` })
    if (given.type === 3 && given.email === undefined)
      throw new ValidationError('Email data is required for email actions')
    if (given.type === 4 && given.webhook === undefined)
      throw new ValidationError('Webhook data is required for webhook actions')
    const isPassword = (each: unknown) => typeof each === 'string' && each.trim() !== ''
    if (
      given.type === 5 &&
      !(Array.isArray(given.passwords) && given.passwords.length > 0 && given.passwords.every(isPassword))
    )
      throw new ValidationError('Passwords are required for password removal actions')
  },
  objectMethods: objectView({
    handlers: {
      PATCH: {
        errors: { 400: 'document' },
        async handle({ key: own, requestBody, update }: Loose) {
          const { id, ...values } = requestBody.data
          if (id !== undefined && String(id) !== String(own))
            return { status: 400, body: new Document('ID in body does not match URL') }
          return {
            status: 200,
            body: await update(
              Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(actionFields, name))),
            ),
          }
        },
      },
    },
  }) as never,
} as Loose)

// galaxy_ng ContainerRegistryRemoteViewSet
const isPrivileged: Permission = {
  allows: ({ user, method }) =>
    user.isAuthenticated && (method === 'GET' || hasPermission(user, 'container.add_registry')),
}
const secrets = ['password', 'client_key', 'proxy_username', 'proxy_password'] as const
const { password, client_key, proxy_username, proxy_password } = remoteTable.pick(...secrets)
const remotes = resource('registries', {
  table: remoteTable,
  path: 'execution-environments/registries',
  permissions: [isPrivileged],
  unknownFields: 'refuse',
  fields: {
    ...remoteTable.pick('id'),
    pulp_href: computed({
      columns: ['id'],
      value: ({ id }) => `/pulp/api/v3/remotes/galaxy_ng/registry-remote/${id}/`,
    }),
    name: { ...remoteTable.pick('name').name },
    ...remoteTable.pick('url', 'policy'),
    created_at: readOnly(dateTime({ column: 'pulp_created' })),
    updated_at: readOnly(dateTime({ column: 'pulp_last_updated' })),
    ...remoteTable.pick('username', 'tls_validation', 'client_cert', 'ca_cert'),
    password: writeOnly(password),
    client_key: writeOnly(client_key),
    proxy_username: writeOnly(proxy_username),
    proxy_password: writeOnly(proxy_password),
    last_sync_task: computed({ columns: [], value: () => ({}) }),
    ...remoteTable.pick('download_concurrency', 'proxy_url'),
    write_only_fields: computed({
      columns: [...secrets],
      value: row => secrets.map(name => ({ name, is_set: row[name] !== null && row[name] !== '' })),
    }),
    ...remoteTable.pick('rate_limit'),
    is_indexable: computed({ columns: ['url'], value: ({ url }) => String(url).includes('registry.redhat.io') }),
  },
  filters: {
    name: ['exact', 'icontains', 'contains', 'startswith'],
    url: ['exact', 'icontains', 'contains', 'startswith'],
    created_at: true,
    updated_at: true,
  },
  orderingFields: ['name', 'url', 'created_at', 'updated_at'],
  parameters: { ordering: 'sort' },
  pagination: pageNumber({ pageSize: 10 }),
})

// pulpcore AccessPolicyViewSet
const policyPath = '/pulp/api/v3/access_policies/'
const typeName = (value: unknown) =>
  value === null
    ? 'NoneType'
    : ({ string: 'str', number: 'int', boolean: 'bool', object: 'dict' } as Loose)[typeof value]
const checkDict = (value: unknown) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ValidationError(`Expected a dictionary of items but got type "${typeName(value)}".`)
}
const checkDicts = (value: unknown) => {
  if (!Array.isArray(value)) throw new ValidationError(`Expected a list of items but got type "${typeName(value)}".`)
  for (const each of value) checkDict(each)
}
const nameLookups = ['exact', 'iexact', 'in', 'contains', 'icontains', 'startswith', 'istartswith', 'regex', 'iregex']
const filterNames = new Set([
  ...nameLookups.map(lookup => (lookup === 'exact' ? 'viewset_name' : `viewset_name__${lookup}`)),
  ...['customized', 'pulp_id__in', 'pulp_href__in', 'prn__in'],
])
const defaults: Loose = { roles: { statements: [{ action: '*' }], creation_hooks: null, queryset_scoping: null } }
// Lists and objects are ordered by their size first, as in PostgreSQL; on SQLite then by their text.
const orderedBy = (name: string) =>
  computed(text(), ({ row, dialect }: Loose) =>
    dialect.name === 'postgres'
      ? sql`cast(${row[name]} as jsonb)`
      : sql`printf('%09d', (select count(*) from json_each(${row[name]}))) || ${row[name]}`,
  )
const hooksField = () => json({ column: 'creation_hooks', required: false, validators: [checkDicts] } as Loose)
const policies = resource('access_policies', {
  table: policyTable,
  actions: ['list', 'retrieve', 'update'],
  put: 'partial',
  strict: true,
  unknownFields: 'refuse',
  permissions: [authenticated, { allows: ({ user }: Loose) => user.isSuperuser === true }],
  fields: {
    pulp_href: computed({ columns: ['id'], value: ({ id }) => `${policyPath}${id}/` }),
    prn: computed({ columns: ['id'], value: ({ id }) => `prn:core.accesspolicy:${id}` }),
    ...policyTable.pick('pulp_created', 'pulp_last_updated'),
    permissions_assignment: hooksField(),
    creation_hooks: json({ nullable: true, validators: [checkDicts], orderedBy: orderedBy('creation_hooks') } as Loose),
    statements: json({ validators: [checkDicts], orderedBy: orderedBy('statements') } as Loose),
    viewset_name: readOnly(text()),
    customized: readOnly(boolean()),
    queryset_scoping: json({
      nullable: true,
      validators: [checkDict],
      orderedBy: orderedBy('queryset_scoping'),
    } as Loose),
    pulp_id: key(),
  },
  perAction: Object.fromEntries(
    ['list', 'retrieve', 'update'].map(action => [
      action,
      {
        shows: [
          ...['pulp_href', 'prn', 'pulp_created', 'pulp_last_updated', 'permissions_assignment', 'creation_hooks'],
          ...['statements', 'viewset_name', 'customized', 'queryset_scoping'],
        ],
      },
    ]),
  ),
  hookColumns: ['customized'],
  validate({ given, request }: Loose) {
    const { creation_hooks: hooks, permissions_assignment: assignment } = given
    for (const name of ['creation_hooks', 'permissions_assignment', 'queryset_scoping'])
      if (given[name] === null) throw new ValidationError({ [name]: 'This field may not be null.' })
    if (request.method === 'PUT' && given.statements === undefined)
      throw new ValidationError({ statements: 'This field is required.' })
    if (hooks !== undefined && assignment !== undefined && JSON.stringify(hooks) !== JSON.stringify(assignment))
      throw new ValidationError("Cannot specify both 'permissions_assignment' and 'creation_hooks'.")
  },
  prepare: ({ given }: Loose) => (Object.keys(given).length > 0 ? { customized: true } : {}),
  ordering: ['viewset_name'],
  orderingFields: [
    ...['pulp_id', 'pulp_created', 'pulp_last_updated', 'viewset_name', 'customized'],
    ...['creation_hooks', 'statements', 'queryset_scoping'],
  ],
  sparseFields: true,
  unknownNames: 'ignore',
  parameters: { omit: 'exclude_fields' },
  pagination: limitOffset({ defaultLimit: 100 }),
  filters: {
    viewset_name: nameLookups,
    customized: filter(
      text(),
      ({ row, value }: Loose) =>
        sql`case lower(${value}) when 'true' then ${row.customized} when 'false' then not ${row.customized} else ${row.id} is not null end`,
    ),
    pulp_id: ['in'],
    pulp_href__in: byName(policyPath, '/'),
    prn__in: byName('prn:core.accesspolicy:', ''),
    q: {
      parse: (given: string) => parseExpression(given, filterNames),
      help: 'Filter results by using NOT, AND and OR operations on other filters',
    },
    minimal: ignored,
    page_size: ignored,
  },
  objectViews: ({ objectView }: Loose) => ({
    reset: objectView({
      columns: ['viewset_name'],
      response: 'representation',
      handlers: {
        async POST({ key: id, object, database, represent }: Loose) {
          const { statements, creation_hooks, queryset_scoping } = defaults[object.viewset_name]
          const values = {
            creation_hooks,
            statements: JSON.stringify(statements),
            queryset_scoping,
            pulp_last_updated: now,
          }
          await database.transaction(({ kysely }: Loose) =>
            kysely
              .updateTable('access_policies')
              .set({ ...values, customized: database.dialect.name === 'postgres' ? false : 0 })
              .where('id', '=', id)
              .execute(),
          )
          return represent()
        },
      },
    }),
  }),
} as Loose)
const policyIds = [1, 2, 3].map(digit => `0198e1b0-0000-7000-8000-00000000000${digit}`)
const ask = (q: string) => new URLSearchParams({ q, fields: 'viewset_name' }).toString()
const names = (...found: readonly string[]) => ({
  ...{ count: found.length, next: null, previous: null },
  results: found.map(viewset_name => ({ viewset_name })),
})
testPairs(
  {
    schema,
    callers: {
      ann: caller(1, 'ann', {
        perms: [
          'change_document',
          'add_document',
          'container.add_registry',
          ...['view', 'add', 'change', 'delete'].flatMap(each => [`${each}_customfield`, `${each}_workflowaction`]),
        ],
        organization: 1,
        isAdmin: true,
      }),
      bob: caller(2, 'bob'),
      sue: caller(3, 'sue', { isSuperuser: true }),
    },
    rows: {
      documents: [
        { title: 'a', owner: 1 },
        { title: 'b', owner: 2 },
      ],
      tags: [{ name: 't' }],
      access_policies: [
        { id: policyIds[0], viewset_name: 'roles', statements: [{ action: 'list' }], customized: true },
        { id: policyIds[1], viewset_name: 'tasks', statements: [], customized: false },
        { id: policyIds[2], viewset_name: 'content/file', statements: [], customized: false },
      ].map(row => ({ ...row, pulp_created: now, pulp_last_updated: now })),
    },
    apis: {
      '/paperless': {
        resources: [customFields, workflowActions, emails, webhooks, ...named],
        views: { '/documents/remove_password/': removePassword },
        versioning: { in: 'accept', versions: ['9', '10'], default: '10' },
      },
      '/galaxy': { resources: [remotes] },
      '/pulp/api/v3': { resources: [policies], exceptionHandler: pulpErrors },
    },
    pairs: {
      'pulpcore AccessPolicyViewSet': [
        [`bob GET ${policyPath}`, null, 403],
        [`sue GET ${policyPath}?fields=viewset_name,x`, null, 200, names('content/file', 'roles', 'tasks')],
        ...(
          [
            ['viewset_name="roles" OR viewset_name=tasks', 'roles', 'tasks'],
            ['NOT viewset_name__in="roles,tasks"', 'content/file'],
            ["viewset_name__contains='s' AND NOT customized=true", 'tasks'],
            ['(customized=true OR viewset_name__startswith=t) AND viewset_name__icontains=OL', 'roles'],
            [`pulp_id__in=${policyIds[1]}`, 'tasks'],
            ['viewset_name__regex="^(rol|tas)[a-z]+$" AND NOT viewset_name__iregex=K', 'roles'],
          ] as const
        ).map(([q, ...found]): Step => [`sue GET ${policyPath}?${ask(q)}`, null, 200, names(...found)]),
        ...(
          [
            ['viewset_name', 'Syntax error in expression.'],
            ['a=b', "Filter 'a' does not exist."],
            ['q=b', "You cannot use 'q' in complex filtering."],
            ['ordering=b', 'An ordering filter cannot be used in complex filtering.'],
            [`${'NOT '.repeat(8)}viewset_name=a`, 'Filter expression exceeds allowed complexity.'],
          ] as const
        ).map(([q, message]): Step => [`sue GET ${policyPath}?${ask(q)}`, null, 400, { q: [message] }]),
        ...(
          [
            ['viewset_name__regex=s$', 'roles', 'tasks'],
            ['viewset_name__regex=S$'],
            ['viewset_name__iregex=S$', 'roles', 'tasks'],
            ['ordering=statements,pulp_id', 'tasks', 'content/file', 'roles'],
            ['ordering=-statements,pulp_id', 'roles', 'tasks', 'content/file'],
            ['ordering=queryset_scoping,-pulp_id', 'content/file', 'tasks', 'roles'],
          ] as const
        ).map(
          ([query, ...found]): Step => [
            `sue GET ${policyPath}?${query}&fields=viewset_name`,
            null,
            200,
            names(...found),
          ],
        ),
        [`sue GET ${policyPath}?foo=1&minimal=true`, null, 400, { errors: ["Invalid Filter: 'foo'"] }],
        [
          `sue GET ${policyPath}?pulp_href__in=${policyPath}${policyIds[0]}/&fields=viewset_name`,
          null,
          200,
          names('roles'),
        ],
        [
          `sue GET ${policyPath}?prn__in=prn:core.accesspolicy:${policyIds[1]}&fields=viewset_name`,
          null,
          200,
          names('tasks'),
        ],
        [
          `sue GET ${policyPath}?customized=maybe&ordering=-viewset_name&limit=1&fields=viewset_name`,
          null,
          200,
          /"results":\[\{"viewset_name":"tasks"\}\]/,
        ],
        [
          `sue GET ${policyPath}${policyIds[0]}/?exclude_fields=statements,x`,
          null,
          200,
          {
            pulp_href: `${policyPath}${policyIds[0]}/`,
            prn: `prn:core.accesspolicy:${policyIds[0]}`,
            pulp_created: now,
            pulp_last_updated: now,
            permissions_assignment: null,
            creation_hooks: null,
            viewset_name: 'roles',
            customized: true,
            queryset_scoping: null,
          },
        ],
        [
          `sue PATCH ${policyPath}${policyIds[1]}/`,
          { permissions_assignment: [{ function: 'f' }] },
          200,
          /"permissions_assignment":\[\{"function":"f"\}\],"creation_hooks":\[\{"function":"f"\}\].*"customized":true/,
        ],
        [
          `sue PATCH ${policyPath}${policyIds[1]}/`,
          { permissions_assignment: [{ function: 'f' }], creation_hooks: [{ function: 'g' }] },
          400,
          { non_field_errors: ["Cannot specify both 'permissions_assignment' and 'creation_hooks'."] },
        ],
        [
          `sue PATCH ${policyPath}${policyIds[1]}/`,
          { statements: {} },
          400,
          { statements: ['Expected a list of items but got type "dict".'] },
        ],
        [
          `sue PATCH ${policyPath}${policyIds[1]}/`,
          { queryset_scoping: null },
          400,
          { queryset_scoping: ['This field may not be null.'] },
        ],
        [`sue PATCH ${policyPath}${policyIds[1]}/`, { colour: 1 }, 400, /"colour":/],
        [`sue PUT ${policyPath}${policyIds[2]}/`, {}, 400, { statements: ['This field is required.'] }],
        [
          `sue PUT ${policyPath}${policyIds[2]}/`,
          { statements: [{ action: '*' }] },
          200,
          /"statements":\[\{"action":"\*"\}\].*"customized":true/,
        ],
        [
          `sue POST ${policyPath}${policyIds[0]}/reset/`,
          null,
          200,
          /"statements":\[\{"action":"\*"\}\].*"customized":false/,
        ],
        [`sue POST ${policyPath}`, {}, 405],
        [`sue DELETE ${policyPath}${policyIds[0]}/`, null, 405],
      ],
      'paperless RemovePasswordDocumentsView': [
        ['ann POST /paperless/documents/remove_password/', { documents: [1], password: 'p' }, 200, { result: 'OK' }],
        [
          'ann POST /paperless/documents/remove_password/',
          { documents: [1], password: 'p', delete_original: true },
          403,
          isHtml('Insufficient permissions'),
        ],
        ['ann POST /paperless/documents/remove_password/', { documents: [2], password: 'p' }, 403],
        [
          'ann POST /paperless/documents/remove_password/',
          { documents: [1, 7], password: 'p' },
          400,
          { documents: ["Some documents in documents don't exist or were specified twice."] },
        ],
        [
          'ann POST /paperless/documents/remove_password/',
          { documents: ['x'], source_mode: 'y' },
          400,
          /"password":\["This field is required."\],"source_mode":\["Invalid source_mode"\]/,
        ],
        ['- POST /paperless/documents/remove_password/', {}, 401],
      ],
      'paperless CustomFieldViewSet': [
        [
          'ann POST /paperless/custom_fields/',
          { name: 'a', data_type: 'select', extra_data: { select_options: [{ label: 'x' }] } },
          201,
          /^\{"id":1,"name":"a","data_type":"select","extra_data":\{"select_options":\[\{"(?:id":"\w{16}","label":"x|label":"x","id":"\w{16})"\}\]\},"document_count":0\}$/,
        ],
        [
          'ann POST /paperless/custom_fields/',
          { name: 'a', data_type: 'string' },
          400,
          { error: ['Object violates name unique constraint'] },
        ],
        [
          'ann POST /paperless/custom_fields/',
          { name: 'b', data_type: 'select' },
          400,
          { error: ['extra_data.select_options must be a valid list'] },
        ],
        [
          'ann POST /paperless/custom_fields/',
          { name: 'b', data_type: 'monetary', extra_data: { default_currency: 'EURO' } },
          400,
          { error: ['extra_data.default_currency must be a 3-character string'] },
        ],
        ['ann POST /paperless/custom_fields/', { name: 'b', data_type: 'date' }, 201],
        [
          'ann GET /paperless/custom_fields/?name__istartswith=B&page_size=1',
          null,
          200,
          {
            count: 1,
            next: null,
            previous: null,
            results: [{ id: 2, name: 'b', data_type: 'date', extra_data: null, document_count: 0 }],
          },
        ],
        [
          'ann GET /paperless/custom_fields/?page_size=1&page=2',
          null,
          200,
          /"count":2,.*"all":\[1,2\],"results":\[\{"id":2/,
          { accept: 'application/json; version=9' },
        ],
        [
          'ann GET /paperless/custom_fields/',
          null,
          406,
          { detail: 'Invalid version in "Accept" header.' },
          { accept: 'application/json; version=8' },
        ],
        ['bob GET /paperless/custom_fields/', null, 403],
      ],
      'paperless WorkflowActionViewSet': [
        [
          'ann POST /paperless/workflow_actions/',
          { type: 1, assign_title: '{created}', assign_tags: [1] },
          201,
          (response: Loose) => {
            const shown = response.json()
            if (Object.keys(shown).length !== 34 || shown.assign_tags[0] !== 1 || shown.assign_title !== '{created}')
              throw new Error(JSON.stringify(shown))
          },
        ],
        [
          'ann POST /paperless/workflow_actions/',
          { assign_title: '{x}' },
          400,
          { assign_title: ['Invalid f-string detected: "x"'] },
        ],
        [
          'ann POST /paperless/workflow_actions/',
          { type: 3 },
          400,
          { non_field_errors: ['Email data is required for email actions'] },
        ],
        [
          'ann POST /paperless/workflow_actions/',
          { type: 5, passwords: [' '] },
          400,
          { non_field_errors: ['Passwords are required for password removal actions'] },
        ],
        ['ann PATCH /paperless/workflow_actions/1/', { id: 2 }, 400, isHtml('ID in body does not match URL')],
        [
          'ann PATCH /paperless/workflow_actions/1/',
          { id: 1, assign_title: '', type: 4, webhook: { url: 'https://x.org/' } },
          200,
          /"assign_title":null.*"webhook":\{"id":1,"url":"https:\/\/x.org\/"/,
        ],
        [
          'ann PATCH /paperless/workflow_actions/1/',
          { remove_tags: [9] },
          400,
          { remove_tags: ['Invalid pk "9" - object does not exist.'] },
        ],
        ['bob DELETE /paperless/workflow_actions/1/', null, 403],
      ],
      'galaxy_ng ContainerRegistryRemoteViewSet': [
        [
          'ann POST /galaxy/execution-environments/registries/',
          { name: 'r', url: 'https://registry.redhat.io', password: 's' },
          201,
          (response: Loose) => {
            const { id, pulp_href, ...shown } = response.json()
            const expected = {
              name: 'r',
              url: 'https://registry.redhat.io',
              policy: 'immediate',
              created_at: now,
              updated_at: now,
              username: null,
              tls_validation: true,
              client_cert: null,
              ca_cert: null,
              last_sync_task: {},
              download_concurrency: null,
              proxy_url: null,
              write_only_fields: [
                { name: 'password', is_set: true },
                { name: 'client_key', is_set: false },
                { name: 'proxy_username', is_set: false },
                { name: 'proxy_password', is_set: false },
              ],
              rate_limit: null,
              is_indexable: true,
            }
            if (JSON.stringify(shown) !== JSON.stringify(expected)) throw new Error(JSON.stringify(shown))
          },
        ],
        ['ann POST /galaxy/execution-environments/registries/', { name: 'r', url: 'x', colour: 1 }, 400, /"colour":/],
        [
          'bob GET /galaxy/execution-environments/registries/?sort=-created_at&name__startswith=r',
          null,
          200,
          /"count":1/,
        ],
        ['bob POST /galaxy/execution-environments/registries/', { name: 's', url: 'x' }, 403],
      ],
    },
  },
  (name, run) => test(name, run),
)
