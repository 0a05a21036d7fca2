// Finds the child that each item of a body names, among the children that the caller may change.

import { isObject } from '../../../base/is-object.ts'
import { ValidationError } from '../../../errors/exceptions.ts'
import { formatTypeName, invalid } from '../../../errors/invalid.ts'
import type { Values } from '../../../fields/declared-fields.ts'
import type { ChildStorage } from '../../../fields/field.ts'
import { findPublicIdentifier, type KeyValue, takesKey } from '../../../keys/key.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import type { ChildForm, Name } from './child-form.ts'
import type { LoadedChild } from './save-children.ts'

export function readName(form: ChildForm, item: unknown): Name {
  try {
    const { bound, keyName, deeperNames } = form
    if (!isObject(item)) throw invalid('invalid.object', { type: formatTypeName(item) })
    const deeper = deeperNames.find(name => Object.hasOwn(item, name))
    if (deeper !== undefined) throw new ValidationError({ [deeper]: invalid('nested_level').errors })
    const given = findGivenKey(form, item)
    return given === null ? null : readKey(bound, keyName, given)
  } catch (error) {
    if (error instanceof ValidationError) return error
    throw error
  }
}

/** The child that an item changes: undefined for a new one, or the error of the item. */
export type MatchedChild = LoadedChild | undefined | ValidationError

export function matchChildren(
  form: ChildForm,
  names: readonly Name[],
  loaded: readonly LoadedChild[],
): readonly MatchedChild[] {
  const byName = new Map(loaded.map(child => [child.name, child]))
  const seen = new Set<LoadedChild>()
  return names.map(name => {
    if (name instanceof ValidationError) return name
    try {
      const found = name === null ? findUnnamed(form, loaded) : findNamed(form, name, byName)
      if (found === undefined) return undefined
      if (seen.has(found)) return new ValidationError({ [form.keyName]: invalid('repeated').errors })
      seen.add(found)
      return found
    } catch (error) {
      if (error instanceof ValidationError) return error
      throw error
    }
  })
}

function findUnnamed({ storage, keyName }: ChildForm, loaded: readonly LoadedChild[]): LoadedChild | undefined {
  if (!storage.isList) return findOnly(storage, loaded)
  if (storage.actions.has('add')) return undefined
  throw new ValidationError({ [keyName]: invalid('required').errors })
}

function findNamed(
  { bound, storage, keyName }: ChildForm,
  name: KeyValue,
  byName: ReadonlyMap<KeyValue, LoadedChild>,
): LoadedChild | undefined {
  const found = byName.get(name)
  if (found !== undefined) return found
  // A key that is new is that of a new child. A child that refers to its parent leaves no room for a second one.
  const hasRoom = storage.isList || storage.column !== undefined || byName.size === 0
  if (takesKey(bound.resource.key) && storage.actions.has('add') && hasRoom) return undefined
  throw new ValidationError({ [keyName]: invalid('does_not_exist', { value: name }).errors })
}

// A new object takes the place of the one to which the parent refers, if bodies only add.
function findOnly({ column, actions }: ChildStorage, [only]: readonly LoadedChild[]): LoadedChild | undefined {
  const isReplaced = column !== undefined && actions.has('add') && !actions.has('change')
  if (only !== undefined && !isReplaced) return only
  if (actions.has('add')) return undefined
  throw invalid('nothing_to_change')
}

// Null if the item names no child.
const findGivenKey = ({ keyField, keyName }: ChildForm, item: Values): unknown =>
  keyField !== undefined && Object.hasOwn(item, keyName) ? (item as Readonly<Record<string, unknown>>)[keyName] : null

function readKey({ resource: { key } }: BoundResource, keyName: string, given: unknown): KeyValue {
  try {
    return findPublicIdentifier(key).read(given)
  } catch (error) {
    throw error instanceof ValidationError ? new ValidationError({ [keyName]: error.errors }) : error
  }
}
