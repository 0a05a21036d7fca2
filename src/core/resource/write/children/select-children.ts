// Objects that bodies select instead of writing them: by key, or by the values of unique fields. An object that the caller does not see
// does not exist, as for relations.

import { isObject } from '../../../base/is-object.ts'
import type { Arguments, SqlValue, Statement } from '../../../database/database.ts'
import { ValidationError } from '../../../errors/exceptions.ts'
import { invalid, shorten } from '../../../errors/invalid.ts'
import { listUniqueSets } from '../../../fields/relations/child-schema.ts'
import { storageColumn, toStoredValue } from '../../../fields/storage.ts'
import { nameOnWire } from '../../../fields/wire-names.ts'
import type { HandlerContext } from '../../../http/context.ts'
import { findPublicIdentifier } from '../../../keys/key.ts'
import { createRowCondition, type RowFilter, readFilterValuesForGet } from '../../../policy/permissions/row-filter.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import { compileSelection, type SelectedRow } from '../../sql/check.ts'
import { compileLinks, hiddenRowAlias, type RelationRows } from '../../sql/write.ts'
import type { ChildForm, ChildSelection, SelectionContext } from './child-form.ts'

/** A set of fields whose values name one object. */
interface UniqueSet {
  readonly names: readonly string[]
  readonly statement: Statement<SelectedRow>
}

export function createSelection(form: ChildForm): ChildSelection {
  const { bound, storage, keyName } = form
  const { database, resource, api } = bound
  const filter = api.findRowFilter(resource)
  const identifier = findPublicIdentifier(resource.key)
  const byKey = compileSelection(database, resource, [identifier.column], filter)
  const sets: readonly UniqueSet[] = listUniqueSets(storage).map(names => {
    const columns = names.map(name => storageColumn(name, resource.fields[name]!)!)
    return { names, statement: compileSelection(database, resource, columns, filter) }
  })
  const find = async (
    statement: Statement<SelectedRow>,
    values: Arguments,
    { request, connection }: SelectionContext,
  ) => connection.first(statement, { ...values, ...(await readFilterValuesForGet(filter, request)) })
  return {
    async select(item, name, given) {
      if (name instanceof ValidationError) throw name
      const isNew = storage.actions.has('add')
      if (name !== null) {
        const found = await find(byKey, { [identifier.column]: name }, given)
        if (found !== undefined || (isNew && resource.key.source === 'body')) return found
        throw new ValidationError({ [keyName]: invalid('does_not_exist', { value: name }).errors })
      }
      const set = sets.find(({ names }) => names.every(field => findGiven(bound, item, field) != null))
      const found = set && (await find(set.statement, await readUnique(bound, item, set.names, given.request), given))
      if (found !== undefined || isNew) return found
      throw set === undefined ? createUnnamedError(form, sets) : createMissingError(bound, item, set.names)
    },
    link: createLinker(form, filter),
  }
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
): Promise<Arguments> {
  const context = bound.api.createParseContext(request.baseUrl)
  const values: Record<string, SqlValue> = {}
  for (const name of names) {
    const field = bound.resource.fields[name]!
    try {
      values[storageColumn(name, field)!] = toStoredValue(
        field,
        await field.parse(findGiven(bound, item, name), context),
      )
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
