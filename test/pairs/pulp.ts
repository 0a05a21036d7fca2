// What views of pulpcore have in common: filters, errors, and rights by roles and by stored access policies.

import { sql } from 'kysely'
import {
  APIException,
  type ExceptionHandler,
  filter,
  key,
  list,
  objectView,
  type Permission,
  rowFilter,
  text,
  ValidationError,
} from 'resource-api'
import { type Condition, reference, table } from 'resource-api/tables'
import { type Loose, listErrors } from './support.ts'

/** `ExpressionFilterField`: comparisons with NOT, AND and OR, of a complexity up to 8. */
export function parseExpression(expression: string, filterNames: ReadonlySet<string>): Condition {
  const tokens = expression.match(/"[^"]*"|'[^']*'|[()=]|[\w.,*\u00C0-\u00FF-]+|\S/g) ?? []
  let complexity = 0
  const refuse = (message = 'Syntax error in expression.'): never => {
    throw new ValidationError(message)
  }
  const readJoined = (word: string, joint: 'and' | 'or', read: () => Condition): Condition => {
    const parts = [read()]
    while (tokens[0] === word) {
      tokens.shift()
      parts.push(read())
    }
    if (parts.length === 1) return parts[0]!
    complexity++
    return { [joint]: parts }
  }
  const readOne = (): Condition => {
    const [token = '', ...rest] = tokens
    complexity++
    if (token === 'NOT') {
      tokens.shift()
      return { not: readOne() }
    }
    if (token === '(') {
      complexity--
      tokens.shift()
      const inner = readOr()
      return tokens.shift() === ')' ? inner : refuse()
    }
    const [equals, value = ''] = rest
    if (!/^[A-Za-z]\w*$/.test(token) || equals !== '=' || !/^(["'].*["']|[\w.,*\u00C0-\u00FF-]+)$/.test(value)) refuse()
    if (token === 'q') refuse("You cannot use 'q' in complex filtering.")
    if (token === 'ordering') refuse('An ordering filter cannot be used in complex filtering.')
    if (!filterNames.has(token)) refuse(`Filter '${token}' does not exist.`)
    tokens.splice(0, 3)
    return { [token]: value.replace(/^(["'])(.*)\1$/, '$2') }
  }
  const readOr = (): Condition => readJoined('OR', 'or', () => readJoined('AND', 'and', readOne))
  const condition = readOr()
  if (tokens.length > 0) refuse()
  return complexity > 8 ? refuse('Filter expression exceeds allowed complexity.') : condition
}
export const byName = (prefix: string, suffix: string) =>
  filter(list({ of: text() }), ({ row, value }) => sql`(${prefix} || cast(${row.id} as text) || ${suffix}) in ${value}`)
export const ignored = filter(text(), ({ value }) => sql`${value} is not null`)
export const pulpErrors: ExceptionHandler = (error, context) => {
  const response = listErrors(error, context) as Loose
  const entries = error instanceof ValidationError ? Object.entries(error.errors as Loose) : []
  const findCode = (code: string) => entries.filter(([, each]: Loose) => each?.[0]?.code === code).map(([name]) => name)
  const [filters, fields] = [findCode('unknown_parameter'), findCode('unknown_field')]
  if (response === undefined || filters.length + fields.length === 0) return response
  const unexpected = Object.fromEntries(fields.map(name => [name, ['Unexpected field']]))
  const body = fields.length > 0 ? unexpected : { errors: filters.map(name => `Invalid Filter: '${name}'`) }
  // The unknown fields are checked after the others.
  return entries.length > fields.length && fields.length > 0
    ? {
        ...response,
        body: Object.fromEntries(Object.entries(response.body).filter(([name]) => !fields.includes(name))),
      }
    : { ...response, body }
}

/** The tables of roles. A role without an object holds for all objects. */
export const roleTables = [
  table('users', { columns: { id: key(), username: text({ unique: 'taken' }) } }),
  table('groups', { columns: { id: key(), name: text({ unique: 'taken' }) } }),
  table('group_members', { key: ['group', 'user'], columns: { group: reference('groups'), user: reference('users') } }),
  table('roles', { columns: { id: key(), name: text({ unique: 'taken' }) } }),
  table('role_permissions', { key: ['role', 'permission'], columns: { role: reference('roles'), permission: text() } }),
  ...(['user', 'group'] as const).map(owner =>
    table(`${owner}_roles`, {
      columns: {
        id: key(),
        [owner]: reference(`${owner}s`),
        role: reference('roles'),
        content_type: text({ nullable: true }),
        object_id: text({ nullable: true }),
      },
    }),
  ),
]

/** Whether a role of the user, or of one of the user's groups, has the permission, and is one of these roles. */
const hasRole = (user: Loose, permission: string, isMeant: Loose) =>
  sql`exists (select 1 from role_permissions where permission = ${sql.lit(permission)} and role_id in (
    select role_id from user_roles where user_id = ${user} and ${isMeant}
    union all select role_id from group_roles where ${isMeant} and group_id in (
      select group_id from group_members where user_id = ${user})))`
const isForAll = sql`object_id is null`

/** `get_objects_for_user` by `queryset_scoping`. */
const scope = (viewset: string, permission: string) =>
  rowFilter(
    ({ row, caller }: Loose) => sql`(${caller.isSuperuser}
      or ${hasRole(caller.id, permission, sql`(${isForAll} or object_id = cast(${row.id} as text))`)}
      or exists (select 1 from access_policies where viewset_name = ${sql.lit(viewset)} and queryset_scoping is null))`,
  )

interface Statement {
  readonly action: string | readonly string[]
  readonly principal: string | readonly string[]
  readonly effect: 'allow' | 'deny'
  readonly condition?: string | readonly string[]
}
interface AccessPolicy {
  readonly statements: readonly Statement[]
  readonly creation_hooks: readonly { readonly function: string; readonly parameters: Loose }[] | null
}
const toList = <Item>(given: Item | readonly Item[] = []): readonly Item[] => [given].flat() as Item[]
const parse = (given: unknown) => (typeof given === 'string' ? JSON.parse(given) : given)

/** The rights and the views of a model with roles. */
export function createRights(model: string, viewset: string, defaults: AccessPolicy) {
  const type = `core.${model}`
  const find = async (kysely: Loose): Promise<AccessPolicy> => {
    const row = await kysely
      .selectFrom('access_policies')
      .select(['statements', 'creation_hooks'])
      .where('viewset_name', '=', viewset)
      .executeTakeFirst()
    return row ? { statements: parse(row.statements), creation_hooks: parse(row.creation_hooks) } : defaults
  }
  const holds = async (condition: string, { user, view }: Loose, id: string | undefined, unknown: boolean) => {
    const [name = '', permission = ''] = condition.split(':')
    const levels = /^has_((?:(?:model|domain|obj)(?:_or_)?)+)_perms$/.exec(name)?.[1]?.split('_or_')
    if (levels === undefined) throw new Error(`There is no condition "${name}".`)
    const ask = async (isMeant: Loose) =>
      (await sql`select 1 where ${hasRole(sql`${user.id}`, permission, isMeant)}`.execute(view.connection().kysely))
        .rows.length > 0
    if (user.isSuperuser === true || (levels.includes('model') && (await ask(isForAll)))) return true
    if (!levels.includes('obj')) return false
    return id === undefined ? unknown : ask(sql`object_id = ${id}`)
  }
  const isMeant = async ({ principal }: Statement, { user, view }: Loose) => {
    const groups = view.connection().kysely.selectFrom('group_members').innerJoin('groups', 'id', 'group_id')
    const names = groups
      .select('name')
      .where('user_id', '=', user.id ?? 0)
      .execute()
    const own = new Set([
      ...['*', user.isAuthenticated ? 'authenticated' : 'anonymous', `id:${user.id}`],
      ...[user.isSuperuser && 'admin', user.isStaff && 'staff'],
      ...(await names).map(({ name }: Loose) => `group:${name}`),
    ])
    return toList(principal).some(each => own.has(each))
  }
  // Before the object is found, it is not known whether the caller has a role on it.
  const decide = async (context: Loose, action: string, id?: string) => {
    const effects = new Set<string>()
    for (const statement of (await find(context.view.connection().kysely)).statements) {
      const isAction = toList(statement.action).some(each => each === '*' || each === action)
      if (!isAction || !(await isMeant(statement, context))) continue
      const conditions = toList(statement.condition)
      const held = await Promise.all(conditions.map(each => holds(each, context, id, statement.effect === 'allow')))
      if (held.every(Boolean)) effects.add(statement.effect)
    }
    return effects.has('allow') && !effects.has('deny')
  }
  const may = (action: string, hasObject = true): readonly Permission[] => [
    {
      allows: context => decide(context, action),
      ...(hasObject && {
        columns: ['id'],
        allowsObject: (context: Loose, { id }: Loose) => decide(context, action, String(id)),
      }),
    },
    scope(viewset, `core.view_${model}`),
  ]
  /** `creation_hooks`, which give roles on a new object. */
  const giveRoles = async ({ key: id, user, action, connection: { kysely } }: Loose) => {
    if (action !== 'create') return
    const assign = async (owner: 'user' | 'group', owners: readonly number[], names: readonly string[]) => {
      for (const name of names) {
        const role = await kysely.selectFrom('roles').select('id').where('name', '=', name).executeTakeFirst()
        if (role === undefined) throw new BadRequest(`The role '${name}' does not exist.`)
        if (!(await carriesAny(kysely, role.id, model)))
          throw new BadRequest(`The role '${name}' does not carry any permission for that object.`)
        const values = { role_id: role.id, content_type: type, object_id: String(id) }
        for (const each of owners)
          await kysely
            .insertInto(`${owner}_roles`)
            .values({ ...values, [`${owner}_id`]: each })
            .execute()
      }
    }
    const findIds = async (owner: 'user' | 'group', names: readonly string[]) =>
      (await kysely.selectFrom(`${owner}s`).select('id').where(ownName[owner], 'in', names).execute()).map(
        ({ id }: Loose) => id,
      )
    for (const { function: name, parameters } of (await find(kysely)).creation_hooks ?? []) {
      const roles = toList<string>(parameters.roles)
      if (name === 'add_roles_for_object_creator') await assign('user', user.isAuthenticated ? [user.id] : [], roles)
      else if (name === 'add_roles_for_users')
        await assign('user', await findIds('user', toList<string>(parameters.users)), roles)
      else if (name === 'add_roles_for_groups')
        await assign('group', await findIds('group', toList<string>(parameters.groups)), roles)
      else throw new BadRequest(`Creation hook '${name}' was not registered for this view set.`)
    }
  }
  return { defaults: defaults.statements, may, giveRoles, views: createRoleViews(type, model, may) }
}

class BadRequest extends APIException {
  static override status = 400
  static override message = 'Bad Request'
  static override code = 'bad_request'
}
/** Whether the role has a permission for objects of the model. */
const carriesAny = async (kysely: Loose, role: number, model: string) => {
  const found = kysely.selectFrom('role_permissions').select('permission').where('role_id', '=', role).execute()
  return (await found).some(({ permission }: Loose) => permission.endsWith(`_${model}`))
}
const ownName = { user: 'username', group: 'name' } as const
const owners = ['user', 'group'] as const

/** `RolesMixin`: the roles on an object, and the rights that the caller has there. */
function createRoleViews(type: string, model: string, may: (action: string) => readonly Permission[]) {
  const rolesOf = (kysely: Loose, owner: 'user' | 'group', id: unknown) =>
    kysely
      .selectFrom(`${owner}_roles`)
      .innerJoin('roles', 'roles.id', 'role_id')
      .innerJoin(`${owner}s`, `${owner}s.id`, `${owner}_id`)
      .select([
        `${owner}_roles.id`,
        `${owner}_id as owner`,
        'role_id',
        'roles.name as role',
        `${owner}s.${ownName[owner]} as name`,
      ])
      .where('content_type', '=', type)
      .where('object_id', '=', String(id))
      .orderBy(`${owner}_roles.id`)
      .execute()
  const changeRole = (action: 'add_role' | 'remove_role') =>
    objectView({
      permissions: may(action),
      body: {
        users: list({ of: text(), default: [] }),
        groups: list({ of: text(), default: [] }),
        role: text(),
      },
      handlers: {
        async POST({ body, key: id, database }: Loose) {
          await database.transaction(async ({ kysely }: Loose) => {
            const { role, found } = await findNamed(kysely, body)
            if (!(await carriesAny(kysely, role, model)))
              throw new ValidationError('The role does not contain any permission for that object.')
            for (const owner of owners) {
              const assigned = (await rolesOf(kysely, owner, id)).filter(({ role_id }: Loose) => role_id === role)
              for (const [name, own] of found[owner]) {
                const given = assigned.find((each: Loose) => each.owner === own)
                if ((given === undefined) !== (action === 'add_role')) {
                  const state = given ? 'already assigned' : 'not assigned'
                  throw new ValidationError(`The role is ${state} to ${owner} '${name}'.`)
                }
                const values = { [`${owner}_id`]: own, role_id: role, content_type: type, object_id: String(id) }
                await (given
                  ? kysely.deleteFrom(`${owner}_roles`).where('id', '=', given.id)
                  : kysely.insertInto(`${owner}_roles`).values(values)
                ).execute()
              }
            }
          })
          return { status: 201, body }
        },
      },
    } as Loose)
  return {
    add_role: changeRole('add_role'),
    remove_role: changeRole('remove_role'),
    list_roles: objectView({
      permissions: may('list_roles'),
      handlers: {
        async GET({ key: id, database: { kysely } }: Loose) {
          const roles = new Map<string, Loose>()
          for (const owner of owners)
            for (const { role, name } of await rolesOf(kysely, owner, id)) {
              const shown = roles.get(role) ?? { role, users: [], groups: [] }
              shown[`${owner}s`].push(name)
              roles.set(role, shown)
            }
          return { status: 200, body: { roles: [...roles.values()] } }
        },
      },
    } as Loose),
    my_permissions: objectView({
      permissions: may('my_permissions'),
      handlers: {
        async GET({ key: id, user, database: { kysely } }: Loose) {
          const { rows } = await sql`select distinct permission from role_permissions where role_id in (
            select role_id from user_roles where user_id = ${user.id} and content_type = ${type} and object_id = ${String(id)}
            union all select role_id from group_roles where content_type = ${type} and object_id = ${String(id)} and group_id in (
              select group_id from group_members where user_id = ${user.id}))
            and permission like ${`core.%\\_${model}`} escape '\\' order by permission`.execute(kysely)
          return { status: 200, body: { permissions: rows.map(({ permission }: Loose) => permission) } }
        },
      },
    } as Loose),
  }
}

/** The keys of the users, the groups and the role that a body names. */
async function findNamed(kysely: Loose, body: Loose) {
  const errors: Loose = {}
  const find = async (from: string, column: string, name: string, refuse: (message: string) => void) => {
    const row = await kysely.selectFrom(from).select('id').where(column, '=', name).executeTakeFirst()
    if (row === undefined) refuse(`Object with ${column}=${name} does not exist.`)
    return row?.id as number
  }
  const found: Record<'user' | 'group', [string, number][]> = { user: [], group: [] }
  for (const owner of owners)
    for (const [index, name] of (body[`${owner}s`] as string[]).entries()) {
      const refuse = (message: string) => {
        errors[`${owner}s`] = { ...errors[`${owner}s`], [index]: message }
      }
      found[owner].push([name, await find(`${owner}s`, ownName[owner], name, refuse)])
    }
  const role = await find('roles', 'name', body.role, message => {
    errors.role = message
  })
  if (Object.keys(errors).length > 0) throw new ValidationError(errors)
  return { role, found }
}
