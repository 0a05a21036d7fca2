// Further lists of a resource: some of its rows, at a URL below its list, such as `/articles/feed/`.

import type { Sql } from '../../database/dialect.ts'
import type { RowReferences } from '../../fields/sql-references.ts'
import type { Identity } from '../../http/identity.ts'
import type { MessageText } from '../../messages/english.ts'
import type { Paginator } from '../../pagination/paginator.ts'
import type { RowFilterScope } from '../../policy/permissions/built-in-permissions.ts'
import type { Condition } from '../../tables/condition.ts'
import type { AuditEventOption, ViewPolicies } from '../../view/view.ts'

/**
 * A list of some rows of a resource, with the search, filters and pages of its list. `Order`: the names to order by. `Row`: the columns
 * that its SQL may name. `Rows`: its condition. It has the policies of the action `list`, except those that it declares.
 */
export interface RowList<
  User extends Identity = Identity,
  Order extends string = string,
  Row = RowReferences,
  Rows = Condition,
> extends Partial<Pick<ViewPolicies<User>, 'permissions' | 'throttles' | 'renderers'>> {
  /**
   * The rows of the list: a condition, or SQL as that of `rowFilter()`. It applies in addition to the row filters of the
   * permissions.
   *
   * @example
   * rows: ({ row, caller }) => sql`${row.author_id} in (select followed from follows where follower = ${caller.id})`
   */
  readonly rows: Rows | ((scope: RowFilterScope<User, Row>) => Sql)
  /** True: the condition depends on more than data, such as the time, so no page of the list is cached. Default: false. */
  readonly volatile?: boolean
  /** Default: the resource's. */
  readonly ordering?: readonly Order[]
  /** Default: the resource's. */
  readonly pagination?: Paginator | null
  /** Default: the resource's title and the list's name. */
  readonly name?: string
  /** Default: the resource's. */
  readonly description?: MessageText
  /** Default: the resource's. */
  readonly auditEvent?: AuditEventOption
}

/** A further list as a declared resource has it: the compiler has checked the properties of the caller that `rows` names. */
export type DeclaredRowList<User extends Identity = Identity> = Omit<RowList<User>, 'rows'> & {
  readonly rows: (scope: RowFilterScope) => Sql
}
