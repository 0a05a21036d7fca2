// Pairs of wger, Flagsmith, AWX, treeherder and doccano.

import { test } from 'node:test'
import { sql } from 'kysely'
import {
  authenticated,
  boolean,
  choice,
  computed,
  type Database,
  filter,
  forTypes,
  type Identity,
  integer,
  json,
  jsonParser,
  jsonRenderer,
  key,
  limitOffset,
  list,
  listView,
  NotFound,
  nested,
  or,
  ParseError,
  type Permission,
  readOnly,
  related,
  text,
  ValidationError,
  via,
  view,
} from 'resource-api'
import { type Parser, type Renderer, readText } from 'resource-api/extend'
import {
  caller as callerValue,
  count,
  created,
  exists,
  reference,
  table,
  tables,
  updated,
  value,
  where,
} from 'resource-api/tables'
import { caller, type Loose, now, testPairs } from './support.ts'

const userTable = table('users', { columns: { id: key(), username: text() } })
const mfaTable = table('mfa_methods', {
  columns: {
    id: key(),
    user: reference('users'),
    name: text(),
    is_active: boolean({ default: false }),
    is_primary: boolean({ default: false }),
    backup_codes: json({ nullable: true }),
  },
})
const inventoryTable = table('inventories', { columns: { id: key(), variables: text({ default: '', blank: true }) } })
const trackerTable = table('issue_trackers', { columns: { id: key(), name: text(), task_base_url: text() } })
const repositoryTable = table('repositories', { columns: { id: key(), name: text() } })
const jobTable = table('jobs', { columns: { id: key(), repository: reference('repositories') } })
const bugTable = table('bugs', { columns: { id: key(), bugzilla_id: integer({ nullable: true }), summary: text() } })
const bugMapTable = table('bug_job_maps', {
  columns: {
    id: key(),
    job: reference('jobs'),
    bug: reference('bugs'),
    user: reference('users', { nullable: true }),
    created: created(),
  },
  unique: [['job', 'bug']],
})
const projectTable = table('projects', {
  columns: {
    id: key(),
    allow_member_to_create_label_type: boolean({ default: false }),
    collaborative_annotation: boolean({ default: false }),
    random_order: boolean({ default: false }),
  },
})
const memberTable = table('members', {
  columns: {
    id: key(),
    project: reference('projects'),
    user: reference('users'),
    role: choice(['project_admin', 'annotator']),
  },
})
const relationTypeTable = table('relation_types', {
  columns: {
    id: key(),
    project: reference('projects'),
    text: text({ max: 100 }),
    prefix_key: choice(['ctrl', 'shift', 'ctrl shift'], { nullable: true }),
    suffix_key: choice([...'0123456789abcdefghijklmnopqrstuvwxyz'], { nullable: true }),
    background_color: text({ max: 7, default: '#209cee' }),
    text_color: text({ max: 7, default: '#ffffff' }),
  },
  unique: [['project', 'text']],
})
const exampleTable = table('examples', {
  columns: {
    id: key(),
    project: reference('projects'),
    filename: text({ default: '', blank: true }),
    upload_name: text({ default: '', blank: true }),
    meta: json({ default: {} }),
    text: text({ nullable: true, blank: true }),
    score: integer({ nullable: true }),
    annotations_approved_by: reference('users', { nullable: true }),
    created_at: created(),
    updated_at: updated(),
  },
})
const assignmentTable = table('assignments', {
  columns: { id: key(), example: reference('examples', { onDelete: 'cascade' }), assignee: reference('users') },
})
const stateTable = table('states', {
  columns: { id: key(), example: reference('examples', { onDelete: 'cascade' }), confirmed_by: reference('users') },
})
const commentTable = table('comments', {
  columns: { id: key(), example: reference('examples', { onDelete: 'cascade' }) },
})
const labelKinds = ['categories', 'spans', 'relations', 'bboxes', 'segmentations'] as const
const labelTables = labelKinds.map(kind =>
  table(kind, { columns: { id: key(), example: reference('examples', { onDelete: 'cascade' }), label: text() } }),
)
const schema = tables({
  owner: 'pairs',
  tables: [
    ...[
      userTable,
      mfaTable,
      inventoryTable,
      trackerTable,
      repositoryTable,
      jobTable,
      bugTable,
      bugMapTable,
      projectTable,
    ],
    ...[memberTable, relationTypeTable, exampleTable, assignmentTable, stateTable, commentTable, ...labelTables],
  ],
})
const { resource, rowFilter } = forTypes<Identity, typeof schema>()

// wger PermissionView
const checkPermission = view({
  name: 'Check permission',
  query: { permission: text({ nullable: true }) },
  errors: { 400: text() },
  handlers: {
    GET: ({ query: { permission }, user }) =>
      permission === null
        ? { status: 400, body: "Please pass a permission name in the 'permission' parameter" }
        : { status: 200, body: { result: ((user as { perms?: readonly string[] }).perms ?? []).includes(permission) } },
  },
})

// Flagsmith MFAMethodConfirmActivationView
const confirmMfa = view({
  name: 'Confirm activation',
  permissions: [authenticated],
  body: { code: text() },
  response: { backup_codes: list({ of: text() }) },
  handlers: {
    async POST({ body, parameters, user, database }) {
      return database.transaction(async ({ kysely }) => {
        const method = await kysely
          .selectFrom('mfa_methods')
          .selectAll()
          .where('user_id', '=', user.id)
          .where('name', '=', parameters.method)
          .executeTakeFirst()
        if (method === undefined) throw new NotFound('Requested MFA method does not exist')
        if (method.is_active) throw new ValidationError({ code: 'MFA method already active.' })
        // Stands for the check of a one-time password.
        if (body.code !== '123456') throw new ValidationError({ code: 'Code invalid or expired.' })
        const codes = Array.from({ length: 5 }, () => Math.random().toString(36).slice(2, 10))
        const others = await kysely
          .selectFrom('mfa_methods')
          .select('id')
          .where('user_id', '=', user.id)
          .where('is_primary', '=', sql`true`)
          .execute()
        await kysely
          .updateTable('mfa_methods')
          .set({
            is_active: sql`true`,
            is_primary: sql<boolean>`${sql.raw(String(others.length === 0))}`,
            backup_codes: JSON.stringify(codes),
          })
          .where('id', '=', method.id)
          .execute()
        return { backup_codes: codes }
      })
    },
  },
})

// AWX InventoryVariableData: JSON or YAML in and out. This YAML has one value in each line.
const yaml = (text: string) =>
  Object.fromEntries(
    text
      .split('\n')
      .filter(Boolean)
      .map(line => line.split(': ')),
  )
const yamlParser: Parser = {
  mediaType: 'application/yaml',
  parse: async request => ({ kind: 'data', data: yaml(await readText(request, 100_000, 'YAML parse error')) }),
}
const yamlRenderer: Renderer = {
  mediaType: 'application/yaml',
  format: 'yaml',
  contentType: 'application/yaml',
  canRender: body => !(body instanceof Error),
  render: body =>
    Object.entries(body as object)
      .map(([name, each]) => `${name}: ${each}\n`)
      .join(''),
}
const canChange: Permission = {
  allows: ({ user, method }) => user.isAuthenticated && (method === 'GET' || user.username === 'ann'),
}
const variableData = view({
  name: 'Inventory variable data',
  permissions: [canChange],
  parsers: [jsonParser(), yamlParser],
  renderers: [jsonRenderer, yamlRenderer],
  parameters: { id: integer() },
  handlers: {
    async GET({ database: { kysely }, parameters }) {
      const row = await kysely
        .selectFrom('inventories')
        .select('variables')
        .where('id', '=', parameters.id)
        .executeTakeFirst()
      if (row === undefined) throw new NotFound()
      const { variables } = row
      return { status: 200, body: variables.startsWith('{') ? JSON.parse(variables) : yaml(variables) }
    },
    ...Object.fromEntries(
      (['PUT', 'PATCH'] as const).map(method => [
        method,
        async ({ database, parameters, requestBody }: Loose) => {
          if (requestBody.kind !== 'data' || Array.isArray(requestBody.data) || typeof requestBody.data !== 'object')
            throw new ParseError('Not a JSON object')
          const { numUpdatedRows } = await database.transaction(({ kysely }: Loose) =>
            kysely
              .updateTable('inventories')
              .set({ variables: JSON.stringify(requestBody.data) })
              .where('id', '=', parameters.id)
              .executeTakeFirst(),
          )
          if (numUpdatedRows === 0n) throw new NotFound()
          return { status: 200, body: requestBody.data }
        },
      ]),
    ),
  },
})

// treeherder PerformanceIssueTrackerViewSet
const trackers = resource('issue-tracker', {
  table: trackerTable,
  path: 'performance/issue-tracker',
  actions: ['list', 'retrieve'],
  fields: {
    ...trackerTable.pick('id'),
    text: text({ column: 'name' }),
    issue_tracker_url: text({ column: 'task_base_url' }),
  },
  ordering: ['id'],
  orderingFields: ['id', 'text', 'issue_tracker_url'],
})

// treeherder BugJobMapViewSet
const bugMaps = resource('bug-job-maps', {
  table: bugMapTable,
  actions: [],
  fields: {
    job_id: integer({ column: 'job_id' }),
    bug_id: integer({ source: via('bug_id', 'bugs', 'bugzilla_id'), nullable: true }),
    bug_internal_id: integer({ column: 'bug_id' }),
    ...bugMapTable.pick('created'),
    who: text({ source: via('user_id', 'users', 'username'), nullable: true }),
  },
})
const message = (text: string, status = 200) => ({ status, body: { message: text } })
const bugMapErrors = { 400: json(), 404: text() }
const bugMapList = view({
  name: 'Bug job map list',
  errors: bugMapErrors,
  handlers: {
    async GET({ database: { kysely }, parameters, request, represent }) {
      const ids = new URL(request.url, 'http://x').searchParams.getAll('job_id').map(Number)
      if (ids.some(id => !Number.isInteger(id))) return message('Valid job_id required', 400)
      if (ids.length === 0) return message('At least one job_id is required', 400)
      const rows = await kysely
        .selectFrom('bug_job_maps')
        .innerJoin('jobs', 'jobs.id', 'bug_job_maps.job_id')
        .innerJoin('repositories', 'repositories.id', 'jobs.repository_id')
        .select('bug_job_maps.id')
        .where('repositories.name', '=', parameters.project)
        .where('jobs.id', 'in', ids)
        .execute()
      return { status: 200, body: await Promise.all(rows.map(({ id }) => represent(bugMaps, id))) }
    },
    POST: {
      permissions: [authenticated],
      body: {
        job_id: integer(),
        bug_open: boolean(),
        bug_id: integer({ nullable: true }),
        internal_id: integer({ nullable: true }),
      },
      async handle({ body, database, user }: Loose) {
        if (body.bug_id === null && body.internal_id === null)
          return { status: 400, body: 'At least one of bug_id or internal_id is required' }
        return database.transaction(async ({ kysely }: Loose) => {
          let bug = body.internal_id
          if (body.bug_id !== null) {
            const found = await kysely
              .selectFrom('bugs')
              .select('id')
              .where('bugzilla_id', '=', body.bug_id)
              .executeTakeFirst()
            const summary = '(no bug data fetched)'
            bug = (
              found ??
              (await kysely
                .insertInto('bugs')
                .values({ bugzilla_id: body.bug_id, summary })
                .returning('id')
                .executeTakeFirst())
            ).id
          }
          const values = { job_id: body.job_id, bug_id: bug, user_id: user.id, created: now }
          const [row] = await kysely
            .insertInto('bug_job_maps')
            .values(values)
            .onConflict((clash: Loose) => clash.doNothing())
            .returning('id')
            .execute()
          return message(row === undefined ? 'Bug job map skipped: mapping already exists' : 'Bug job map saved')
        })
      },
    },
  },
})
const findMap = async ({ kysely }: Loose, { project, key: pair }: Loose) => {
  const [job, bug] = pair.split('-')
  const maps = kysely
    .selectFrom('bug_job_maps')
    .innerJoin('bugs', 'bugs.id', 'bug_job_maps.bug_id')
    .innerJoin('jobs', 'jobs.id', 'bug_job_maps.job_id')
    .innerJoin('repositories', 'repositories.id', 'jobs.repository_id')
    .select('bug_job_maps.id')
    .where('repositories.name', '=', project)
    .where('jobs.id', '=', Number(job))
  return (
    bug.startsWith('i')
      ? maps.where('bugs.id', '=', Number(bug.slice(1)))
      : maps.where('bugs.bugzilla_id', '=', Number(bug))
  ).executeTakeFirst()
}
const bugMapObject = view({
  name: 'Bug job map',
  errors: bugMapErrors,
  handlers: {
    async GET({ database, parameters, represent }) {
      const map = await findMap(database, parameters)
      return map === undefined
        ? { status: 404, body: 'Object not found' }
        : { status: 200, body: await represent(bugMaps, map.id) }
    },
    DELETE: {
      permissions: [authenticated],
      handle: ({ database, parameters }: Loose) =>
        database.transaction(async (connection: Loose) => {
          const map = await findMap(connection, parameters)
          if (map) await connection.kysely.deleteFrom('bug_job_maps').where('id', '=', map.id).execute()
          return message('Bug job map deleted')
        }),
    },
  },
})

// doccano
const doccano = (database: Database) => {
  const findRole = async (request: { params: unknown }, user: Identity) => {
    const project = Number((request.params as { projects_key: string }).projects_key)
    const row = await (database.kysely as Loose)
      .selectFrom('members')
      .innerJoin('projects', 'projects.id', 'members.project_id')
      .select(['role', 'allow_member_to_create_label_type as open'])
      .where('project_id', '=', project)
      .where('user_id', '=', user.id)
      .executeTakeFirst()
    return row as { role: string; open: unknown } | undefined
  }
  const isAdmin: Permission = {
    allows: async ({ request, user }) => (await findRole(request, user))?.role === 'project_admin',
  }
  const readsAsMember: Permission = {
    allows: async ({ request, user, method }) =>
      ['GET', 'HEAD', 'OPTIONS'].includes(method) && (await findRole(request, user)) !== undefined,
  }
  const createsAsMember: Permission = {
    allows: async ({ request, user, method }) => method === 'POST' && Boolean((await findRole(request, user))?.open),
  }
  const projects = resource('projects', { table: projectTable, actions: [], fields: projectTable.pick('id') })
  const deletion = (table: 'relation_types' | 'examples', deletesAll: boolean) => ({
    body: { ids: list({ of: integer() }) },
    async handle({ body, database, parent }: Loose) {
      await database.transaction(async ({ kysely }: Loose) => {
        const all = kysely.deleteFrom(table).where('project_id', '=', parent)
        if (body.ids.length > 0 || deletesAll)
          await (body.ids.length > 0 ? all.where('id', 'in', body.ids) : all).execute()
      })
      return { status: 204 }
    },
  })
  const relationTypes = resource('relation-types', {
    table: relationTypeTable,
    actions: ['list', 'create'],
    fields: {
      ...relationTypeTable.pick('id', 'text', 'prefix_key', 'suffix_key', 'background_color', 'text_color'),
      project: readOnly(related(projects)),
    },
    perAction: {
      list: { shows: ['id', 'text', 'prefix_key', 'suffix_key', 'background_color', 'text_color'] },
      create: { shows: ['id', 'text', 'prefix_key', 'suffix_key', 'background_color', 'text_color'] },
    },
    nestedUnder: [{ parent: projects, field: 'project', only: true }],
    permissions: [authenticated, or(isAdmin, readsAsMember, createsAsMember)],
    async validate({ values: { prefix_key, suffix_key }, parameters, connection: { kysely } }) {
      if (prefix_key === null && suffix_key === null) return
      if (prefix_key !== null && suffix_key === null)
        throw new ValidationError('Shortcut key may not have a suffix key.')
      const same = await (kysely as Loose)
        .selectFrom('relation_types')
        .select('id')
        .where('project_id', '=', Number(parameters?.projects_key))
        .where('suffix_key', '=', suffix_key)
        .where('prefix_key', prefix_key === null ? 'is' : '=', prefix_key)
        .executeTakeFirst()
      if (same !== undefined) throw new ValidationError('Duplicate shortcut key.')
    },
    listMethods: listView({ handlers: { DELETE: deletion('relation_types', false) } }),
  })
  const users = resource('users', { table: userTable, actions: [], fields: userTable.pick('id', 'username') })
  const assignments = resource('assignments', {
    table: assignmentTable,
    actions: [],
    fields: {
      ...assignmentTable.pick('id'),
      assignee: text({ source: via('assignee_id', 'users', 'username') }),
      assignee_id: integer({ column: 'assignee_id' }),
    },
  })
  const assigned: Permission = {
    ...rowFilter({
      or: [
        { 'project.members': { user: callerValue('id'), role: 'project_admin' } },
        { assignments: { assignee: callerValue('id') } },
      ],
    } as never),
  }
  const examples = resource('examples', {
    table: exampleTable,
    actions: ['list', 'create'],
    fields: {
      ...exampleTable.pick('id'),
      filename: readOnly(exampleTable.pick('filename').filename),
      ...exampleTable.pick('meta'),
      annotation_approver: text({ source: via('annotations_approved_by_id', 'users', 'username'), nullable: true }),
      comment_count: count('comments'),
      ...exampleTable.pick('text'),
      is_confirmed: exists('states', {
        or: [{ 'example.project.collaborative_annotation': true }, { confirmed_by: callerValue('id') }],
      }),
      upload_name: readOnly(exampleTable.pick('upload_name').upload_name),
      ...exampleTable.pick('score'),
      assignments: nested({ of: assignments, many: { reverse: 'example_id' } }),
      project: readOnly(related(projects)),
      place: computed(
        integer(),
        ({ row, caller }) =>
          sql`coalesce((select max(case when projects.random_order then assignments.id else 0 end) from assignments join projects on projects.id = ${row.project_id} where assignments.example_id = ${row.id} and assignments.assignee_id = ${caller.id}), 0)`,
      ),
      ...exampleTable.pick('created_at', 'updated_at'),
    },
    perAction: Object.fromEntries(
      ['list', 'create'].map(action => [
        action,
        {
          shows: [
            'id',
            'filename',
            'meta',
            'annotation_approver',
            'comment_count',
            'text',
            'is_confirmed',
            'upload_name',
            'score',
            'assignments',
          ],
        },
      ]),
    ) as never,
    nestedUnder: [{ parent: projects, field: 'project', only: true }],
    permissions: [authenticated, or(isAdmin, readsAsMember), assigned],
    ordering: ['place', 'created_at'],
    orderingFields: ['created_at', 'updated_at', 'score'],
    searchFields: ['text', 'filename'],
    parameters: { search: 'q' },
    filters: {
      project: true,
      text: true,
      created_at: true,
      updated_at: true,
      confirmed: filter(
        boolean(),
        ({ row, value, caller }) =>
          sql`exists (select 1 from states join projects on projects.id = ${row.project_id} where states.example_id = ${row.id} and (states.confirmed_by_id = ${caller.id} or projects.collaborative_annotation)) = ${value}`,
      ),
      label: where({ or: labelKinds.map(kind => ({ [`${kind}.label`]: value(text()) })) } as never),
      assignee: where({ 'assignments.assignee.username': value(text()) } as never),
    },
    pagination: limitOffset({ defaultLimit: 10 }),
    listMethods: listView({ handlers: { DELETE: deletion('examples', true) } }),
  })
  return { resources: [projects, relationTypes, users, assignments, examples] }
}

testPairs(
  {
    schema,
    callers: { ann: caller(1, 'ann', { perms: ['exercises.change_muscle'] }), bob: caller(2, 'bob') },
    rows: {
      users: [{ username: 'ann' }, { username: 'bob' }],
      mfa_methods: [{ user_id: 1, name: 'app', is_active: false, is_primary: false }],
      inventories: [{ variables: 'a: b\n' }],
      issue_trackers: [{ name: 'Bugzilla', task_base_url: 'https://b/' }],
      repositories: [{ name: 'central' }],
      jobs: [{ repository_id: 1 }],
      projects: [{ allow_member_to_create_label_type: false, collaborative_annotation: false, random_order: false }],
      members: [
        { project_id: 1, user_id: 1, role: 'project_admin' },
        { project_id: 1, user_id: 2, role: 'annotator' },
      ],
    },
    apis: {
      '/wger': { views: { '/check-permission/': checkPermission } },
      '/flagsmith': { views: { '/mfa/:method/confirm/': confirmMfa } },
      '/awx': { views: { '/inventories/:id/variable_data/': variableData } },
      '/treeherder': {
        resources: [trackers, bugMaps],
        views: { '/project/:project/bug-job-map/': bugMapList, '/project/:project/bug-job-map/:key/': bugMapObject },
      },
      '/doccano': doccano,
    },
    pairs: {
      'wger PermissionView': [
        ['ann GET /wger/check-permission/?permission=exercises.change_muscle', null, 200, { result: true }],
        ['- GET /wger/check-permission/?permission=x', null, 200, { result: false }],
        ['ann GET /wger/check-permission/', null, 400, "Please pass a permission name in the 'permission' parameter"],
      ],
      'Flagsmith MFAMethodConfirmActivationView': [
        ['ann POST /flagsmith/mfa/app/confirm/', {}, 400, { code: ['This field is required.'] }],
        ['ann POST /flagsmith/mfa/app/confirm/', { code: '1' }, 400, { code: ['Code invalid or expired.'] }],
        ['ann POST /flagsmith/mfa/sms/confirm/', { code: '1' }, 404, { detail: 'Requested MFA method does not exist' }],
        ['ann POST /flagsmith/mfa/app/confirm/', { code: '123456' }, 200, /^\{"backup_codes":\["\w+",/],
        ['ann POST /flagsmith/mfa/app/confirm/', { code: '123456' }, 400, { code: ['MFA method already active.'] }],
        ['- POST /flagsmith/mfa/app/confirm/', { code: '1' }, 401],
      ],
      'AWX InventoryVariableData': [
        ['bob GET /awx/inventories/1/variable_data/', null, 200, { a: 'b' }],
        ['ann PUT /awx/inventories/1/variable_data/', { c: { d: 1 } }, 200, { c: { d: 1 } }],
        [
          'ann PATCH /awx/inventories/1/variable_data/',
          'e: f\n',
          200,
          { e: 'f' },
          { 'content-type': 'application/yaml' },
        ],
        ['bob GET /awx/inventories/1/variable_data/', null, 200, /^e: f\n$/, { accept: 'application/yaml' }],
        ['ann PUT /awx/inventories/1/variable_data/', [1], 400, { detail: 'Not a JSON object' }],
        ['bob PUT /awx/inventories/1/variable_data/', {}, 403],
        ['ann GET /awx/inventories/7/variable_data/', null, 404],
      ],
      'treeherder PerformanceIssueTrackerViewSet': [
        [
          '- GET /treeherder/performance/issue-tracker/?ordering=-text',
          null,
          200,
          [{ id: 1, text: 'Bugzilla', issue_tracker_url: 'https://b/' }],
        ],
        ['- GET /treeherder/performance/issue-tracker/1/', null, 200],
        ['- GET /treeherder/performance/issue-tracker/2/', null, 404, { detail: 'Not found.' }],
        ['- POST /treeherder/performance/issue-tracker/', {}, 405],
      ],
      'treeherder BugJobMapViewSet': [
        [
          'ann POST /treeherder/project/central/bug-job-map/',
          { job_id: 1, bug_open: true, bug_id: 77 },
          200,
          { message: 'Bug job map saved' },
        ],
        [
          'ann POST /treeherder/project/central/bug-job-map/',
          { job_id: 1, bug_open: true, bug_id: 77 },
          200,
          { message: 'Bug job map skipped: mapping already exists' },
        ],
        [
          'ann POST /treeherder/project/central/bug-job-map/',
          { job_id: 1, bug_open: true },
          400,
          'At least one of bug_id or internal_id is required',
        ],
        [
          '- GET /treeherder/project/central/bug-job-map/?job_id=1',
          null,
          200,
          [{ job_id: 1, bug_id: 77, bug_internal_id: 1, created: now, who: 'ann' }],
        ],
        ['- GET /treeherder/project/central/bug-job-map/?job_id=x', null, 400, { message: 'Valid job_id required' }],
        ['- GET /treeherder/project/central/bug-job-map/1-77/', null, 200],
        ['- GET /treeherder/project/central/bug-job-map/1-78/', null, 404, 'Object not found'],
        ['- DELETE /treeherder/project/central/bug-job-map/1-i1/', null, 401],
        ['ann DELETE /treeherder/project/central/bug-job-map/1-i1/', null, 200, { message: 'Bug job map deleted' }],
      ],
      'doccano RelationTypeList': [
        [
          'ann POST /doccano/projects/1/relation-types/',
          { text: 'is', suffix_key: 'a' },
          201,
          { id: 1, text: 'is', prefix_key: null, suffix_key: 'a', background_color: '#209cee', text_color: '#ffffff' },
        ],
        [
          'ann POST /doccano/projects/1/relation-types/',
          { text: 'has', suffix_key: 'a' },
          400,
          { non_field_errors: ['Duplicate shortcut key.'] },
        ],
        [
          'ann POST /doccano/projects/1/relation-types/',
          { text: 'has', prefix_key: 'ctrl' },
          400,
          { non_field_errors: ['Shortcut key may not have a suffix key.'] },
        ],
        ['bob POST /doccano/projects/1/relation-types/', { text: 'has' }, 403],
        ['bob GET /doccano/projects/1/relation-types/', null, 200, /"text":"is"/],
        ['bob DELETE /doccano/projects/1/relation-types/', { ids: [1] }, 403],
        ['ann DELETE /doccano/projects/1/relation-types/', { ids: [1] }, 204],
        ['ann GET /doccano/projects/1/relation-types/', null, 200, []],
      ],
      'doccano ExampleList': [
        [
          'ann POST /doccano/projects/1/examples/',
          { text: 'Red tea', meta: { a: 1 } },
          201,
          {
            id: 1,
            filename: '',
            meta: { a: 1 },
            annotation_approver: null,
            comment_count: 0,
            text: 'Red tea',
            is_confirmed: false,
            upload_name: '',
            score: null,
            assignments: [],
          },
        ],
        ['ann GET /doccano/projects/1/examples/?q=red&confirmed=false&ordering=-score', null, 200, /"count":1/],
        ['ann GET /doccano/projects/1/examples/?label=x', null, 200, /"count":0/],
        ['bob GET /doccano/projects/1/examples/', null, 200, /"count":0/],
        ['bob POST /doccano/projects/1/examples/', { text: 'x' }, 403],
        ['ann DELETE /doccano/projects/1/examples/', { ids: [] }, 204],
        ['ann GET /doccano/projects/1/examples/', null, 200, /"count":0/],
      ],
    },
  },
  (name, run) => test(name, run),
)
