// The order of lists as a resource declares it or a query asks for it: `['-created', 'customer.name', 'total']`. A name is that
// of a field with a column, of a computed field in SQL, of a column that no field has, or a path through relations to one
// object. A wrong name is an error at start that names the fix.

import type { Sql } from '../../database/dialect.ts'
import { columnReference } from '../../fields/column-reference.ts'
import type { Field, FieldLocation, Fields, Relation } from '../../fields/field.ts'
import { isStoredAsJson } from '../../fields/kinds/kind.ts'
import { selectRelated } from '../../fields/level.ts'
import { selectIdentifier } from '../../fields/relations/related-forms.ts'
import { findStoredField, storageColumn } from '../../fields/storage.ts'
import { createVisibleKey } from '../../fields/visible.ts'
import { findPublicIdentifier, type Key } from '../../keys/key.ts'
import { comparedColumn, findRelation } from '../declare/storage.ts'
import type { NullableSql, Ordering } from '../sql/ordering.ts'
import { type DeclaredValue, explainPath, findDeclaredValues } from './queried-paths.ts'
import { createComputedValue } from './queried-value.ts'
import { findDependence, noDependence, type RequestDependence } from './request-dependence.ts'

/** One value of an order, and what it depends on. */
export interface DeclaredOrdering extends Ordering, RequestDependence {
  /** The fields that it reveals, except that of its column. */
  readonly path: readonly Field[]
}

interface OrderedResource {
  readonly fields: Fields
  readonly key: Key
}

/**
 * The values that callers see: positions of cursors contain them. `inner`: those that sort best, such as the integer of a
 * public id.
 */
export type OrderingForm = 'inner' | 'public'

/**
 * Creates an order from names of fields, columns and paths, with `-` for descending. Appends the key, whose values are unique,
 * so the order is total; it has the direction of the value before it, so one index serves both.
 */
export function createOrdering(
  resource: OrderedResource,
  names: readonly string[],
  form: OrderingForm = 'inner',
): readonly DeclaredOrdering[] {
  const key = findKeyColumn(resource.key, form)
  const ordering = names.map(name => ({
    ...createOrderedValue(resource, name.replace(/^-/, ''), form),
    descending: name.startsWith('-'),
  }))
  if (ordering.some(({ column }) => column === key)) return ordering
  return [
    ...ordering,
    { ...createColumn(resource.fields, key, form), descending: ordering.at(-1)?.descending ?? false },
  ]
}

/** The columns of the resource's table that an order names, without those that paths and computed fields use. */
export const listOrderedColumns = (resource: OrderedResource, names: readonly string[]): readonly string[] =>
  names
    .map(name => name.replace(/^-/, ''))
    .flatMap(name =>
      isColumn(resource.fields, name) ? (createOrderedValue(resource, name, 'inner').column ?? []) : [],
    )

/**
 * Throws if an order is wrong. A name that neither a field nor a path has is taken for a column, which is compared with the
 * database later; a path through relations that are not resolved yet is checked once they are.
 */
export function checkOrdering(fields: Fields, option: string, names: readonly string[]): void {
  for (const name of names.map(each => each.replace(/^-/, '')))
    if (isColumn(fields, name)) explainPath(option, name, () => checkColumn(fields, name))
    else findOrderedValues(fields, option, [name])
}

// A name is that of a field, or else of a column.
function checkColumn(fields: Fields, name: string): void {
  const found = Object.hasOwn(fields, name) ? ([name, fields[name]!] as const) : findStoredField(fields, name)
  if (found !== undefined) checkComparable(...found)
}

/**
 * Finds the values by which callers may order. Those that lead through relations which are not resolved yet are left out.
 * Throws for the first mistake.
 */
export function findOrderedValues(fields: Fields, option: string, paths: readonly string[]): readonly DeclaredValue[] {
  const values = findDeclaredValues(fields, option, paths).map(orderValue)
  for (const value of values) explainPath(option, value.declaredPath, () => checkOrdered(value))
  return values
}

// The last field of a path may have an order of its own.
function orderValue(value: DeclaredValue): DeclaredValue {
  const { orderedBy } = value.path.at(-1)!
  return orderedBy === undefined ? value : { ...value, ...createComputedValue(orderedBy) }
}

function checkOrdered({ field, path, joins, declaredPath }: DeclaredValue): void {
  const names = declaredPath.split('.')
  const many = joins.findIndex(({ through }) => !('column' in through))
  if (many >= 0)
    throw new Error(
      `field "${names[many]}" is a relation to many objects, which have no order of their own: order by a computed field, such as computed(integer(), ({ row }) => sql\`select count(*) …\`)`,
    )
  checkComparable(names[path.length - 1]!, field)
}

function checkComparable(name: string, field: Field): void {
  if (field.relation === undefined && isStoredAsJson(field.kind))
    throw new Error(`field "${name}" is stored as JSON, which cannot be compared`)
}

// A stored field, or a column that no field has.
const isColumn = (fields: Fields, name: string): boolean =>
  Object.hasOwn(fields, name)
    ? comparedColumn(name, fields[name]!) !== undefined && fields[name]!.orderedBy === undefined
    : !name.includes('.')

type UndirectedOrdering = Omit<DeclaredOrdering, 'descending'>

function createOrderedValue({ fields, key }: OrderedResource, name: string, form: OrderingForm): UndirectedOrdering {
  if (!isColumn(fields, name)) return createPathValue(findOrderedValues(fields, 'ordering', [name])[0]!, form)
  const field = Object.hasOwn(fields, name) ? fields[name]! : undefined
  // The order of public ids would be random, so their integers are ordered instead.
  if (field?.keyColumn !== undefined) return createColumn(fields, findKeyColumn(key, form), form)
  return createColumn(fields, field === undefined ? name : storageColumn(name, field)!, form)
}

const findKeyColumn = (key: Key, form: OrderingForm): string =>
  (form === 'public' ? findPublicIdentifier(key) : key).column

function createColumn(fields: Fields, column: string, form: OrderingForm): UndirectedOrdering {
  const relation = findRelation(fields, column)
  const nullable = findStoredField(fields, column, field => field.nullable) !== undefined
  return {
    column,
    path: [],
    ...noDependence,
    usesRelations: relation !== undefined,
    compile(location) {
      const stored = columnReference(location, column)
      return relation === undefined
        ? { value: stored, nullable }
        : compileKey(location, relation, stored, nullable, form)
    },
  }
}

// A related object that is hidden from the caller sorts as null.
function compileKey(
  location: FieldLocation,
  relation: Relation,
  stored: Sql,
  nullable: boolean,
  form: OrderingForm,
): NullableSql {
  const { target } = relation
  const key = createVisibleKey(location, relation, stored)
  const value = form === 'public' ? selectIdentifier(target, findPublicIdentifier(target.key), key) : key
  return { value, nullable: nullable || value !== stored }
}

function createPathValue(found: DeclaredValue, form: OrderingForm): UndirectedOrdering {
  return {
    column: undefined,
    path: found.path,
    ...findDependence(found),
    compile: location => ({ value: selectValue(found, form, location), nullable: true }),
  }
}

// Each relation of the path selects the row that the caller may see, or null.
function selectValue(found: DeclaredValue, form: OrderingForm, location: FieldLocation): Sql {
  const select = (joins: DeclaredValue['joins'], level: FieldLocation): Sql => {
    const [join, ...rest] = joins
    if (join === undefined) return compileLast(found, form, level)
    const { column } = join.through as { readonly column: string }
    return selectRelated(level, join, columnReference(level, column), next => select(rest, next))
  }
  // A relation at the end is ordered by the key in its own column.
  return select(found.joins.slice(0, found.path.length - 1), location)
}

function compileLast({ field, declaredPath, compile }: DeclaredValue, form: OrderingForm, level: FieldLocation): Sql {
  if (field.keyColumn !== undefined) return columnReference(level, findKeyColumn(level.key, form))
  if (field.relation === undefined) return compile(level)
  const column = storageColumn(declaredPath.split('.').at(-1)!, field)!
  return compileKey(level, field.relation, columnReference(level, column), true, form).value
}
