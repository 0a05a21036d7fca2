// Pairs of pulpcore whose rights are roles in rows.

import { createHash, randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  computed,
  file,
  folder,
  forTypes,
  type Identity,
  integer,
  json,
  key,
  limitOffset,
  multipartParser,
  nested,
  objectView,
  text,
  uuidKey,
  ValidationError,
  writeOnly,
} from 'resource-api'
import { created, reference, table, tables, updated } from 'resource-api/tables'
import { byName, createRights, ignored, parseExpression, pulpErrors, roleTables } from './pulp.ts'
import { caller, ListedError, type Loose, now, type Step, testPairs } from './support.ts'

const times = { pulp_created: created(), pulp_last_updated: updated() }
const policyTable = table('access_policies', {
  columns: {
    id: key(),
    viewset_name: text({ unique: 'This field must be unique.' }),
    statements: json(),
    creation_hooks: json({ nullable: true }),
    queryset_scoping: json({ nullable: true }),
  },
})
const taskTable = table('tasks', { key: uuidKey(), columns: { id: key(), name: text(), payload: json() } })
const uploadTable = table('uploads', { key: uuidKey(), columns: { id: key(), ...times, size: integer() } })
const chunkTable = table('upload_chunks', {
  key: uuidKey(),
  columns: {
    id: key(),
    upload: reference('uploads', { onDelete: 'cascade' }),
    offset: integer(),
    size: integer(),
    file: text(),
  },
})
const guardTable = table('content_guards', {
  key: uuidKey(),
  columns: {
    id: key(),
    ...times,
    pulp_type: text(),
    name: text({ unique: 'This field must be unique.' }),
    description: text({ nullable: true, required: false } as Loose),
    shared_secret: text({ nullable: true }),
  },
})
const schema = tables({
  owner: 'pairs',
  tables: [policyTable, taskTable, uploadTable, chunkTable, guardTable, ...roleTables] as never,
})
const { resource } = forTypes<Identity & { isSuperuser: boolean }>() as Loose

const root = '/pulp/api/v3'
/** What all serializers and lists of pulpcore have. `names`: the filters of the list. */
const common = (path: string, prn: string, names: readonly string[]) => {
  const all = new Set([...names, 'pulp_id__in', 'pulp_href__in', 'prn__in'])
  return {
    fields: {
      pulp_href: computed({ columns: ['id'], value: ({ id }: Loose) => `${path}${id}/` }),
      prn: computed({ columns: ['id'], value: ({ id }: Loose) => `prn:core.${prn}:${id}` }),
    },
    options: {
      strict: true,
      unknownFields: 'refuse',
      sparseFields: true,
      unknownNames: 'ignore',
      parameters: { omit: 'exclude_fields' },
      pagination: limitOffset({ defaultLimit: 100 }),
      ordering: ['-pulp_created'],
    },
    filters: {
      pulp_id: ['in'],
      pulp_href__in: byName(path, '/'),
      prn__in: byName(`prn:core.${prn}:`, ''),
      q: { parse: (given: string) => parseExpression(given, all), help: 'NOT, AND and OR of other filters' },
      minimal: ignored,
      page_size: ignored,
    },
  }
}
const shownFirst = ['pulp_href', 'prn', 'pulp_created', 'pulp_last_updated']
const model = 'has_model_or_domain_perms:core'
const object = 'has_model_or_domain_or_obj_perms:core'
/** `DEFAULT_ACCESS_POLICY`. */
const createPolicy = (name: string, updates: readonly string[]) => ({
  statements: [
    { action: ['list'] },
    { action: ['create'], condition: `${model}.add_${name}` },
    { action: ['retrieve', 'my_permissions'], condition: `${object}.view_${name}` },
    { action: updates, condition: `${object}.change_${name}` },
    { action: ['destroy'], condition: `${object}.delete_${name}` },
    { action: ['list_roles', 'add_role', 'remove_role'], condition: [`${object}.manage_roles_${name}`] },
  ].map(each => ({ ...each, principal: 'authenticated', effect: 'allow' as const })),
  creation_hooks: [{ function: 'add_roles_for_object_creator', parameters: { roles: `core.${name}_owner` } }],
})

// pulpcore UploadViewSet
const uploadPath = `${root}/uploads/`
const ofUploads = createRights('upload', 'uploads', createPolicy('upload', ['update', 'partial_update', 'commit']))
const uploadCommon = common(uploadPath, 'upload', ['size', 'size__gt', 'size__lt', 'size__range'])
const store = folder(join(tmpdir(), `pulp-pairs-${process.pid}`))
const chunks = resource('upload_chunks', {
  table: chunkTable,
  actions: [],
  fields: chunkTable.pick('offset', 'size'),
})
const takeChunk = {
  columns: ['size', 'pulp_created', 'pulp_last_updated'],
  body: {
    file: writeOnly(file({ store, maxSize: 10_000_000 })),
    sha256: writeOnly(text({ nullable: true, required: false } as Loose)),
  },
  handlers: {
    PUT: {
      permissions: ofUploads.may('update'),
      parsers: [multipartParser()],
      async handle({ key: upload, object, body, request, database }: Loose) {
        const parts: Buffer[] = []
        for await (const part of await store.read(body.file.key)) parts.push(Buffer.from(part))
        await store.remove(body.file.key)
        const bytes = Buffer.concat(parts)
        const match = /^bytes (\d+)-(\d+)\/(\d+|[*])$/.exec(request.headers['content-range'] ?? '')
        if (match === null) throw new ValidationError('Invalid or missing content range header.')
        const [start, end] = [Number(match[1]), Number(match[2])]
        if (end - start + 1 !== bytes.length) throw new ValidationError('Chunk size does not match content range.')
        if (end > object.size - 1) throw new ValidationError('End byte is greater than upload size.')
        if (body.sha256 && createHash('sha256').update(bytes).digest('hex') !== body.sha256)
          throw new ListedError('Checksum does not match chunk upload.')
        await database.transaction(async ({ kysely }: Loose) => {
          await kysely.deleteFrom('upload_chunks').where('upload_id', '=', upload).where('offset', '=', start).execute()
          const row = { id: randomUUID(), upload_id: upload, offset: start, size: bytes.length }
          await kysely
            .insertInto('upload_chunks')
            .values({ ...row, file: bytes.toString('base64') })
            .execute()
        })
        const names = { pulp_href: `${uploadPath}${upload}/`, prn: `prn:core.upload:${upload}` }
        return { status: 200, body: { ...names, ...object } }
      },
    },
  },
}
const uploads = resource('uploads', {
  ...uploadCommon.options,
  table: uploadTable,
  actions: ['list', 'create', 'retrieve', 'destroy'],
  fields: {
    ...uploadCommon.fields,
    ...uploadTable.pick('pulp_created', 'pulp_last_updated', 'size'),
    chunks: nested({ of: chunks, many: { reverse: 'upload_id' } } as Loose),
    pulp_id: key(),
  },
  perAction: {
    list: { permissions: ofUploads.may('list', false), shows: [...shownFirst, 'size'] },
    create: { permissions: ofUploads.may('create', false), shows: [...shownFirst, 'size'] },
    retrieve: { permissions: ofUploads.may('retrieve'), shows: [...shownFirst, 'size', 'chunks'] },
    destroy: { permissions: ofUploads.may('destroy') },
  },
  afterSave: ofUploads.giveRoles,
  filters: { ...uploadCommon.filters, size: ['exact', 'gt', 'lt', 'range'] },
  orderingFields: ['pulp_id', 'pulp_created', 'pulp_last_updated', 'size'],
  objectMethods: objectView(takeChunk as Loose),
  objectViews: {
    ...ofUploads.views,
    commit: objectView({
      permissions: ofUploads.may('commit'),
      body: { sha256: text() },
      handlers: {
        async POST({ key: upload, body, database }: Loose) {
          const task = { id: randomUUID(), name: 'commit', payload: JSON.stringify({ upload, ...body }) }
          await database.transaction(({ kysely }: Loose) => kysely.insertInto('tasks').values(task).execute())
          return { status: 202, body: { task: `${root}/tasks/${task.id}/` } }
        },
      },
    } as Loose),
  },
})

// pulpcore ContentRedirectContentGuardViewSet
const guardPath = `${root}/contentguards/core/content_redirect/`
const ofGuards = createRights(
  'contentredirectcontentguard',
  'contentguards/core/content_redirect',
  createPolicy('contentredirectcontentguard', ['update', 'partial_update']),
)
const nameLookups = ['exact', 'iexact', 'in', 'contains', 'icontains', 'startswith', 'istartswith', 'regex', 'iregex']
const guardCommon = common(
  guardPath,
  'contentredirectcontentguard',
  nameLookups.map(each => (each === 'exact' ? 'name' : `name__${each}`)),
)
const shownGuard = [...shownFirst, 'name', 'description']
const guards = resource('content_redirect', {
  ...guardCommon.options,
  table: guardTable,
  path: 'contentguards/core/content_redirect',
  rows: { pulp_type: 'core.content_redirect' },
  fields: {
    ...guardCommon.fields,
    ...guardTable.pick('pulp_created', 'pulp_last_updated', 'name', 'description'),
    pulp_id: key(),
  },
  perAction: {
    list: { permissions: ofGuards.may('list', false), shows: shownGuard },
    create: { permissions: ofGuards.may('create', false), shows: shownGuard },
    retrieve: { permissions: ofGuards.may('retrieve'), shows: shownGuard },
    update: { permissions: ofGuards.may('update'), shows: shownGuard },
    destroy: { permissions: ofGuards.may('destroy') },
  },
  hookColumns: ['pulp_type', 'shared_secret'],
  prepare: ({ action }: Loose) =>
    action === 'create' ? { pulp_type: 'core.content_redirect', shared_secret: randomUUID() } : {},
  afterSave: ofGuards.giveRoles,
  filters: { ...guardCommon.filters, name: nameLookups },
  orderingFields: ['pulp_id', 'pulp_created', 'pulp_last_updated', 'name', 'description'],
  objectViews: ofGuards.views,
})

// Administrators change the rights with AccessPolicyViewSet, which is a pair of its own.
const policies = resource('access_policies', {
  table: policyTable,
  fields: policyTable.pick('id', 'viewset_name', 'statements', 'creation_hooks', 'queryset_scoping'),
})

const [a, b] = [1, 2].map(digit => `0198e1b0-0000-7000-8000-00000000000${digit}`) as [string, string]
const moment = { pulp_created: now, pulp_last_updated: now }
const send = (bytes: string, sha256?: string) => {
  const data = new FormData()
  if (sha256 !== undefined) data.set('sha256', sha256)
  data.set('file', new File([bytes], 'chunk'))
  return data
}
const range = (value: string) => ({ 'content-range': value })
const shownUpload = (id: string, size: number) => ({
  pulp_href: `${uploadPath}${id}/`,
  prn: `prn:core.upload:${id}`,
  ...moment,
  size,
})
const shownRedirect = (id: string, name: string, description: string | null = null) => ({
  pulp_href: `${guardPath}${id}/`,
  prn: `prn:core.contentredirectcontentguard:${id}`,
  ...moment,
  ...{ name, description },
})
const page = (...results: readonly object[]) => ({ count: results.length, next: null, previous: null, results })
const permissions = (name: string, ...names: readonly string[]) => names.map(each => `core.${each}_${name}`)
const owner = ['change', 'delete', 'manage_roles', 'view']
const roles = Object.entries({
  ...{ 'core.upload_creator': permissions('upload', 'add'), 'core.upload_owner': permissions('upload', ...owner) },
  'core.upload_viewer': permissions('upload', 'view'),
  'core.contentredirectcontentguard_creator': permissions('contentredirectcontentguard', 'add'),
  'core.contentredirectcontentguard_owner': permissions('contentredirectcontentguard', ...owner),
  'core.contentredirectcontentguard_viewer': permissions('contentredirectcontentguard', 'view'),
})
const at = (id: string, more = '') => `${uploadPath}${id}/${more}`
const on = (id: string, more = '') => `${guardPath}${id}/${more}`
/** The path of the object that the last POST created. */
let last = ''
const remember = (response: Loose) => {
  last = response.json().pulp_href
}
const denied = { detail: 'You do not have permission to perform this action.' }

testPairs(
  {
    schema,
    callers: {
      ann: caller(1, 'ann', { isSuperuser: false }),
      bob: caller(2, 'bob', { isSuperuser: false }),
      cid: caller(3, 'cid', { isSuperuser: false }),
      sue: caller(4, 'sue', { isSuperuser: true }),
    },
    rows: {
      users: ['ann', 'bob', 'cid', 'sue'].map(username => ({ username })),
      groups: [{ name: 'team' }],
      group_members: [{ group_id: 1, user_id: 3 }],
      roles: roles.map(([name]) => ({ name })),
      role_permissions: roles.flatMap(([, found], index) =>
        found.map(permission => ({ role_id: index + 1, permission })),
      ),
      user_roles: [
        { user_id: 1, role_id: 1 },
        { user_id: 1, role_id: 4 },
        { user_id: 1, role_id: 2, content_type: 'core.upload', object_id: a },
        { user_id: 1, role_id: 5, content_type: 'core.contentredirectcontentguard', object_id: a },
      ],
      group_roles: [{ group_id: 1, role_id: 3, content_type: 'core.upload', object_id: b }],
      uploads: [
        { id: a, size: 6, ...moment },
        { id: b, size: 20, ...moment },
      ],
      content_guards: [
        { id: a, name: 'one', pulp_type: 'core.content_redirect', ...moment },
        { id: b, name: 'two', pulp_type: 'core.rbac', ...moment },
      ],
    },
    apis: { [root]: { resources: [uploads, chunks, guards, policies], exceptionHandler: pulpErrors } },
    pairs: {
      'pulpcore UploadViewSet': [
        [`- GET ${uploadPath}`, null, 401],
        [`ann GET ${uploadPath}`, null, 200, page(shownUpload(a, 6))],
        [`cid GET ${uploadPath}?fields=size`, null, 200, page({ size: 20 })],
        [`bob GET ${uploadPath}`, null, 200, page()],
        [`sue GET ${uploadPath}?size__gt=6&fields=size`, null, 200, page({ size: 20 })],
        [
          `sue GET ${uploadPath}?size__range=5,7&exclude_fields=prn,pulp_href,pulp_created,pulp_last_updated`,
          null,
          200,
          page({ size: 6 }),
        ],
        [
          `sue GET ${uploadPath}?q=${encodeURIComponent('size=20 OR size__lt=3')}&fields=size`,
          null,
          200,
          page({ size: 20 }),
        ],
        [`sue GET ${uploadPath}?prn__in=prn:core.upload:${a}&ordering=-size&fields=size`, null, 200, page({ size: 6 })],
        [`sue GET ${uploadPath}?colour=1`, null, 400, { errors: ["Invalid Filter: 'colour'"] }],
        [`bob POST ${uploadPath}`, { size: 3 }, 403, denied],
        [`ann POST ${uploadPath}`, {}, 400, { size: ['This field is required.'] }],
        [`ann POST ${uploadPath}`, { size: 3, colour: 'red' }, 400, { colour: ['Unexpected field'] }],
        [`ann POST ${uploadPath}`, { size: 3 }, 201, remember],
        [() => `ann GET ${last}my_permissions/`, null, 200, { permissions: permissions('upload', ...owner) }],
        [() => `bob GET ${last}`, null, 404],
        [() => `ann GET ${last}?fields=size,chunks`, null, 200, { size: 3, chunks: [] }],
        [`ann PATCH ${at(a)}`, {}, 405],
        [`ann PUT ${at(a)}`, send('abc'), 400, { non_field_errors: ['Invalid or missing content range header.'] }],
        [
          `ann PUT ${at(a)}`,
          send('abc'),
          400,
          { non_field_errors: ['Chunk size does not match content range.'] },
          range('bytes 0-3/6'),
        ],
        [
          `ann PUT ${at(a)}`,
          send('abc'),
          400,
          { non_field_errors: ['End byte is greater than upload size.'] },
          range('bytes 4-6/*'),
        ],
        [`ann PUT ${at(a)}`, send('abc', 'x'), 400, ['Checksum does not match chunk upload.'], range('bytes 0-2/6')],
        [
          `ann PUT ${at(a)}`,
          send('abc', createHash('sha256').update('abc').digest('hex')),
          200,
          shownUpload(a, 6),
          range('bytes 0-2/6'),
        ],
        [`ann PUT ${at(a)}`, send('def'), 200, shownUpload(a, 6), range('bytes 3-5/6')],
        [`ann PUT ${at(a)}`, send('xyz'), 200, undefined, range('bytes 0-2/6')],
        [`ann GET ${at(a)}?fields=chunks`, null, 200, /"chunks":\[(\{"offset":[03],"size":3\},?){2}\]/],
        [`cid PUT ${at(b)}`, send('abc'), 403, denied, range('bytes 0-2/20')],
        [`bob PUT ${at(b)}`, send('abc'), 404, undefined, range('bytes 0-2/20')],
        [`ann POST ${at(a, 'commit/')}`, {}, 400, { sha256: ['This field is required.'] }],
        [
          `ann POST ${at(a, 'commit/')}`,
          { sha256: 'x' },
          202,
          new RegExp(`^\\{"task":"${root}/tasks/[-0-9a-f]{36}/"\\}$`),
        ],
        [`cid POST ${at(b, 'commit/')}`, { sha256: 'x' }, 403, denied],
        [`cid GET ${at(b, 'my_permissions/')}`, null, 200, { permissions: ['core.view_upload'] }],
        [`sue GET ${at(b, 'my_permissions/')}`, null, 200, { permissions: [] }],
        [`cid GET ${at(b, 'list_roles/')}`, null, 403, denied],
        [
          `ann GET ${at(a, 'list_roles/')}`,
          null,
          200,
          { roles: [{ role: 'core.upload_owner', users: ['ann'], groups: [] }] },
        ],
        [`bob GET ${at(a)}`, null, 404],
        [
          `ann POST ${at(a, 'add_role/')}`,
          { users: ['bob', 'zed'], groups: ['x'], role: 'y' },
          400,
          {
            users: { 1: ['Object with username=zed does not exist.'] },
            groups: { 0: ['Object with name=x does not exist.'] },
            role: ['Object with name=y does not exist.'],
          },
        ],
        [`ann POST ${at(a, 'add_role/')}`, {}, 400, { role: ['This field is required.'] }],
        [
          `ann POST ${at(a, 'add_role/')}`,
          { users: ['bob'], role: 'core.contentredirectcontentguard_owner' },
          400,
          { non_field_errors: ['The role does not contain any permission for that object.'] },
        ],
        [
          `ann POST ${at(a, 'add_role/')}`,
          { users: ['bob'], groups: ['team'], role: 'core.upload_viewer' },
          201,
          { users: ['bob'], groups: ['team'], role: 'core.upload_viewer' },
        ],
        [`bob GET ${at(a)}?fields=size`, null, 200, { size: 6 }],
        [`cid GET ${uploadPath}?fields=size&ordering=size`, null, 200, page({ size: 6 }, { size: 20 })],
        [`bob PUT ${at(a)}`, send('abc'), 403, denied, range('bytes 0-2/6')],
        [
          `ann GET ${at(a, 'list_roles/')}`,
          null,
          200,
          {
            roles: [
              { role: 'core.upload_owner', users: ['ann'], groups: [] },
              { role: 'core.upload_viewer', users: ['bob'], groups: ['team'] },
            ],
          },
        ],
        [
          `ann POST ${at(a, 'add_role/')}`,
          { users: ['bob'], role: 'core.upload_viewer' },
          400,
          { non_field_errors: ["The role is already assigned to user 'bob'."] },
        ],
        [
          `ann POST ${at(a, 'remove_role/')}`,
          { groups: ['team'], role: 'core.upload_owner' },
          400,
          { non_field_errors: ["The role is not assigned to group 'team'."] },
        ],
        [
          `ann POST ${at(a, 'remove_role/')}`,
          { users: ['bob'], role: 'core.upload_viewer' },
          201,
          { users: ['bob'], groups: [], role: 'core.upload_viewer' },
        ],
        [`bob GET ${at(a)}`, null, 404],
        [`cid DELETE ${at(a)}`, null, 403, denied],
        [`ann DELETE ${at(a)}`, null, 204, ''],
        [`ann GET ${at(a)}`, null, 404],
        [
          `sue POST ${root}/access_policies/`,
          {
            viewset_name: 'uploads',
            statements: [
              { action: ['list', 'retrieve'], principal: '*', effect: 'allow' },
              { action: 'retrieve', principal: 'id:2', effect: 'deny' },
              { action: '*', principal: ['group:team'], effect: 'allow', condition: `${model}.view_upload` },
              { action: 'destroy', principal: 'group:team', effect: 'allow', condition: `${object}.view_upload` },
              { action: 'create', principal: 'admin', effect: 'allow' },
            ],
            creation_hooks: [
              { function: 'add_roles_for_users', parameters: { roles: ['core.upload_viewer'], users: 'bob' } },
              { function: 'add_roles_for_groups', parameters: { roles: 'core.upload_owner', groups: ['team'] } },
            ],
            queryset_scoping: null,
          },
          201,
        ],
        [`bob GET ${uploadPath}?fields=size&ordering=size`, null, 200, page({ size: 3 }, { size: 20 })],
        [`- GET ${at(b)}?fields=size`, null, 200, { size: 20 }],
        [`bob GET ${at(b)}`, null, 403, denied],
        [`cid POST ${uploadPath}`, { size: 3 }, 403, denied],
        [`cid DELETE ${at(b)}`, null, 204, ''],
        [`sue POST ${uploadPath}`, { size: 5 }, 201, remember],
        [() => `cid GET ${last}my_permissions/`, null, 403, denied],
        [
          `sue PATCH ${root}/access_policies/1/`,
          { statements: ofUploads.defaults, queryset_scoping: { function: 'scope_queryset' } },
          200,
        ],
        [() => `cid GET ${last}my_permissions/`, null, 200, { permissions: permissions('upload', ...owner) }],
        [`bob GET ${uploadPath}?fields=size`, null, 200, page({ size: 5 })],
      ] as Step[],
      'pulpcore ContentRedirectContentGuardViewSet': [
        [`ann GET ${guardPath}`, null, 200, page(shownRedirect(a, 'one'))],
        [`bob GET ${guardPath}`, null, 200, page()],
        [`sue GET ${guardPath}?name__startswith=o&fields=name`, null, 200, page({ name: 'one' })],
        [`sue GET ${guardPath}?q=${encodeURIComponent('NOT name=one')}&fields=name`, null, 200, page()],
        [`sue GET ${guardPath}?name__regex=^o.e$&fields=name`, null, 200, page({ name: 'one' })],
        [`sue GET ${guardPath}?name__regex=^O&fields=name`, null, 200, page()],
        [`sue GET ${guardPath}?name__iregex=^O&fields=name`, null, 200, page({ name: 'one' })],
        [
          `sue GET ${guardPath}?q=${encodeURIComponent('name__regex="^(one|two)$" AND NOT name__iregex=X')}&fields=name`,
          null,
          200,
          page({ name: 'one' }),
        ],
        [`sue GET ${guardPath}?name__regex=(o&fields=name`, null, 400, /"name__regex":/],
        [`sue GET ${on(b)}`, null, 404],
        [`bob POST ${guardPath}`, { name: 'three' }, 403, denied],
        [`ann POST ${guardPath}`, { name: 'two' }, 400, { name: ['This field must be unique.'] }],
        [`ann POST ${guardPath}`, { name: 'three', colour: 1 }, 400, { colour: ['Unexpected field'] }],
        [`ann POST ${guardPath}`, { name: 'three', description: 'd' }, 201, remember],
        [() => `ann GET ${last}?fields=name,description`, null, 200, { name: 'three', description: 'd' }],
        [
          () => `ann GET ${last}list_roles/`,
          null,
          200,
          { roles: [{ role: 'core.contentredirectcontentguard_owner', users: ['ann'], groups: [] }] },
        ],
        [`ann PATCH ${on(a)}`, { description: 'x' }, 200, shownRedirect(a, 'one', 'x')],
        [`ann PUT ${on(a)}`, { description: 'x' }, 400, { name: ['This field is required.'] }],
        [`ann PUT ${on(a)}`, { name: 'One' }, 200, /"name":"One","description":"x"/],
        [`ann POST ${on(a, 'add_role/')}`, { users: ['bob'], role: 'core.contentredirectcontentguard_viewer' }, 201],
        [`bob PATCH ${on(a)}`, { description: 'y' }, 403, denied],
        [`bob GET ${on(a)}?fields=name`, null, 200, { name: 'One' }],
        [`ann POST ${on(a, 'remove_role/')}`, { users: ['ann'], role: 'core.contentredirectcontentguard_owner' }, 201],
        [`ann DELETE ${on(a)}`, null, 404],
        [`sue DELETE ${on(a)}`, null, 204, ''],
      ] as Step[],
    },
  },
  (name, run) => test(name, run),
)
