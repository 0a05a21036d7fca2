// Objects that bodies select instead of writing them: by key, or by the values of unique fields. An object that the caller does not see
// does not exist, as for relations.

import { isObject } from '../../../base/is-object.ts'
import type { SqlValue } from '../../../database/database.ts'
import { ValidationError } from '../../../errors/exceptions.ts'
import { invalid, shorten } from '../../../errors/invalid.ts'
import { listUniqueSets } from '../../../fields/relations/child-schema.ts'
import { storageColumn, toStoredValue } from '../../../fields/storage.ts'
import { nameOnWire } from '../../../fields/wire-names.ts'
import type { HandlerContext } from '../../../http/context.ts'
import { findPublicIdentifier, type KeyValue } from '../../../keys/key.ts'
import { createRowCondition, type RowFilter, readFilterValuesForGet } from '../../../policy/permissions/row-filter.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import { compileExistence, compileSelection, type SelectedRow } from '../../sql/check.ts'
import { formatKeyList } from '../../sql/key-list.ts'
import { compileLinks, hiddenRowAlias, type RelationRows } from '../../sql/write.ts'
import type { ChildForm, ChildSelection, SelectionContext } from './child-form.ts'

/** Finds the object that an item selects, if the caller sees it. */
type FindSelected<Item> = (item: Item, given: SelectionContext) => Promise<SelectedRow | undefined>

/** A set of fields whose values name one object. */
interface UniqueSet {
  readonly names: readonly string[]
  readonly find: FindSelected<readonly SqlValue[]>
}

export function createSelection(form: ChildForm): ChildSelection {
  const { bound, storage, keyName } = form
  const { resource, api } = bound
  const filter = api.findRowFilter(resource)
  const findByKey = createKeyFinder(bound, filter)
  const sets: readonly UniqueSet[] = listUniqueSets(storage).map(names => {
    const columns = names.map(name => storageColumn(name, resource.fields[name]!)!)
    return { names, find: createFinder(bound, columns, filter) }
  })
  return {
    async select(item, name, given) {
      if (name instanceof ValidationError) throw name
      const isNew = storage.actions.has('add')
      if (name !== null) {
        const found = await findByKey(name, given)
        if (found !== undefined || (isNew && resource.key.source === 'body')) return found
        throw new ValidationError({ [keyName]: invalid('does_not_exist', { value: name }).errors })
      }
      const set = sets.find(({ names }) => names.every(field => findGiven(bound, item, field) != null))
      const found = set && (await set.find(await readUnique(bound, item, set.names, given.request), given))
      if (found !== undefined || isNew) return found
      throw set === undefined ? createUnnamedError(form, sets) : createMissingError(bound, item, set.names)
    },
    link: createLinker(form, filter),
  }
}

function createFinder(
  { database, resource }: BoundResource,
  columns: readonly string[],
  filter: RowFilter | undefined,
): FindSelected<readonly SqlValue[]> {
  const statement = compileSelection(database, resource, columns, filter)
  return (values, { request, connection, gather }) =>
    gather(statement, values, async all => {
      const rows = database.dialect.formatRecords(all, columns, noJson)
      const found = await connection.run(statement, { rows, ...(await readFilterValuesForGet(filter, request)) })
      const selected = new Map(found.map(([place, ...row]) => [place, row]))
      return all.map((_, place) => selected.get(place))
    })
}

const noJson: ReadonlySet<string> = new Set()

// A list of integers may contain one that is too large for the column.
function createKeyFinder(bound: BoundResource, filter: RowFilter | undefined): FindSelected<KeyValue> {
  const { database, resource } = bound
  const identifier = findPublicIdentifier(resource.key)
  const { dialect } = database
  if (identifier.type !== 'integer') {
    const find = createFinder(bound, [identifier.column], filter)
    return (name, given) => find([name], given)
  }
  const statement = compileExistence(
    database,
    { target: resource, identifier },
    () => filter && createRowCondition(dialect, resource.table, filter),
  )
  return (name, { request, connection, gather }) =>
    gather(statement, name, async names => {
      const keys = formatKeyList(dialect, identifier, names)
      const found = await connection.run(statement, { keys, ...(await readFilterValuesForGet(filter, request)) })
      const selected = new Map(found.map(([key, shown = key]): [KeyValue, SelectedRow] => [shown, [key, shown]]))
      return names.map(name => selected.get(name))
    })
}

function createLinker({ bound, storage }: ChildForm, filter: RowFilter | undefined) {
  const { database, resource } = bound
  const findVisible = () => filter && createRowCondition(database.dialect, hiddenRowAlias, filter)
  const statements: Omit<RelationRows, 'name'> | undefined =
    storage.join && compileLinks(database, storage.join, { target: resource, findVisible })
  const link: ChildSelection['link'] = async (connection, owner, keys, request) => {
    const values = { id: owner, keys: statements!.formatKeys([...new Set(keys)]) }
    if (storage.actions.has('remove'))
      await connection.run(statements!.remove, { ...values, ...(await readFilterValuesForGet(filter, request)) })
    await connection.run(statements!.add, values)
  }
  return link
}

const nameField = ({ resource }: BoundResource, name: string): string => nameOnWire(name, resource.fields[name]!)

function findGiven(bound: BoundResource, item: unknown, name: string): unknown {
  const wireName = nameField(bound, name)
  return isObject(item) && Object.hasOwn(item, wireName) ? item[wireName] : undefined
}

// The values as their columns store them.
async function readUnique(
  bound: BoundResource,
  item: unknown,
  names: readonly string[],
  request: HandlerContext,
): Promise<readonly SqlValue[]> {
  const context = bound.api.createParseContext(request.baseUrl)
  const values: SqlValue[] = []
  for (const name of names) {
    const field = bound.resource.fields[name]!
    try {
      values.push(toStoredValue(field, await field.parse(findGiven(bound, item, name), context)))
    } catch (error) {
      throw error instanceof ValidationError ? new ValidationError({ [nameField(bound, name)]: error.errors }) : error
    }
  }
  return values
}

// The item has neither the key nor a set of unique values.
function createUnnamedError({ bound, keyField, keyName }: ChildForm, sets: readonly UniqueSet[]): Error {
  const name = keyField === undefined ? nameField(bound, sets[0]!.names[0]!) : keyName
  return new ValidationError({ [name]: invalid('required').errors })
}

function createMissingError(bound: BoundResource, item: unknown, names: readonly string[]): Error {
  const field = nameField(bound, names[0]!)
  const value = names.map(name => shorten(String(findGiven(bound, item, name)), maxEchoLength)).join(', ')
  const fields = names.map(name => nameField(bound, name)).join(', ')
  return new ValidationError({ [field]: invalid('does_not_exist.field', { field: fields, value }).errors })
}

/** The longest part of a value that an error repeats. */
const maxEchoLength = 100
