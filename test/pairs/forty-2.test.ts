// Pairs of baserow, taiga-back, Tandoor and IntelOwl.

import { test } from 'node:test'
import { sql } from 'kysely'
import {
  APIException,
  authenticated,
  authenticatedOrReadOnly,
  boolean,
  choice,
  computed,
  type Database,
  dateTime,
  type ExceptionHandler,
  email,
  exceptionHandler,
  forTypes,
  type Identity,
  integer,
  isSafe,
  json,
  key,
  list,
  listView,
  NotFound,
  nested,
  number,
  type Permission,
  PermissionDenied,
  readOnly,
  related,
  staff,
  text,
  url,
  ValidationError,
  writeOnly,
} from 'resource-api'
import { hashPassword } from 'resource-api/accounts'
import { caller as callerValue, created, owner, reference, table, tables, updated } from 'resource-api/tables'
import { caller, type Loose, now, numbered, taigaError, taigaErrors, taigaPages, testPairs } from './support.ts'

const userTable = table('users', {
  columns: {
    id: key(),
    username: email({ unique: 'taken' }),
    name: text({ max: 150 }),
    password_hash: text({ nullable: true }),
    last_login: dateTime({ nullable: true }),
    date_joined: created(),
    is_active: boolean({ default: true }),
    is_staff: boolean({ default: false }),
  },
})
const workspaceTable = table('workspaces', { columns: { id: key(), name: text() } })
const workspaceUserTable = table('workspace_users', {
  columns: {
    id: key(),
    workspace: reference('workspaces'),
    user: reference('users', { onDelete: 'cascade' }),
    permissions: text(),
  },
})
const exportTable = table('export_jobs', {
  columns: {
    id: key(),
    user: owner(integer()),
    table: integer({ nullable: true }),
    view: integer({ nullable: true }),
    exporter_type: text(),
    state: text(),
    exported_file_name: text({ nullable: true }),
    created_at: created(),
    progress_percentage: number(),
  },
})
const projectTable = table('projects', {
  columns: {
    id: key(),
    owner: integer(),
    is_private: boolean({ default: false }),
    blocked_code: text({ nullable: true }),
    is_archived: boolean({ default: false }),
  },
})
const attributeTable = table('task_custom_attributes', {
  columns: {
    id: key(),
    name: text({ max: 64 }),
    description: text({ default: '', blank: true }),
    type: choice(['text', 'multiline', 'date', 'url', 'dropdown'], { default: 'text' }),
    order: integer({ default: ({ now }) => Math.round(Date.parse(now) / 1000) }),
    project: reference('projects'),
    extra: json({ nullable: true }),
    created_date: created(),
    modified_date: updated(),
  },
})
const storageTable = table('storage_entries', {
  columns: {
    id: key(),
    owner: owner(integer()),
    key: text({ max: 255 }),
    value: json({ nullable: true }),
    created_date: created(),
    modified_date: updated(),
  },
  unique: [['owner', 'key']],
})
const providerTable = table('ai_providers', {
  columns: {
    id: key(),
    name: text(),
    description: text({ default: '', blank: true }),
    api_key: text({ default: '' }),
    model_name: text(),
    url: text({ nullable: true }),
    log_credit_cost: boolean({ default: true }),
    space: integer({ nullable: true }),
    created_at: created(),
    updated_at: updated(),
  },
})
const aiLogTable = table('ai_logs', {
  columns: {
    id: key(),
    space: integer(),
    ai_provider: reference('ai_providers', { nullable: true }),
    function: text(),
    credit_cost: number(),
    credits_from_balance: boolean(),
    input_tokens: integer(),
    output_tokens: integer(),
    start_time: dateTime({ nullable: true }),
    end_time: dateTime({ nullable: true }),
    created_by: integer({ nullable: true }),
    created_at: created(),
    updated_at: updated(),
  },
})
const shared = {
  id: key(),
  evaluation: choice(['trusted', 'malicious'], { nullable: true }),
  reliability: integer({ min: 0, max: 10, default: 5 }),
  kill_chain_phase: text({ nullable: true }),
  external_references: list({ of: url(), default: [] }),
  related_threats: list({ of: text(), default: [] }),
  tags: list({ of: text(), nullable: true }),
  malware_family: text({ nullable: true }),
  additional_info: json({ default: {} }),
  date: dateTime(),
}
const fileModelTable = table('file_models', {
  columns: {
    ...shared,
    comments: list({ of: text(), default: [] }),
    file_information: json({ default: {} }),
    stats: json({ default: {} }),
  },
})
const domainModelTable = table('domain_models', {
  columns: { ...shared, rank: integer({ nullable: true }), resolutions: list({ of: text(), default: [] }) },
})
const signatureTable = table('signatures', { columns: { id: key(), provider: text(), url: text(), score: integer() } })
const fileSignatures = table('file_signatures', {
  key: ['file', 'signature'],
  columns: { file: reference('file_models'), signature: reference('signatures') },
})
const ietfTable = table('ietf_reports', { columns: { id: key(), rrname: text(), rrtype: text() } })
const domainReports = table('domain_reports', {
  key: ['domain', 'report'],
  columns: { domain: reference('domain_models'), report: reference('ietf_reports') },
})
const reportTable = table('analyzer_reports', {
  columns: {
    id: key(),
    user: integer(),
    organization: integer({ nullable: true }),
    file: reference('file_models', { nullable: true }),
    domain: reference('domain_models', { nullable: true }),
  },
})
const schema = tables({
  owner: 'pairs',
  tables: [
    ...[
      userTable,
      workspaceTable,
      workspaceUserTable,
      exportTable,
      projectTable,
      attributeTable,
      storageTable,
      providerTable,
      aiLogTable,
    ],
    ...[fileModelTable, domainModelTable, signatureTable, fileSignatures, ietfTable, domainReports, reportTable],
  ],
})
const { resource, rowFilter } = forTypes<Identity, typeof schema>()

// baserow: errors have a code and a detail.
class BaserowError extends APIException {
  static override status = 400
  static override message = ''
  static override code = ''
  readonly errorCode: string
  constructor(message: string, errorCode: string) {
    super(message, errorCode)
    this.errorCode = errorCode
  }
}
const baserowErrors: ExceptionHandler = (error, context) => {
  const response = exceptionHandler(error, context)
  if (response === undefined || !(error instanceof APIException)) return response
  const coded = (code: string, detail: unknown, status = response.status) => ({
    ...response,
    status,
    body: { error: code, detail },
  })
  if (error instanceof BaserowError) return coded(error.errorCode, error.message)
  if (error.message === 'Invalid page.') return coded('ERROR_INVALID_PAGE', 'The requested page does not exist.', 400)
  if (!(error instanceof ValidationError)) return response
  const details = error.fullDetails as Readonly<Record<string, readonly { message: string; code: string }[]>>
  if (details.username?.[0]?.code === 'unique')
    return coded('USER_ADMIN_ALREADY_EXISTS', 'A user with that username already exists.')
  const named = Object.entries(details).map(([name, errors]) => [
    name,
    errors.map(({ message, code }) => ({ error: message, code })),
  ])
  return coded('ERROR_REQUEST_BODY_VALIDATION', Object.fromEntries(named))
}
const sorts: Permission = {
  allows({ request }) {
    const query = new URL(request.url, 'http://x').searchParams
    const names = (query.get('sorts') ?? '').split(',').filter(Boolean)
    if (Number(query.get('size')) > 100)
      throw new BaserowError('The page size is limited to 100.', 'ERROR_PAGE_SIZE_LIMIT')
    for (const name of names) {
      if (!/^[ +-]/.test(name))
        throw new BaserowError(`Invalid sort direction: ${name}`, 'ERROR_INVALID_SORT_DIRECTION')
      if (
        !userSorts.includes(name.slice(1) as 'id') ||
        names.filter(each => each.slice(1) === name.slice(1)).length > 1
      )
        throw new BaserowError(`${name.slice(1)} is not a valid sort attribute.`, 'ERROR_INVALID_SORT_ATTRIBUTE')
    }
    return true
  },
}
const userSorts = ['id', 'is_active', 'name', 'username', 'date_joined', 'last_login'] as const
const workspaceUsers = resource('workspace-users', {
  table: workspaceUserTable,
  actions: [],
  fields: {
    id: readOnly(integer({ column: 'workspace_id' })),
    name: text({ source: 'workspace.name' }),
    ...workspaceUserTable.pick('permissions'),
    workspace: related('workspaces'),
  },
})
const workspaces = resource('workspaces', {
  table: workspaceTable,
  actions: [],
  fields: workspaceTable.pick('id', 'name'),
})
const baserowUsers = resource('users', {
  table: userTable,
  path: 'admin/users',
  actions: ['list', 'create'],
  permissions: [staff, sorts],
  fields: {
    ...userTable.pick('id', 'username', 'name'),
    workspaces: nested({ of: workspaceUsers, many: { reverse: 'user_id' }, fields: ['id', 'name', 'permissions'] }),
    last_login: readOnly(userTable.pick('last_login').last_login),
    ...userTable.pick('date_joined', 'is_active', 'is_staff'),
    password: writeOnly(text({ min: 8, max: 256, trim: false }), { stored: false }),
  },
  hookColumns: ['password_hash'],
  prepare: async ({ given }) => ({ password_hash: await hashPassword(String(given.password)) }),
  unknownFields: 'refuse',
  searchFields: ['id', 'username', 'name'],
  searchAs: 'phrase',
  orderingFields: userSorts,
  parameters: { ordering: 'sorts' },
  perAction: { create: { status: 200 } },
  pagination: numbered(
    100,
    ({ items, count, next, previous }) => `{"count":${count},"next":${next},"previous":${previous},"results":${items}}`,
    { sizeParameter: 'size' },
  ),
})
const exportJobs = resource('export', {
  table: exportTable,
  path: 'database/export',
  actions: ['retrieve'],
  permissions: [authenticated, rowFilter({ user: callerValue('id') })],
  fields: {
    ...exportTable.pick('id', 'table', 'view', 'exporter_type', 'state'),
    status: readOnly(text({ column: 'state' })),
    ...exportTable.pick('exported_file_name', 'created_at', 'progress_percentage'),
    url: computed(
      url({ nullable: true }),
      ({ row }) => sql`'https://files.example.org/export_files/' || ${row.exported_file_name}`,
    ),
  },
})
const exportErrors: ExceptionHandler = (error, context) =>
  error instanceof NotFound
    ? {
        status: 404,
        headers: {},
        body: { error: 'ERROR_EXPORT_JOB_DOES_NOT_EXIST', detail: 'That export job does not exist.' },
      }
    : exceptionHandler(error, context)

// taiga-back TaskCustomAttributeViewSet
const blocked = (project: { blocked_code: unknown; is_archived: unknown }) => {
  if (project.blocked_code !== null) throw taigaError('Blocked element', 451)
  if (project.is_archived) throw taigaError('Archived element', 403)
}
const taiga = (database: Database) => {
  const findProject = (id: unknown, from: Loose = database) =>
    from.kysely.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
  const projects = resource('projects', {
    table: projectTable,
    actions: [],
    fields: projectTable.pick('id'),
    permissions: [rowFilter({ or: [{ is_private: false }, { owner: callerValue('id') }] })],
  })
  const ownsProject: Permission = {
    columns: ['project_id'],
    allowsSafe: true,
    async allowsObject({ method, user }, object) {
      if (isSafe(method)) return true
      const project = await findProject(object.project_id)
      if (project.owner === user.id) blocked(project)
      return project.owner === user.id
    },
  }
  const attributes = resource('task-custom-attributes', {
    table: attributeTable,
    fields: {
      ...attributeTable.pick('id', 'name', 'description', 'type', 'order'),
      project: related(projects),
      ...attributeTable.pick('extra', 'created_date', 'modified_date'),
    },
    ordering: ['project', 'order', 'name'],
    filters: { project: true },
    pagination: taigaPages,
    permissions: [
      rowFilter({ or: [{ 'project.is_private': false }, { 'project.owner': callerValue('id') }] }),
      ownsProject,
    ],
    async validate({ action, values, key: own, user, connection: { kysely } }) {
      const project = await findProject(values.project)
      if (project.owner !== user.id) throw new PermissionDenied()
      if (action === 'create') blocked(project)
      const same = await kysely
        .selectFrom('task_custom_attributes')
        .select('id')
        .where('project_id', '=', values.project)
        .where('name', '=', values.name)
        .executeTakeFirst()
      if (same !== undefined && same.id !== own)
        throw new ValidationError({ name: 'Already exists one with the same name.' })
    },
    listViews: {
      bulk_update_order: listView({
        permissions: [authenticated],
        body: {
          project: integer({ nullable: true }),
          bulk_task_custom_attributes: list({ of: list({ of: integer() }), nullable: true }),
        },
        handlers: {
          async POST({ body, user, database }) {
            if (body.bulk_task_custom_attributes === null)
              throw taigaError("'bulk_task_custom_attributes' parameter is mandatory")
            if (body.project === null) throw taigaError("'project' parameter is mandatory")
            const project = await findProject(body.project)
            if (project === undefined) throw new NotFound()
            if (project.owner !== user.id) throw new PermissionDenied()
            blocked(project)
            await database.transaction(async ({ kysely }: Loose) => {
              for (const [id, order] of body.bulk_task_custom_attributes as number[][])
                await kysely
                  .updateTable('task_custom_attributes')
                  .set({ order })
                  .where('id', '=', id)
                  .where('project_id', '=', project.id)
                  .execute()
            })
            return { status: 204 }
          },
        },
      }),
    },
  })
  return { resources: [projects, attributes, storageEntries], exceptionHandler: taigaErrors }
}

// taiga-back StorageEntriesViewSet
class IntegrityError extends APIException {
  static override status = 400
  static override message = 'Integrity Error for wrong or invalid arguments'
  static override code = 'integrity'
}
const storageEntries = resource('user-storage', {
  table: storageTable,
  lookup: ['key'],
  permissions: [authenticatedOrReadOnly, rowFilter({ owner: callerValue('id') })],
  fields: storageTable.pick('key', 'value', 'created_date', 'modified_date'),
  filters: { key: { in: 'keys' } },
  ordering: ['key'],
  pagination: taigaPages,
  uniqueTogether: [],
  async validate({ action, values, user, connection: { kysely } }) {
    if (action === 'update') return
    const same = await kysely
      .selectFrom('storage_entries')
      .select('id')
      .where('owner_id', '=', user.id as number)
      .where('key', '=', values.key)
      .executeTakeFirst()
    if (same !== undefined)
      throw new IntegrityError(`Duplicate key value violates unique constraint. Key '${values.key}' already exists.`)
  },
})

// Tandoor AiLogViewSet
const inSpace = rowFilter({ space: callerValue('space' as 'id') })
const providers = resource('ai-provider', {
  table: providerTable,
  actions: [],
  fields: providerTable.pick(
    'id',
    'name',
    'description',
    'model_name',
    'url',
    'log_credit_cost',
    'space',
    'created_at',
    'updated_at',
  ),
})
const aiLogs = resource('ai-log', {
  table: aiLogTable,
  methods: ['GET'],
  permissions: [authenticated, inSpace],
  fields: {
    ...aiLogTable.pick('id'),
    ai_provider: nested({ of: providers, column: 'ai_provider_id' }),
    ...aiLogTable.pick(
      'function',
      'credit_cost',
      'credits_from_balance',
      'input_tokens',
      'output_tokens',
      'start_time',
      'end_time',
      'created_by',
      'created_at',
      'updated_at',
    ),
  },
  pagination: numbered(
    50,
    ({ items, count, next, previous }) =>
      `{"count":${count},"next":${next},"previous":${previous},"timestamp":"${now}","results":${items}}`,
    { max: 200 },
  ),
})

// IntelOwl FileDataModelView and DomainDataModelView
const signatures = resource('signatures', {
  table: signatureTable,
  actions: [],
  fields: signatureTable.pick('id', 'provider', 'url', 'score'),
})
const reports = resource('analyzer-reports', {
  table: reportTable,
  actions: [],
  fields: {
    ...reportTable.pick('id'),
    file: related('file', { nullable: true }),
    domain: related('domain', { nullable: true }),
  },
})
const ietfReports = resource('ietf-reports', {
  table: ietfTable,
  actions: [],
  fields: ietfTable.pick('id', 'rrname', 'rrtype'),
})
const sharedNames = [
  'id',
  'evaluation',
  'reliability',
  'kill_chain_phase',
  'external_references',
  'related_threats',
  'tags',
  'malware_family',
  'additional_info',
  'date',
] as const
const ownsReport = rowFilter({
  or: [
    { analyzer_reports: { user: callerValue('id') } },
    { analyzer_reports: { organization: callerValue('organization' as 'id') } },
  ],
})
const dataModel = {
  actions: ['list', 'retrieve'],
  ordering: ['date'],
  permissions: [authenticated, ownsReport],
  sparseFields: true,
  pagination: numbered(10, ({ items, count, pages }) => `{"count":${count},"total_pages":${pages},"results":${items}}`),
} as const
const fileModels = resource('file', {
  table: fileModelTable,
  path: 'data_model/file',
  ...dataModel,
  fields: {
    ...fileModelTable.pick(...sharedNames),
    analyzers_report: related(reports, { many: { reverse: 'file_id' } }),
    signatures: nested({ of: signatures, many: { table: 'file_signatures', own: 'file_id', other: 'signature_id' } }),
    ...fileModelTable.pick('comments', 'file_information', 'stats'),
  },
})
const domainModels = resource('domain', {
  table: domainModelTable,
  path: 'data_model/domain',
  ...dataModel,
  fields: {
    ...domainModelTable.pick(...sharedNames),
    analyzers_report: related(reports, { many: { reverse: 'domain_id' } }),
    ietf_report: nested({ of: ietfReports, many: { table: 'domain_reports', own: 'domain_id', other: 'report_id' } }),
    ...domainModelTable.pick('rank', 'resolutions'),
  },
})

const data = { reliability: 5, external_references: [], related_threats: [], additional_info: {}, date: now }
testPairs(
  {
    schema,
    callers: {
      ann: caller(1, 'ann', { space: 1, organization: 1 }),
      bob: caller(2, 'bob', { space: 2, organization: 2 }),
      sue: caller(3, 'sue', { isStaff: true }),
    },
    rows: {
      users: [{ username: 'ann@x.org', name: 'Ann', date_joined: now, is_active: true, is_staff: false }],
      workspaces: [{ name: 'W' }],
      workspace_users: [{ workspace_id: 1, user_id: 1, permissions: 'ADMIN' }],
      export_jobs: [
        {
          user_id: 1,
          exporter_type: 'csv',
          state: 'finished',
          exported_file_name: 'a.csv',
          created_at: now,
          progress_percentage: 100,
        },
      ],
      projects: [
        { owner: 1, is_private: false, is_archived: false },
        { owner: 1, is_private: true, is_archived: false, blocked_code: 'x' },
      ],
      ai_providers: [
        {
          name: 'P',
          description: '',
          api_key: 's',
          model_name: 'm',
          log_credit_cost: true,
          created_at: now,
          updated_at: now,
        },
      ],
      ai_logs: [
        {
          space: 1,
          ai_provider_id: 1,
          function: 'f',
          credit_cost: 1.5,
          credits_from_balance: false,
          input_tokens: 1,
          output_tokens: 2,
          created_at: now,
          updated_at: now,
        },
      ],
      file_models: [{ ...data, comments: ['c'], file_information: {}, stats: {} }],
      domain_models: [{ ...data, resolutions: ['r'] }],
      signatures: [{ provider: 'clamav', url: 'u', score: 1 }],
      file_signatures: [{ file_id: 1, signature_id: 1 }],
      analyzer_reports: [{ user: 1, file_id: 1, domain_id: 1 }],
    },
    apis: {
      '/baserow': {
        resources: [baserowUsers, workspaceUsers, workspaces],
        exceptionHandler: baserowErrors,
        strict: true,
      },
      '/exports': { resources: [exportJobs], exceptionHandler: exportErrors },
      '/taiga': taiga,
      '/tandoor': { resources: [aiLogs, providers] },
      '/intelowl': { resources: [fileModels, domainModels, signatures, reports, ietfReports] },
    },
    pairs: {
      'baserow UsersAdminView': [
        [
          'sue POST /baserow/admin/users/',
          { username: 'zoe@x.org', name: 'Zoe', password: 'long enough' },
          200,
          {
            id: 2,
            username: 'zoe@x.org',
            name: 'Zoe',
            workspaces: [],
            last_login: null,
            date_joined: now,
            is_active: true,
            is_staff: false,
          },
        ],
        [
          'sue POST /baserow/admin/users/',
          { username: 'zoe@x.org', name: 'Zoe', password: 'long enough' },
          400,
          { error: 'USER_ADMIN_ALREADY_EXISTS', detail: 'A user with that username already exists.' },
        ],
        [
          'sue POST /baserow/admin/users/',
          { username: 'x', name: 'Zoe', password: 'long enough', role: 1 },
          400,
          /"error":"ERROR_REQUEST_BODY_VALIDATION","detail":\{.*"role":/,
        ],
        ['sue GET /baserow/admin/users/?sorts=-name,+id&size=1', null, 200, /"count":2,.*zoe@x/],
        [
          'sue GET /baserow/admin/users/?search=Ann',
          null,
          200,
          /"count":1,.*"workspaces":\[\{"id":1,"name":"W","permissions":"ADMIN"\}\]/,
        ],
        [
          'sue GET /baserow/admin/users/?sorts=-email',
          null,
          400,
          { error: 'ERROR_INVALID_SORT_ATTRIBUTE', detail: 'email is not a valid sort attribute.' },
        ],
        ['sue GET /baserow/admin/users/?sorts=name', null, 400, /ERROR_INVALID_SORT_DIRECTION/],
        ['sue GET /baserow/admin/users/?size=200', null, 400, /ERROR_PAGE_SIZE_LIMIT/],
        ['sue GET /baserow/admin/users/?page=9', null, 400, /ERROR_INVALID_PAGE/],
        ['ann GET /baserow/admin/users/', null, 403],
      ],
      'baserow ExportJobView': [
        [
          'ann GET /exports/database/export/1/',
          null,
          200,
          {
            id: 1,
            table: null,
            view: null,
            exporter_type: 'csv',
            state: 'finished',
            status: 'finished',
            exported_file_name: 'a.csv',
            created_at: now,
            progress_percentage: 100,
            url: 'https://files.example.org/export_files/a.csv',
          },
        ],
        [
          'bob GET /exports/database/export/1/',
          null,
          404,
          { error: 'ERROR_EXPORT_JOB_DOES_NOT_EXIST', detail: 'That export job does not exist.' },
        ],
        ['- GET /exports/database/export/1/', null, 401],
      ],
      'taiga-back StorageEntriesViewSet': [
        [
          'ann POST /taiga/user-storage/',
          { key: 'theme', value: { dark: true } },
          201,
          { key: 'theme', value: { dark: true }, created_date: now, modified_date: now },
        ],
        ['bob POST /taiga/user-storage/', { key: 'theme', value: 'light' }, 201],
        ['ann POST /taiga/user-storage/', { key: 'a b', value: null }, 201],
        ['ann POST /taiga/user-storage/', { key: 'left' }, 201, /"value":null/],
        [
          'ann POST /taiga/user-storage/',
          { key: 'theme', value: 1 },
          400,
          {
            _error_message: "Duplicate key value violates unique constraint. Key 'theme' already exists.",
            _error_type: 'taiga.base.exceptions.IntegrityError',
          },
        ],
        ['ann POST /taiga/user-storage/', { value: 1 }, 400, { key: ['This field is required.'] }],
        ['nobody POST /taiga/user-storage/', { key: 'x', value: 1 }, 401],
        [
          'ann GET /taiga/user-storage/?keys=theme,left,none',
          null,
          200,
          /^\[\{"key":"left",[^{]*\{"key":"theme",[^[]*\]$/,
        ],
        ['bob GET /taiga/user-storage/', null, 200, /^\[\{"key":"theme","value":"light",[^{]*\]$/],
        ['nobody GET /taiga/user-storage/', null, 200, []],
        ['nobody GET /taiga/user-storage/theme/', null, 404],
        ['ann GET /taiga/user-storage/a%20b/', null, 200, /"key":"a b"/],
        ['bob GET /taiga/user-storage/left/', null, 404],
        ['bob PUT /taiga/user-storage/theme/', { key: 'theme', value: { bar: 'bar' } }, 200, /"value":\{"bar":"bar"\}/],
        ['nobody PUT /taiga/user-storage/theme/', { key: 'theme', value: 1 }, 401],
        ['bob PUT /taiga/user-storage/none/', { key: 'none', value: 1 }, 404],
        ['ann GET /taiga/user-storage/theme/', null, 200, /"dark":true/],
        ['ann PATCH /taiga/user-storage/theme/', { key: 'moved' }, 200, /"key":"moved","value":\{"dark":true\}/],
        ['ann GET /taiga/user-storage/theme/', null, 404],
        ['nobody DELETE /taiga/user-storage/moved/', null, 401],
        ['bob DELETE /taiga/user-storage/moved/', null, 404],
        ['ann DELETE /taiga/user-storage/moved/', null, 204],
        ['bob GET /taiga/user-storage/theme/', null, 200],
      ],
      'taiga TaskCustomAttributeViewSet': [
        [
          'ann POST /taiga/task-custom-attributes/',
          { name: 'a', project: 1, order: 2 },
          201,
          {
            id: 1,
            name: 'a',
            description: '',
            type: 'text',
            order: 2,
            project: 1,
            extra: null,
            created_date: now,
            modified_date: now,
          },
        ],
        [
          'ann POST /taiga/task-custom-attributes/',
          { name: 'a', project: 1 },
          400,
          { name: ['Already exists one with the same name.'] },
        ],
        ['ann POST /taiga/task-custom-attributes/', { name: 'b', project: 1, order: 1 }, 201],
        [
          'ann POST /taiga/task-custom-attributes/',
          { name: 'c', project: 2 },
          451,
          /"_error_message":"Blocked element"/,
        ],
        ['bob POST /taiga/task-custom-attributes/', { name: 'c', project: 1 }, 403],
        [
          'bob GET /taiga/task-custom-attributes/?project=1&page_size=1',
          null,
          200,
          (response: Loose) => {
            if (
              response.headers.get('x-pagination-count') !== '2' ||
              !response.headers.get('x-pagination-next').endsWith('page=2')
            )
              throw new Error('header fields')
          },
        ],
        [
          'bob GET /taiga/task-custom-attributes/?page_size=1',
          null,
          200,
          /"name":"b".*"name":"a"/,
          { 'x-disable-pagination': '1' },
        ],
        [
          'ann POST /taiga/task-custom-attributes/bulk_update_order/',
          { project: 1, bulk_task_custom_attributes: [[1, 0]] },
          204,
        ],
        ['ann GET /taiga/task-custom-attributes/?page=x', null, 404, /Page is not 'last'/],
        [
          'ann POST /taiga/task-custom-attributes/bulk_update_order/',
          { project: 1 },
          400,
          /'bulk_task_custom_attributes' parameter is mandatory/,
        ],
        ['bob DELETE /taiga/task-custom-attributes/1/', null, 403],
        ['ann DELETE /taiga/task-custom-attributes/1/', null, 204],
      ],
      'Tandoor AiLogViewSet': [
        [
          'ann GET /tandoor/ai-log/',
          null,
          200,
          {
            count: 1,
            next: null,
            previous: null,
            timestamp: now,
            results: [
              {
                id: 1,
                ai_provider: {
                  id: 1,
                  name: 'P',
                  description: '',
                  model_name: 'm',
                  url: null,
                  log_credit_cost: true,
                  space: null,
                  created_at: now,
                  updated_at: now,
                },
                function: 'f',
                credit_cost: 1.5,
                credits_from_balance: false,
                input_tokens: 1,
                output_tokens: 2,
                start_time: null,
                end_time: null,
                created_by: null,
                created_at: now,
                updated_at: now,
              },
            ],
          },
        ],
        ['bob GET /tandoor/ai-log/1/', null, 404],
        ['ann POST /tandoor/ai-log/', {}, 405],
        ['- GET /tandoor/ai-log/', null, 401],
      ],
      'IntelOwl FileDataModelView': [
        [
          'ann GET /intelowl/data_model/file/',
          null,
          200,
          {
            count: 1,
            total_pages: 1,
            results: [
              {
                id: 1,
                evaluation: null,
                kill_chain_phase: null,
                tags: null,
                malware_family: null,
                ...data,
                analyzers_report: [1],
                signatures: [{ id: 1, provider: 'clamav', url: 'u', score: 1 }],
                comments: ['c'],
                file_information: {},
                stats: {},
              },
            ],
          },
        ],
        ['ann GET /intelowl/data_model/file/1/?fields=id,stats', null, 200, { id: 1, stats: {} }],
        ['bob GET /intelowl/data_model/file/1/', null, 404],
        ['- GET /intelowl/data_model/file/', null, 401],
      ],
      'IntelOwl DomainDataModelView': [
        [
          'ann GET /intelowl/data_model/domain/1/',
          null,
          200,
          {
            id: 1,
            evaluation: null,
            kill_chain_phase: null,
            tags: null,
            malware_family: null,
            ...data,
            analyzers_report: [1],
            ietf_report: [],
            rank: null,
            resolutions: ['r'],
          },
        ],
        ['bob GET /intelowl/data_model/domain/1/', null, 404],
        ['ann DELETE /intelowl/data_model/domain/1/', null, 405],
      ],
    },
  },
  (name, run) => test(name, run),
)
