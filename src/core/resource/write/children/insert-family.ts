// Inserts a new object and its children with one statement, on databases whose queries can contain statements that write. It
// saves the round trips of a transaction, and the statement that reads the representation.

import { type RawBuilder, sql } from 'kysely'
import { createBoundedMap } from '../../../base/bounded-map.ts'
import { type Arguments, compile, parameter, type Statement } from '../../../database/database.ts'
import type { Sql } from '../../../database/dialect.ts'
import type { RelationTarget } from '../../../fields/field.ts'
import { findPathIdentifier } from '../../../fields/identifier.ts'
import type { KeyValue } from '../../../keys/key.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import { seesValues } from '../../declare/hooks.ts'
import { listInsertedColumns } from '../../sql/many.ts'
import { allExist, checkedName, nameColumn, PostponedChecks } from '../../sql/postponed-checks.ts'
import { representation } from '../../sql/select.ts'
import type { ChildrenWrite } from '../../validate/children.ts'
import { canInsertTogether } from '../many/can-insert-together.ts'
import { runsFunctions } from '../write.ts'
import type { ChildForm } from './child-form.ts'
import type { ReadChild, WrittenChildren } from './save-children.ts'

/** The key of a new object, its representation, and what its path contains, unless that is the key. */
export type Created = readonly [key: KeyValue, json: string, name?: KeyValue]

/**
 * The checks that the statement of a new parent and its children makes; undefined if there is no such statement, or if functions of
 * the application get the values before it runs.
 */
export function createPostponedChecks(parent: BoundResource): PostponedChecks | undefined {
  const can =
    canPostpone.get(parent) ?? (canInsertParent(parent) && takesChildren(parent) && !seesValues(parent.resource))
  canPostpone.set(parent, can)
  return can ? new PostponedChecks() : undefined
}

const canPostpone = new WeakMap<BoundResource, boolean>()

const takesChildren = ({ plans }: BoundResource): boolean =>
  Object.values(plans.create.takes).some(({ storage, readOnly }) => storage.kind === 'children' && !readOnly)

/**
 * Inserts a new parent, whose parameters `createValues` returns, with its children; resolves to undefined if one statement cannot do it,
 * or if a postponed check fails. Rejects with ConstraintViolation.
 */
export async function insertFamily(
  parent: BoundResource,
  [write, ...others]: readonly ChildrenWrite[],
  createValues: () => Arguments,
  postponed: PostponedChecks | undefined,
): Promise<Created | undefined> {
  if (write === undefined || write.column !== undefined || others.length > 0) return undefined
  const { form, children } = write as WrittenChildren
  const plan = findPlan(parent, form)
  if (!plan.isSafe || !canInsertChildren(form, children)) return undefined
  const { bound, statements, storage } = form
  const { dialect } = bound.database
  const { reverse, position } = storage
  const rows = children.map(({ row }, index) => {
    const place = position === undefined ? undefined : { [position]: index }
    // The statement replaces the key of the parent.
    return statements.listValues(row.values, { ...row.prepared, [reverse!]: null, ...place })
  })
  const statement = plan.insert(postponed?.targets ?? [])
  const values = { ...createValues(), ...dialect.insertedRows.bind(rows), ...postponed?.bind(dialect) }
  const [inserted] = await parent.database.write(statement, values)
  if (inserted === undefined) plan.isSafe = (await parent.database.first(plan.findIsSafe, {}))?.[0] === true
  return inserted
}

/** How one statement inserts a parent and its children. */
interface Plan {
  /** False if one statement cannot do it, or once a table has triggers or became a view. */
  isSafe: boolean
  readonly findIsSafe: Statement<readonly [isSafe: boolean]>
  /** The statement that inserts nothing unless rows of all these resources exist (see `allExist`). */
  insert(targets: readonly RelationTarget[]): Statement<Created>
}

const plans = new WeakMap<BoundResource, WeakMap<ChildForm, Plan>>()

function findPlan(parent: BoundResource, form: ChildForm): Plan {
  const ofParent = plans.get(parent) ?? new WeakMap<ChildForm, Plan>()
  plans.set(parent, ofParent)
  const plan = ofParent.get(form) ?? createPlan(parent, form)
  ofParent.set(form, plan)
  return plan
}

function createPlan(parent: BoundResource, form: ChildForm): Plan {
  const { database } = parent
  const read = canInsertParent(parent) ? findReadTables(parent, form) : undefined
  const isSafe = () => createSafety(parent, form, read!)
  const inserts = createBoundedMap<string, Statement<Created>>({ maxSize: 64 })
  return {
    isSafe: read !== undefined,
    findIsSafe: compile(database, () => sql`select ${isSafe()}`),
    insert(targets) {
      const name = targets.map(nameColumn).join()
      const statement =
        inserts.get(name) ??
        compile<Created>(database, () =>
          createInsert(parent, form, sql`${isSafe()} and ${allExist(database.dialect, targets)}`),
        )
      inserts.set(name, statement)
      return statement
    },
  }
}

// Triggers may change rows after the statement has returned them, and views do not have them yet.
function createSafety(parent: BoundResource, { bound }: ChildForm, readTables: readonly string[]): Sql {
  const { kysely, dialect } = parent.database
  const family = [parent, bound].map(({ resource }) => sql.table(resource.table).compile(kysely).sql)
  return sql`not ${dialect.hasTriggerOrView!(family, readTables)}`
}

const canInsertChildren = ({ bound, statements }: ChildForm, children: readonly ReadChild[]): boolean =>
  !runsFunctions(bound) &&
  bound.relationRows.length === 0 &&
  children.every(({ row }) => row.children.length === 0) &&
  canInsertTogether(bound, statements, children)

const canInsertParent = (parent: BoundResource): boolean =>
  parent.database.dialect.hasTriggerOrView !== undefined &&
  !runsFunctions(parent) &&
  parent.relationRows.length === 0 &&
  parent.columns.create.length > 0 &&
  !parent.columns.create.some(name => arrayName.test(name) || checkedName.test(name))

// The names of the parameters with the children (see `Dialect.insertedRows`).
const arrayName = /^rows \d+$/

// In the last query, the names of both tables mean the new rows. Nothing is inserted unless the condition holds.
function createInsert(
  parent: BoundResource,
  { bound, statements, storage }: ChildForm,
  condition: Sql,
): RawBuilder<unknown> {
  const { database, columns, plans, related } = parent
  const { resource } = bound
  const { table, key } = parent.resource
  const [owner, child] = [sql.table(table), sql.table(resource.table)]
  const keyColumn = sql.ref(`${table}.${key.column}`)
  const names = statements.columns
  const values = names.map(name => (name === storage.reverse ? keyColumn : sql.id('given', name)))
  const rows = database.dialect.insertedRows.select(listInsertedColumns(bound, names), 1)
  const identifier = findPathIdentifier(parent.resource)
  const andName = identifier.column === key.column ? sql`` : sql`, ${sql.ref(`${table}.${identifier.column}`)}`
  const json = database.dialect.text(representation(database, parent.resource, plans.create.shows, related))
  const given = sql.join(columns.create.map(name => parameter(name)))
  const insertParent = sql`insert into ${owner} (${listNames(columns.create)}) select ${given} where ${condition} returning *`
  const insertChildren = sql`insert into ${child} (${listNames(names)}) select ${sql.join(values)} from ${owner}, (${rows}) as given returning *`
  return sql`with ${owner} as (${insertParent}), ${child} as (${insertChildren}) select ${keyColumn}, ${json}${andName} from ${owner}`
}

const listNames = (names: readonly string[]) => sql.join(names.map(name => sql.id(name)))

// The tables that the representation reads, as in SQL; undefined if it may read other rows of both tables than those of this object,
// which are new. The SQL of the application, of row filters and of URLs may read any.
function findReadTables(
  { database, resource, plans, related }: BoundResource,
  { bound }: ChildForm,
): readonly string[] | undefined {
  const [own, other] = [resource.table, bound.resource.table]
  const fields = Object.values(plans.create.shows)
  const hasForeignSql = fields.some(({ volatile, file }) => volatile !== undefined || file !== undefined)
  if (hasForeignSql || own === other || `${own}${other}`.includes('.')) return undefined
  let isSafe = true
  const watch = (references: typeof related | ReturnType<typeof related.within>): typeof references => ({
    ...references,
    createUrl(...target) {
      isSafe = false
      return references.createUrl(...target)
    },
    visibleCondition(target, table) {
      const condition = references.visibleCondition(target, table)
      if (condition !== undefined) isSafe = false
      return condition
    },
    within: target => watch(references.within(target)),
  })
  const shown = sql`select ${representation(database, resource, plans.create.shows, watch(related))}`
  const reads = [...shown.compile(database.kysely).sql.matchAll(readPattern)].map(
    ([, table, listed]) => (table ?? listed)!,
  )
  const countReads = (table: string) =>
    reads.filter(name => name === sql.table(table).compile(database.kysely).sql).length
  return isSafe && countReads(own) === 0 && countReads(other) <= 1 ? [...new Set(reads)] : undefined
}

// A name after a comma may also be a column, which names no table.
const readPattern = /(?:from|join) ("(?:[^"]|"")+"(?:\."(?:[^"]|"")+")?)|, ("(?:[^"]|"")+")(?!\.)/g
