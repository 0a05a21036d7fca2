// Pairs of taiga-back.

import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  APIException,
  type ApiResponse,
  boolean,
  computed,
  type Database,
  dateTime,
  type ExceptionHandler,
  email,
  forTypes,
  type Identity,
  integer,
  json,
  key,
  listView,
  NotFound,
  nested,
  type Permission,
  PermissionDenied,
  readOnly,
  related,
  text,
  ValidationError,
  writeOnly,
} from 'resource-api'
import { caller as callerValue, created, reference, table, tables } from 'resource-api/tables'
import { caller, callerScheme, type Loose, now, taigaError, taigaErrors, taigaPages, testPairs } from './support.ts'

const big = Number.MAX_SAFE_INTEGER
const userTable = table('users', {
  columns: {
    id: key(),
    username: text(),
    full_name: text({ blank: true }),
    email: email(),
    photo: text({ nullable: true }),
    color: text(),
    is_active: boolean({ default: true }),
    max_private: integer({ nullable: true }),
    max_public: integer({ nullable: true }),
  },
})
const projectTable = table('projects', {
  columns: {
    id: key(),
    name: text(),
    slug: text(),
    owner: reference('users', { nullable: true, relatedName: 'owned_projects' }),
    is_private: boolean({ default: true }),
    is_archived: boolean({ default: false }),
    blocked_code: text({ nullable: true }),
    public_permissions: json(),
    anon_permissions: json(),
  },
})
const roleTable = table('roles', {
  columns: { id: key(), name: text(), project: reference('projects'), permissions: json() },
})
const membershipTable = table('memberships', {
  columns: {
    id: key(),
    user: reference('users', { nullable: true, relatedName: 'memberships' }),
    project: reference('projects', { relatedName: 'memberships' }),
    role: reference('roles'),
    is_admin: boolean({ default: false }),
    email: text({ nullable: true }),
    created_at: created(),
    token: text({ max: 60, nullable: true, blank: true }),
    invited_by: reference('users', { nullable: true, relatedName: 'invitations' }),
    invitation_extra_text: text({ nullable: true, blank: true }),
    user_order: integer({ min: -big, max: big }),
  },
})
const schema = tables({ owner: 'pairs', tables: [userTable, projectTable, roleTable, membershipTable] })
type Member = Identity & {
  readonly isSuperuser: boolean
  readonly verified: boolean
  /** Whether the request is about the memberships of one project. */
  readonly seesOne: boolean
}
const { resource, rowFilter } = forTypes<Member, typeof schema>()

// taiga-back MembershipViewSet
const maxPending = 30
const gravatar = (address: unknown) => createHash('md5').update(String(address).toLowerCase()).digest('hex')
const members = resource('users', {
  table: userTable,
  actions: [],
  fields: {
    id: key(),
    username: text(),
    full_name_display: computed(
      text(),
      ({ row }) => sql`coalesce(nullif(${row.full_name}, ''), nullif(${row.username}, ''), ${row.email})`,
    ),
    photo: text({ nullable: true }),
    big_photo: readOnly(text({ nullable: true, column: 'photo' })),
    gravatar_id: computed({ columns: ['email'], value: row => gravatar(row.email) }),
    is_active: boolean(),
    ...userTable.pick('full_name', 'email'),
  },
})
const projects = resource('projects', { table: projectTable, actions: [], fields: projectTable.pick('id') })
const roles = resource('roles', { table: roleTable, actions: [], fields: roleTable.pick('id') })
class NotEnoughSlotsForProject extends APIException {
  static override status = 400
  static override message = 'No room left for more projects.'
  static override code = 'slots'
  readonly facts: Readonly<Record<string, string>>
  constructor(message: string, project: Loose, total: number | null) {
    super(message)
    this.facts = {
      'Taiga-Info-Project-Memberships': String(total),
      'Taiga-Info-Project-Is-Private': project.is_private ? 'True' : 'False',
    }
  }
}
const membershipErrors: ExceptionHandler = (error, context) => {
  const response = taigaErrors(error, context) as ApiResponse | undefined
  if (response === undefined) return undefined
  if (error instanceof NotEnoughSlotsForProject)
    return { ...response, headers: { ...response.headers, ...error.facts } }
  if (!(error instanceof ValidationError) || context.request.method !== 'GET') return response
  const isProject = 'project' in (error.errors as object)
  const message = isProject ? "'project' must be an integer value." : 'Error in filter params types.'
  return { ...response, body: { _error_message: message, _error_type: 'taiga.base.exceptions.BadRequest' } }
}
const isTrue = (value: unknown) => value === true || value === 1
const findUser = async (kysely: Loose, name: string | null, columns: readonly string[]) => {
  const is = (column: string) => sql<boolean>`lower(${sql.ref(column)}) = ${String(name).toLowerCase()}`
  const found = await kysely
    .selectFrom('users')
    .selectAll()
    .where((where: Loose) => where.or(columns.map(is)))
    .execute()
  return found.length > 1 ? found.find((user: Loose) => columns.some(column => user[column] === name)) : found[0]
}
const isMail = (name: string) => /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(name)
/** `contacts_visible_by_user` of oneself. */
const checkContact = async ({ kysely }: Loose, user: Loose, name: string, error: (message: string) => Error) => {
  if (isMail(name) || !user.isAuthenticated) return
  const shared = sql`select m.project_id from memberships m join projects p on p.id = m.project_id join roles r on r.id = m.role_id where m.user_id = ${user.id} and (cast(p.anon_permissions as text) like '%"view_project"%' or cast(r.permissions as text) like '%"view_project"%' or m.is_admin)`
  const found = await kysely
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'user_id')
    .select('username')
    .where('username', '=', name)
    .where('users.id', '<>', user.id)
    .where(sql<boolean>`project_id in (${shared})`)
    .executeTakeFirst()
  if (found === undefined) throw error('The user must be a valid contact')
}
const findProject = ({ kysely }: Loose, id: unknown) =>
  kysely.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
const findMembership = ({ kysely }: Loose, user: Loose, project: unknown) =>
  kysely
    .selectFrom('memberships')
    .selectAll()
    .where('project_id', '=', project)
    .where('user_id', '=', user.id ?? -1)
    .executeTakeFirst()
const isAdmin = async (connection: Loose, user: Loose, project: unknown): Promise<boolean> =>
  user.isSuperuser || (user.isAuthenticated && isTrue((await findMembership(connection, user, project))?.is_admin))
async function checkAdmin(connection: Loose, user: Loose, project: unknown): Promise<void> {
  if (!(await isAdmin(connection, user, project))) throw new PermissionDenied()
}
function checkOpen(project: Loose): void {
  if (isTrue(project.is_archived)) throw taigaError('Archived element', 403)
  if (project.blocked_code !== null) throw taigaError('Blocked element', 451)
}
const hasValidAdmins = async ({ kysely }: Loose, project: unknown, exclude: unknown): Promise<boolean> => {
  const admins = await kysely
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'user_id')
    .select('users.id as id')
    .where('project_id', '=', project)
    .where(sql<boolean>`memberships.is_admin and users.is_active`)
    .execute()
  return admins.some(({ id }: Loose) => id !== exclude)
}
const canLeave = async (connection: Loose, user: number, project: Loose): Promise<boolean> => {
  const membership = await findMembership(connection, { id: user }, project.id)
  if (!isTrue(membership.is_admin)) return true
  return project.owner_id !== user && (await hasValidAdmins(connection, project.id, user))
}
/** `check_if_new_members_can_be_created`. */
async function checkSlots({ kysely }: Loose, project: Loose, added: readonly Loose[]): Promise<void> {
  const owner = await kysely
    .selectFrom('users')
    .selectAll()
    .where('id', '=', project.owner_id ?? -1)
    .executeTakeFirst()
  if (owner === undefined) throw new NotEnoughSlotsForProject('Project without owner', project, null)
  const rows = await kysely
    .selectFrom('memberships')
    .innerJoin('projects', 'projects.id', 'project_id')
    .select(['user_id', 'email', 'project_id'])
    .where('owner_id', '=', owner.id)
    .where('is_private', '=', project.is_private)
    .execute()
  const count = (all: readonly Loose[], name: string) => new Set(all.flatMap(row => row[name] ?? [])).size
  const pending = [...rows, ...added].filter(row => row.user_id === null)
  const total = count([...rows, ...added], 'user_id') + count(pending, 'email')
  const [max, kind] = isTrue(project.is_private) ? [owner.max_private, 'private'] : [owner.max_public, 'public']
  if (max !== null && total > max)
    throw new NotEnoughSlotsForProject(
      `You have reached your current limit of memberships for ${kind} projects`,
      project,
      total,
    )
  const here = pending.filter(row => row.project_id === project.id).length
  if (added.some(row => row.user_id === null) && here > maxPending)
    throw new NotEnoughSlotsForProject(
      'You have reached the current limit of pending memberships',
      project,
      count(pending, 'email'),
    )
}
const unverified = 'To add members to a project, first you have to verify your email address'
const has = (column: Loose) => sql`cast(${column} as text) like '%"view_project"%'`
/** `CanViewProjectFilterBackend`. */
const listed = rowFilter(({ row, caller }) => {
  const ofProject = (column: string) =>
    sql`exists (select 1 from projects p where p.id = ${row.project_id} and ${has(sql.ref(`p.${column}`))})`
  const mine = sql`exists (select 1 from memberships m join roles r on r.id = m.role_id where m.project_id = ${row.project_id} and m.user_id = ${caller.id} and (m.is_admin or ${has(sql.ref('r.permissions'))}))`
  return sql`(cast(${caller.isSuperuser} as boolean) or case when cast(${caller.isAuthenticated} as boolean) then ${mine} or ${ofProject('public_permissions')} else ${ofProject('anon_permissions')} end)`
})
const seesProject = (connection: Database): Permission => ({
  columns: ['project_id'],
  async allowsObject({ method, user }: Loose, { project_id }: Loose) {
    if (method !== 'GET') return isAdmin(connection, user, project_id)
    if (user.isSuperuser) return true
    const membership = user.isAuthenticated ? await findMembership(connection, user, project_id) : undefined
    const project = await findProject(connection, project_id)
    const role = await (connection.kysely as Loose)
      .selectFrom('roles')
      .selectAll()
      .where('id', '=', membership?.role_id ?? -1)
      .executeTakeFirst()
    const granted = [
      project.anon_permissions,
      ...(user.isAuthenticated ? [project.public_permissions] : []),
      role?.permissions ?? [],
    ]
    return isTrue(membership?.is_admin) || JSON.stringify(granted).includes('view_project')
  },
})
/** `if project_id is not None: get_object_or_error(…)`. */
const projectExists = (connection: Database): Permission => ({
  async allows({ request }: Loose) {
    const id = new URL(request.url, 'http://x').searchParams.get('project')
    if (id === null || !/^\d+$/.test(id) || (await findProject(connection, Number(id)))) return true
    throw new NotFound()
  },
})
/** `MembershipAdminSerializer`, for admins of the project. */
const seen = {
  and: [
    callerValue('seesOne'),
    { or: [callerValue('isSuperuser'), { 'project.memberships': { user: callerValue('id'), is_admin: true } }] },
  ],
} as Loose
const plain = [
  'id',
  'user',
  'project',
  'role',
  'is_admin',
  'created_at',
  'invited_by',
  'invitation_extra_text',
  'user_order',
  'role_name',
  'full_name',
  'is_user_active',
  'color',
  'photo',
  'gravatar_id',
  'project_name',
  'project_slug',
  'is_owner',
] as const
const all = [...plain, 'email', 'user_email'] as const
const taken = ['project', 'role', 'is_admin', 'token', 'invitation_extra_text', 'user_order', 'username'] as const
const taiga = (database: Database) => {
  const ofUser =
    (column: string) =>
    ({ row }: Loose) =>
      sql`(select ${sql.ref(`u.${column}`)} from users u where u.id = ${row.user_id})`
  const ofProject =
    (column: string) =>
    ({ row }: Loose) =>
      sql`(select ${sql.ref(`p.${column}`)} from projects p where p.id = ${row.project_id})`
  const own = (kysely: Loose, user: Loose) =>
    kysely.selectFrom('memberships').innerJoin('projects', 'projects.id', 'project_id').where('owner_id', '=', user.id)
  const remove = (kysely: Loose, ids: readonly number[]) =>
    ids.length === 0 ? undefined : kysely.deleteFrom('memberships').where('id', 'in', ids).execute()
  const memberships = resource('memberships', {
    table: membershipTable,
    pagination: taigaPages,
    permissions: [seesProject(database)],
    perAction: {
      list: { permissions: [projectExists(database), listed], shows: all },
      retrieve: { shows: all },
      create: { permissions: [], takes: taken, shows: all },
      update: { takes: taken, shows: plain },
    },
    fields: {
      id: key(),
      user: readOnly(related(members, { nullable: true })),
      project: related(projects),
      role: related(roles),
      ...membershipTable.pick('is_admin'),
      created_at: readOnly(dateTime()),
      token: writeOnly(text({ max: 60, nullable: true, blank: true }), { stored: false }),
      username: writeOnly(text(), { stored: false }),
      invited_by: nested({
        of: members,
        column: 'invited_by_id',
        fields: ['id', 'username', 'full_name_display', 'photo', 'big_photo', 'gravatar_id', 'is_active'],
      }),
      ...membershipTable.pick('invitation_extra_text'),
      user_order: integer({ min: -big, max: big, default: ({ now: time }: Loose) => Date.parse(time) } as Loose),
      role_name: computed(text(), ({ row }) => sql`(select r.name from roles r where r.id = ${row.role_id})`),
      full_name: computed(
        text({ nullable: true }),
        ({ row }) =>
          sql`(select coalesce(nullif(u.full_name, ''), nullif(u.username, ''), u.email) from users u where u.id = ${row.user_id})`,
      ),
      is_user_active: computed(
        boolean(),
        ({ row }) => sql`exists (select 1 from users u where u.id = ${row.user_id} and u.is_active)`,
      ),
      color: computed(text({ nullable: true }), ofUser('color')),
      photo: computed(text({ nullable: true }), ofUser('photo')),
      gravatar_id: computed({
        columns: ['user_id'],
        async values(rows) {
          const all = await (database.kysely as Loose).selectFrom('users').select(['id', 'email']).execute()
          const mails = new Map(all.map((user: Loose) => [user.id, user.email]))
          return rows.map(({ user_id }: Loose) => (mails.has(user_id) ? gravatar(mails.get(user_id)) : null))
        },
      }),
      project_name: computed(text(), ofProject('name')),
      project_slug: computed(text(), ofProject('slug')),
      is_owner: computed(
        boolean({ nullable: true }),
        ({ row }) =>
          sql`(select case when ${row.user_id} is null or p.owner_id is null then null else p.owner_id = ${row.user_id} end from projects p where p.id = ${row.project_id})`,
      ),
      email: readOnly(text({ nullable: true, visible: seen })),
      invited: computed(text({ nullable: true }), ({ row }) => sql`${row.email}`),
      user_email: computed({ ...text({ nullable: true }), visibleRows: seen } as Loose, ofUser('email') as Loose),
    } as Loose,
    hookColumns: ['user_id', 'email', 'token', 'invited_by_id'] as Loose,
    ordering: ['project', 'user.full_name', 'user.username', 'user.email', 'invited'],
    filters: { project: true, role: true } as Loose,
    async validate({ action, given, values, before, key: id, user, connection }: Loose) {
      const { kysely } = connection
      const project = await findProject(connection, values.project)
      const errors: Loose = {}
      const stored =
        id === undefined
          ? undefined
          : await kysely.selectFrom('memberships').selectAll().where('id', '=', id).executeTakeFirst()
      if (action === 'update' && before.project !== values.project) errors.project = 'Invalid operation'
      const role = await kysely
        .selectFrom('roles')
        .select('project_id')
        .where('id', '=', values.role)
        .executeTakeFirst()
      if (given.role !== undefined && role.project_id !== project.id) errors.role = 'Invalid role for the project'
      if (given.username !== undefined) {
        const refuse = (message: string) => new ValidationError({ username: message })
        await checkContact(connection, user, given.username, refuse).catch(
          error => (errors.username = error.errors.username),
        )
        const found = await kysely
          .selectFrom('users')
          .selectAll()
          .where((where: Loose) =>
            where.or([where('username', '=', given.username), where('email', '=', given.username)]),
          )
          .executeTakeFirst()
        const address = found?.email ?? given.username
        const same = await kysely
          .selectFrom('memberships')
          .leftJoin('users', 'users.id', 'user_id')
          .select('memberships.id as id')
          .where('project_id', '=', project.id)
          .where((where: Loose) =>
            where.or([where('users.email', '=', address), where('memberships.email', '=', address)]),
          )
          .execute()
        if (same.some((row: Loose) => row.id !== id)) errors.username ??= 'The user yet exists in the project'
      }
      if (given.is_admin !== undefined && stored?.user_id) {
        if (stored.user_id === project.owner_id && !given.is_admin) errors.is_admin = 'The project owner must be admin.'
        else if (!(await hasValidAdmins(connection, project.id, stored.user_id)))
          errors.is_admin = 'At least one user must be an active admin for this project.'
      }
      if (Object.keys(errors).length > 0) throw new ValidationError(errors)
      if (user.isAuthenticated && !user.verified) throw new ValidationError(unverified)
      if (action === 'create') await checkAdmin(connection, user, project.id)
    },
    async beforeSave({ action, given, values, key: id, user, connection }: Loose) {
      const { kysely } = connection
      const project = await findProject(connection, values.project)
      const stored =
        id === undefined
          ? undefined
          : await kysely.selectFrom('memberships').selectAll().where('id', '=', id).executeTakeFirst()
      const named =
        given.username === undefined
          ? undefined
          : await kysely
              .selectFrom('users')
              .selectAll()
              .where((where: Loose) =>
                where.or([where('username', '=', given.username), where('email', '=', given.username)]),
              )
              .executeTakeFirst()
      const address = given.username === undefined ? stored?.email : (named?.email ?? given.username)
      const user_id =
        (address && (await findUser(kysely, address, ['email']))?.id) ?? named?.id ?? stored?.user_id ?? null
      if (action === 'create')
        await checkSlots(connection, project, [{ user_id, email: address, project_id: project.id }])
      checkOpen(project)
      const token = given.token || stored?.token || (user_id ? null : crypto.randomUUID())
      return { user_id, email: address ?? null, invited_by_id: user.id, token }
    },
    async beforeDestroy({ key: id, connection }: Loose) {
      const row = await connection.kysely.selectFrom('memberships').selectAll().where('id', '=', id).executeTakeFirst()
      const project = await findProject(connection, row.project_id)
      if (row.user_id !== null && !(await canLeave(connection, row.user_id, project)))
        throw taigaError('The project must have an owner and at least one of the users must be an active admin')
      checkOpen(project)
    },
    objectViews: ({ objectView }: Loose) => ({
      resend_invitation: objectView({
        columns: ['project_id'],
        handlers: {
          async POST({ object }: Loose) {
            checkOpen(await findProject(database, object.project_id))
            return { status: 204 }
          },
        },
      }),
    }),
    listViews: {
      bulk_create: listView({
        permissions: [],
        body: {
          project_id: integer(),
          bulk_memberships: json(),
          invitation_extra_text: text({ max: 255, nullable: true, required: false }),
        },
        handlers: {
          async POST({ body, user, database: connection, represent }: Loose) {
            const project = await findProject(connection, body.project_id)
            if (project === undefined) throw new ValidationError({ project_id: "There's no project with that id" })
            const items = body.bulk_memberships as Loose[]
            const { kysely } = connection
            const problems = await Promise.all(
              items.map(({ username }) =>
                checkContact(connection, user, username, message => new ValidationError({ username: message })).then(
                  () => ({}),
                  error => error.errors,
                ),
              ),
            )
            if (problems.some(each => Object.keys(each).length > 0))
              throw new ValidationError({ bulk_memberships: problems } as Loose)
            const refuse = (message: string) => new ValidationError({ bulk_memberships: message })
            const found = await kysely.selectFrom('roles').select('id').where('project_id', '=', project.id).execute()
            if (items.some(({ role_id }) => !found.some((role: Loose) => role.id === role_id)))
              throw refuse('Invalid role ids. All roles must belong to the same project.')
            const names = items.map(({ username }) => username)
            if (new Set(names).size < names.length)
              throw refuse('You are attempting to invite the same email address multiple times.')
            const present = await kysely
              .selectFrom('memberships')
              .select('id')
              .where('project_id', '=', project.id)
              .where('email', 'in', names)
              .execute()
            if (present.length > 0) throw refuse('The user with this email address is already added to the project.')
            await checkAdmin(connection, user, project.id)
            if (project.blocked_code !== null) throw taigaError('Blocked element', 451)
            if (!user.verified) return { status: 400, body: { _error_message: unverified } }
            const rows: Loose[] = []
            for (const { username, role_id } of items) {
              const invited = await findUser(kysely, username, ['username', 'email'])
              if (invited === undefined && !isMail(username)) throw taigaError('Malformed email adress.')
              rows.push({
                ...{ project_id: project.id, role_id, is_admin: false, invited_by_id: user.id, created_at: now },
                ...{
                  user_id: invited?.id ?? null,
                  email: invited === undefined ? username : null,
                  user_order: Date.parse(now),
                },
                ...{
                  token: invited === undefined ? crypto.randomUUID() : null,
                  invitation_extra_text: body.invitation_extra_text,
                },
              })
            }
            await checkSlots(connection, project, rows)
            const keys: number[] = []
            await connection.transaction(async ({ kysely: write }: Loose) => {
              for (const row of rows) {
                const stored = { ...row, is_admin: connection.dialect.name === 'sqlite' ? 0 : false }
                keys.push(
                  (await write.insertInto('memberships').values(stored).returning('id').executeTakeFirstOrThrow()).id,
                )
              }
            })
            return {
              status: 200,
              body: await Promise.all(keys.map(async id => JSON.parse((await represent(id)).text))),
            }
          },
        },
      }),
      remove_user_from_all_my_projects: listView({
        permissions: [],
        body: { private_only: boolean({ default: false }), user: integer({ nullable: true }) },
        handlers: {
          async POST({ body, user, database: connection }: Loose) {
            const { kysely } = connection
            if (body.user === null) throw taigaError('Invalid user id')
            if (!(await kysely.selectFrom('users').select('id').where('id', '=', body.user).executeTakeFirst()))
              return { status: 400, body: { _error_message: "The user doesn't exist" } }
            const rows = (
              await own(kysely, user)
                .select(['memberships.id as id', 'project_id', 'is_private'])
                .where('user_id', '=', body.user)
                .execute()
            ).filter((row: Loose) => !body.private_only || isTrue(row.is_private))
            const stuck = []
            for (const row of rows) {
              const project = await findProject(connection, row.project_id)
              if (!(await canLeave(connection, body.user, project))) stuck.push(project.name)
            }
            if (stuck.length > 0)
              return {
                status: 400,
                body: {
                  _error_message: `This user can't be removed from the following projects, because that would leave them without any active admin: ${stuck.join(', ')}.`,
                },
              }
            await connection.transaction(({ kysely: write }: Loose) =>
              remove(
                write,
                rows.map(({ id }: Loose) => id),
              ),
            )
            return { status: 204 }
          },
        },
      }),
      remove_invitation_from_all_my_projects: listView({
        permissions: [],
        body: { private_only: boolean({ default: false }), email: text({ nullable: true }) },
        handlers: {
          async POST({ body, user, database: connection }: Loose) {
            if (body.email === null) throw taigaError('Email is required')
            const rows = (
              await own(connection.kysely, user)
                .select(['memberships.id as id', 'is_private'])
                .where('email', '=', body.email)
                .where('user_id', 'is', null)
                .execute()
            ).filter((row: Loose) => !body.private_only || isTrue(row.is_private))
            await connection.transaction(({ kysely: write }: Loose) =>
              remove(
                write,
                rows.map(({ id }: Loose) => id),
              ),
            )
            return { status: 204 }
          },
        },
      }),
    },
  } as Loose)
  return {
    resources: [members, projects, roles, memberships],
    exceptionHandler: membershipErrors,
    authentication: [oneProject],
    anonymous: { user: anonymous, auth: null },
  }
}
const anonymous = {
  isAuthenticated: false,
  id: null,
  username: '',
  isStaff: false,
  isSuperuser: false,
  verified: false,
}
const member = (id: number, name: string, more = {}) =>
  caller(id, name, { isSuperuser: false, verified: true, seesOne: true, ...more })
const callers = {
  ann: member(1, 'ann'),
  bob: member(2, 'bob'),
  eve: member(3, 'eve', { verified: false }),
  root: member(9, 'root', { isSuperuser: true }),
}
const scheme = callerScheme(callers)
/** A list of several projects uses the `MembershipSerializer`. */
const oneProject = {
  ...scheme,
  async authenticate(request: Loose) {
    const found = (await scheme.authenticate(request, undefined as never)) as Loose
    const isList = request.method === 'GET' && /\/memberships\/?(\?|$)/.test(request.url)
    const seesOne = !isList || /[?&]project=/.test(request.url)
    return found.user === undefined ? found : { ...found, user: { ...found.user, seesOne } }
  },
}
const basic = (id: number, username: string) => ({
  ...{ id, username, full_name_display: username.toUpperCase(), photo: null, big_photo: null },
  ...{ gravatar_id: gravatar(`${username}@example.org`), is_active: true },
})
const ofAnn = {
  ...{ id: 1, user: 1, project: 1, role: 1, is_admin: true, created_at: now, invited_by: null },
  ...{ invitation_extra_text: null, user_order: 1, role_name: 'Owner', full_name: 'ANN', is_user_active: true },
  ...{ color: 'red', photo: null, gravatar_id: gravatar('ann@example.org'), project_name: 'One', project_slug: 'one' },
  is_owner: true,
}
const count = (expected: number) => (response: Loose) => {
  if (response.json().length !== expected) throw new Error(response.text)
}
const shows = (name: string, value: unknown) => (response: Loose) => {
  if (JSON.stringify(response.json()[name]) !== JSON.stringify(value)) throw new Error(response.text)
}
const path = '/api/v1/memberships'

testPairs(
  {
    schema,
    callers,
    rows: {
      users: ['ann', 'bob', 'eve', 'dan'].map((username, index) => ({
        ...{ username, full_name: username.toUpperCase(), email: `${username}@example.org`, is_active: true },
        ...{ color: ['red', 'blue', 'green', 'black'][index], max_private: null, max_public: 4 },
      })),
      projects: [
        {
          name: 'One',
          slug: 'one',
          owner_id: 1,
          is_private: true,
          is_archived: false,
          public_permissions: [],
          anon_permissions: [],
        },
        {
          name: 'Two',
          slug: 'two',
          owner_id: 2,
          is_private: false,
          is_archived: false,
          public_permissions: ['view_project'],
          anon_permissions: ['view_project'],
        },
        {
          name: 'Three',
          slug: 'three',
          owner_id: 1,
          is_private: true,
          is_archived: false,
          blocked_code: 'x',
          public_permissions: [],
          anon_permissions: [],
        },
      ],
      roles: [
        { name: 'Owner', project_id: 1, permissions: ['view_project'] },
        { name: 'Member', project_id: 2, permissions: ['view_project'] },
        { name: 'Other', project_id: 3, permissions: [] },
      ],
      memberships: [
        { user_id: 1, project_id: 1, role_id: 1, is_admin: true, user_order: 1, created_at: now },
        { user_id: 2, project_id: 1, role_id: 1, is_admin: false, user_order: 2, created_at: now },
        { user_id: 2, project_id: 2, role_id: 2, is_admin: true, user_order: 3, created_at: now },
        { user_id: 1, project_id: 3, role_id: 3, is_admin: true, user_order: 4, created_at: now },
      ],
    },
    apis: { '/api/v1': taiga },
    pairs: {
      'taiga-back MembershipViewSet': [
        [`ann GET ${path}/1/`, null, 200, { ...ofAnn, email: null, user_email: 'ann@example.org' }],
        [`bob GET ${path}/1/`, null, 200, ofAnn],
        [`root GET ${path}/1/`, null, 200, shows('user_email', 'ann@example.org')],
        [`eve GET ${path}/1/`, null, 403],
        [`- GET ${path}/3/`, null, 200, shows('user_email', undefined)],
        [`ann GET ${path}/99/`, null, 404],
        [`ann GET ${path}/`, null, 200, count(4)],
        [`ann GET ${path}/`, null, 200, /^\[\{"id":1,.*\{"id":2,.*\{"id":3,.*\{"id":4,/],
        [`ann GET ${path}/`, null, 200, /^(?!.*user_email)/],
        [`ann GET ${path}/?project=1`, null, 200, /"user_email":"ann@example.org".*"user_email":"bob@example.org"/],
        [`bob GET ${path}/?project=1`, null, 200, /^(?!.*user_email)/],
        [`bob GET ${path}/?project=2&role=2`, null, 200, /"user_email":"bob@example.org"/],
        [`eve GET ${path}/`, null, 200, count(1)],
        [`- GET ${path}/`, null, 200, count(1)],
        [`ann GET ${path}/?project=x`, null, 400, /'project' must be an integer value/],
        [`ann GET ${path}/?role=x`, null, 400, /Error in filter params types/],
        [`ann GET ${path}/?project=99`, null, 404],
        [`ann POST ${path}/`, { project: 1, role: 1 }, 400, { username: ['This field is required.'] }],
        [
          `ann POST ${path}/`,
          { project: 1, role: 2, username: 'nobody' },
          400,
          { role: ['Invalid role for the project'], username: ['The user must be a valid contact'] },
        ],
        [
          `ann POST ${path}/`,
          { project: 1, role: 1, username: 'bob@example.org' },
          400,
          { username: ['The user yet exists in the project'] },
        ],
        [`bob POST ${path}/`, { project: 1, role: 1, username: 'new@example.org' }, 403],
        [
          `eve POST ${path}/`,
          { project: 1, role: 1, username: 'new@example.org' },
          400,
          { non_field_errors: [unverified] },
        ],
        [`ann POST ${path}/`, { project: 3, role: 3, username: 'new@example.org' }, 451, /Blocked element/],
        [
          `ann POST ${path}/`,
          { project: 1, role: 1, username: 'new@example.org', email: 'ignored@example.org', user_order: 7 },
          201,
          {
            ...ofAnn,
            ...{ id: 5, user: null, is_admin: false, invited_by: basic(1, 'ann'), user_order: 7, full_name: null },
            ...{ is_user_active: false, color: null, gravatar_id: null, is_owner: null },
            ...{ email: 'new@example.org', user_email: null },
          },
        ],
        [
          `ann POST ${path}/`,
          { project: 1, role: 1, username: 'eve@example.org' },
          201,
          shows('user_email', 'eve@example.org'),
        ],
        [`ann PATCH ${path}/5/`, { is_admin: true, user: 3, project: 1 }, 200, shows('email', undefined)],
        [`ann PATCH ${path}/5/`, { project: 2 }, 400, { project: ['Invalid operation'] }],
        [`ann PATCH ${path}/1/`, { is_admin: false }, 400, { is_admin: ['The project owner must be admin.'] }],
        [`bob PATCH ${path}/5/`, { is_admin: false }, 403],
        [`ann DELETE ${path}/1/`, null, 400, /The project must have an owner/],
        [`bob DELETE ${path}/5/`, null, 403],
        [`ann POST ${path}/5/resend_invitation/`, {}, 204],
        [`bob POST ${path}/5/resend_invitation/`, {}, 403],
        [
          `ann POST ${path}/bulk_create/`,
          { project_id: 1, bulk_memberships: [{ username: 'x@example.org', role_id: 2 }] },
          400,
          { bulk_memberships: ['Invalid role ids. All roles must belong to the same project.'] },
        ],
        [
          `ann POST ${path}/bulk_create/`,
          { project_id: 1, bulk_memberships: [{ username: 'new@example.org', role_id: 1 }] },
          400,
          { bulk_memberships: ['The user with this email address is already added to the project.'] },
        ],
        [
          `bob POST ${path}/bulk_create/`,
          { project_id: 1, bulk_memberships: [{ username: 'x@example.org', role_id: 1 }] },
          403,
        ],
        [
          `ann POST ${path}/bulk_create/`,
          { project_id: 99, bulk_memberships: [] },
          400,
          { project_id: ["There's no project with that id"] },
        ],
        [
          `bob POST ${path}/bulk_create/`,
          {
            project_id: 2,
            bulk_memberships: ['a', 'b', 'c', 'd'].map(name => ({ username: `${name}@example.org`, role_id: 2 })),
          },
          400,
          (response: Loose) => {
            if (
              response.headers.get('taiga-info-project-memberships') !== '5' ||
              !response.text.includes('limit of memberships for public projects')
            )
              throw new Error(response.text)
          },
        ],
        [
          `bob POST ${path}/bulk_create/`,
          {
            project_id: 2,
            bulk_memberships: [
              { username: 'dan@example.org', role_id: 2 },
              { username: 'a@example.org', role_id: 2 },
            ],
          },
          200,
          /"user_email":"dan@example.org".*"email":"a@example.org"/,
        ],
        [`ann POST ${path}/remove_user_from_all_my_projects/`, {}, 400, /Invalid user id/],
        [`ann POST ${path}/remove_user_from_all_my_projects/`, { user: 99 }, 400, /The user doesn't exist/],
        [`bob POST ${path}/remove_user_from_all_my_projects/`, { user: 2 }, 400, /active admin: Two\./],
        [`bob POST ${path}/remove_user_from_all_my_projects/`, { user: 4, private_only: true }, 204],
        [`bob GET ${path}/?project=2`, null, 200, count(3)],
        [`bob POST ${path}/remove_user_from_all_my_projects/`, { user: 4 }, 204],
        [`bob POST ${path}/remove_invitation_from_all_my_projects/`, {}, 400, /Email is required/],
        [`bob POST ${path}/remove_invitation_from_all_my_projects/`, { email: 'a@example.org' }, 204],
        [`bob GET ${path}/?project=2`, null, 200, count(1)],
        [`ann DELETE ${path}/5/`, null, 204],
      ],
    },
  },
  (name, run) => test(name, run),
)
