// The permission policies that most APIs need.

import { sql } from 'kysely'
import type { AnyTables } from '../../database/database.ts'
import type { Dialect, Sql } from '../../database/dialect.ts'
import { dialects } from '../../database/dialects.ts'
import { formatDateTime } from '../../fields/kinds/date-time.ts'
import {
  type CallerReferences,
  type ColumnsOf,
  createReferences,
  type RowReferences,
  readCallerProperty,
} from '../../fields/sql-references.ts'
import { type Identity, isSameUser } from '../../http/identity.ts'
import { documentMessages } from '../../messages/document-messages.ts'
import { type Condition, isStored, type StoredConditions } from '../../tables/condition.ts'
import type { AnySchema, Checked, TableNameOf } from '../../tables/condition-types.ts'
import { isSafe, type Permission } from './permission.ts'
import type { RowFilter } from './row-filter.ts'

/** Allows every caller. */
export const allowAny: Permission<Identity, never> = Object.freeze<Permission<Identity, never>>({ allows: () => true })

/** Allows only authenticated callers (AUTH-PERM-r1). */
export const authenticated: Permission<Identity, never> = Object.freeze<Permission<Identity, never>>({
  authenticated: 'always',
  allows: ({ user }) => user.isAuthenticated,
})

/** Allows authenticated callers to read and write, anonymous callers to read (AUTH-PERM-r2). */
export const authenticatedOrReadOnly: Permission<Identity, never> = Object.freeze<Permission<Identity, never>>({
  authenticated: 'writes',
  allows: ({ user, method }) => isSafe(method) || user.isAuthenticated,
})

/**
 * Allows every caller to read, and only the owner to write: the user whose primary key is in `column` of the object
 * (AUTH-PERM-r3). If the column is null, no caller is the owner. Default: the column `owner()` of the declared table.
 */
export function ownerOrReadOnly(): Permission<Identity, never>
export function ownerOrReadOnly<const Column extends string>(column: Column): Permission<Identity, Column>
export function ownerOrReadOnly(column?: string): Permission<Identity, string> {
  return Object.freeze<Permission<Identity, string>>({
    columns: column === undefined ? [] : [column],
    ...(column === undefined && { forTable: ({ findOwner }) => ownerOrReadOnly(findOwner()) }),
    allowsSafe: true,
    audience: documentMessages('page.who_owner'),
    allowsObject: ({ user, method }, object) =>
      isSafe(method) || (column !== undefined && isSameUser(user, object[column])),
  })
}

/** Allows only staff. */
export const staff: Permission<Identity, never> = Object.freeze<Permission<Identity, never>>({
  authenticated: 'always',
  audience: documentMessages('page.who_staff'),
  allows: ({ user }) => user.isAuthenticated && user.isStaff,
})

/** The columns and values that the condition of a {@link rowFilter} can use. */
export interface RowFilterScope<User extends Identity = Identity, Row = RowReferences> {
  /** The columns of the row. */
  readonly row: Row
  /** The properties of the caller, as parameters. */
  readonly caller: CallerReferences<User>
  /** The time of the request as a parameter, in the format of `dateTime()`. Makes the filter volatile. */
  readonly now: Sql
  readonly dialect: Dialect
}

/** The type of {@link rowFilter}, in an API whose callers are of the type `User`, for a database with these tables. */
export type DefineRowFilter<User extends Identity, Tables = AnyTables, S extends AnySchema = AnySchema> = <
  const C extends Condition,
>(
  condition:
    | Checked<C, TableNameOf<S>, S, User>
    | StoredConditions<User>
    | ((scope: RowFilterScope<User, RowReferences<ColumnsOf<Tables>>>) => Sql),
  options?: Pick<RowFilter, 'volatile' | 'determines'> &
    Pick<Permission, 'message' | 'code' | 'allowsSafe'> & {
      /** True: other rows exist, and a request for one of them is 403. So is a write that leaves a row which does not meet the condition. */
      readonly refuses?: boolean
    },
) => Permission<User, never>

/**
 * Allows every caller, but only the rows that meet the condition exist for the caller; null counts as false. A condition without SQL is
 * for resources of declared tables. The function of one in SQL is called at the declaration, and again when a statement is compiled;
 * it must not depend on anything but its argument.
 * For values that are not properties of the caller, declare the permission's `filter` with `where` and `values`.
 *
 * @example
 * const ownRows = rowFilter(({ row, caller }) => sql`${row.owner_id} = ${caller.id}`)
 * const ownComments = rowFilter({ 'article.author': caller('id') })
 * const ofEditors = rowFilter({ 'article.editors': { user: caller('id') } }, { refuses: true, allowsSafe: true })
 * const granted = rowFilter(stored(({ user }) => findGrants(user)))
 */
export const rowFilter: DefineRowFilter<Identity> = (
  condition,
  { volatile = false, determines = [], refuses, ...refusal } = {},
) => {
  if (refuses) return refuseByCondition(condition as GivenCondition, refusal)
  const [unused] = Object.keys(refusal)
  if (unused !== undefined)
    throw new Error(`rowFilter(): "${unused}" is for a refusal: write refuses: true, or remove it`)
  return typeof condition === 'function'
    ? filterBySql(condition as (scope: RowFilterScope) => Sql, { volatile, determines })
    : filterByCondition(condition as GivenCondition, volatile)
}

type GivenCondition = Condition | StoredConditions

// A stored condition that is wrong gives no right, so its opposite would give all.
const refuseOpposite = (condition: GivenCondition): Pick<Permission<Identity, never>, 'negated'> =>
  isStored(condition)
    ? {
        negated() {
          throw new Error(
            'not(): the opposite of stored conditions is unknown: store conditions that say what is allowed',
          )
        },
      }
    : {}

function refuseByCondition(
  condition: GivenCondition,
  refusal: Pick<Permission, 'message' | 'code' | 'allowsSafe'>,
): Permission<Identity, never> {
  if (typeof condition === 'function')
    throw new Error('rowFilter(): "refuses" is for a condition without SQL: write a permission with allowsObject')
  const own = { ...refusal, checksWritten: true, ...refuseOpposite(condition) }
  return Object.freeze<Permission<Identity, never>>({
    ...own,
    allowsObject: () => false,
    forTable({ createCheck }) {
      const { columns, meets } = createCheck(condition)
      const allowsObject: Permission['allowsObject'] = (context, object) =>
        (refusal.allowsSafe && isSafe(context.method)) || meets(context, object)
      return Object.freeze({ ...own, columns: columns as readonly never[], allowsObject })
    },
  })
}

function filterByCondition(condition: GivenCondition, volatile: boolean): Permission<Identity, never> {
  const filter: RowFilter = {
    where() {
      throw new Error(
        'rowFilter(): a condition is for a resource with a declared table, its actions and its lists: write SQL for others',
      )
    },
    values: () => ({}),
  }
  const forTable: Permission<Identity, never>['forTable'] = ({ createFilter }) =>
    Object.freeze({ filter: { ...createFilter(condition), ...(volatile && { volatile }) } })
  return Object.freeze<Permission<Identity, never>>({ filter, forTable, ...refuseOpposite(condition) })
}

// The spaces prevent a conflict with a property of the caller.
const nowName = 'time of the request'

function filterBySql(
  createCondition: (scope: RowFilterScope) => Sql,
  { volatile, determines }: Required<Pick<RowFilter, 'volatile' | 'determines'>>,
): Permission<Identity, never> {
  const properties = new Set<string>()
  let usesNow = false
  createCondition({
    row: createReferences(name => sql.ref(name)),
    caller: createReferences(name => {
      properties.add(name)
      return sql.ref(name)
    }),
    get now() {
      usesNow = true
      return sql.ref(nowName)
    },
    dialect: dialects[0]!,
  })
  return Object.freeze<Permission<Identity, never>>({
    filter: {
      ...((volatile || usesNow) && { volatile: true }),
      ...(determines.length > 0 && { determines }),
      where: ({ column, value, dialect }) =>
        createCondition({
          row: createReferences(column),
          caller: createReferences(value),
          now: value(nowName),
          dialect,
        }),
      values: ({ user, view }) => ({
        ...Object.fromEntries([...properties].map(name => [name, readCallerProperty(user, name, 'rowFilter()')])),
        ...(usesNow && { [nowName]: formatDateTime(view.clock())! }),
      }),
    },
  })
}
