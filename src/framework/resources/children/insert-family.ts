// Inserts a new object and its children with one statement, on databases whose queries can contain statements that write. It
// saves the round trips of a transaction, and the statement that reads the representation.

import { type RawBuilder, sql } from 'kysely'
import { type Arguments, compile, parameter, type Statement } from '../../database/database.ts'
import { findPathIdentifier } from '../../fields/identifier.ts'
import type { KeyValue } from '../../keys/key.ts'
import type { BoundResource } from '../bound-resource.ts'
import { canInsertTogether } from '../many/can-insert-together.ts'
import { listInsertedColumns } from '../sql/many.ts'
import { representation } from '../sql/select.ts'
import { runsFunctions } from '../write.ts'
import type { ChildForm } from './child-form.ts'
import type { ChildrenWrite } from './children.ts'
import type { ReadChild, WrittenChildren } from './save-children.ts'

/** The key of a new object, its representation, and what its path contains, unless that is the key. */
export type Created = readonly [key: KeyValue, json: string, name?: KeyValue]

/**
 * Inserts a new parent, whose parameters `createValues` returns, with its children; resolves to undefined if one statement cannot do it.
 * Rejects with ConstraintViolation.
 */
export async function insertFamily(
  parent: BoundResource,
  [write, ...others]: readonly ChildrenWrite[],
  createValues: () => Arguments,
): Promise<Created | undefined> {
  if (write === undefined || write.column !== undefined || others.length > 0) return undefined
  const { form, children } = write as WrittenChildren
  const plan = findPlan(parent, form)
  if (plan.statement === undefined || !canInsertChildren(form, children)) return undefined
  const { bound, statements, storage } = form
  const { reverse, position } = storage
  const rows = children.map(({ row }, index) => {
    const place = position === undefined ? undefined : { [position]: index }
    // The statement replaces the key of the parent.
    return statements.listValues(row.values, { ...row.prepared, [reverse!]: null, ...place })
  })
  const bindings = bound.database.dialect.insertedRows.bind(rows)
  const [inserted] = await parent.database.write(plan.statement, { ...createValues(), ...bindings })
  if (inserted === undefined) plan.statement = undefined
  return inserted
}

interface Plan {
  /** Undefined if one statement cannot insert the parent and its children. */
  statement: Statement<Created> | undefined
}

const plans = new WeakMap<BoundResource, WeakMap<ChildForm, Plan>>()

function findPlan(parent: BoundResource, form: ChildForm): Plan {
  const ofParent = plans.get(parent) ?? new WeakMap<ChildForm, Plan>()
  plans.set(parent, ofParent)
  const plan = ofParent.get(form) ?? { statement: canInsertParent(parent) ? createStatement(parent, form) : undefined }
  ofParent.set(form, plan)
  return plan
}

function createStatement(parent: BoundResource, form: ChildForm): Plan['statement'] {
  const read = findReadTables(parent, form)
  return read && compile<Created>(parent.database, () => createInsert(parent, form, read))
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
  !parent.columns.create.some(name => arrayName.test(name))

// The names of the parameters with the children (see `Dialect.insertedRows`).
const arrayName = /^rows \d+$/

// In the last query, the names of both tables mean the new rows. Triggers may change them after the statement has returned them, and
// views do not have them yet, so that nothing is inserted if there are any.
function createInsert(
  parent: BoundResource,
  { bound, statements, storage }: ChildForm,
  readTables: readonly string[],
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
  const family = [owner, child].map(name => name.compile(database.kysely).sql)
  const isUnsafe = database.dialect.hasTriggerOrView!(family, [...family, ...readTables])
  const insertParent = sql`insert into ${owner} (${listNames(columns.create)}) select ${given} where not ${isUnsafe} returning *`
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
