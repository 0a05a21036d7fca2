// Checks the writable children of a resource once the APIs of the application are known. A mistake is an error at start that
// names the fix.

import { type ChildStorage, type Field, hasInitial } from '../../../fields/field.ts'
import { listUniqueSets } from '../../../fields/relations/child-schema.ts'
import { findStoredField, listChildren, storageColumn } from '../../../fields/storage.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import type { Resource } from '../../declare/resource.ts'
import { createChildForm } from './child-form.ts'
import type { FindChildren } from './read-children.ts'

/** Throws for the first mistake. */
export function checkChildren({ name: resource, fields, actions }: Resource, find: FindChildren): void {
  for (const [name, { readOnly, required }, storage] of listChildren(fields)) {
    if (readOnly) continue
    const isMissing = required && actions.includes('create') && !storage.actions.has('add')
    const problem = isMissing
      ? `a new object of "${resource}" needs it: name 'add', or set nullable: true`
      : findProblem(find(storage.target).bound, storage)
    if (problem !== undefined) throw new Error(`createApi(): field "${name}" of "${resource}": writable: ${problem}`)
  }
}

function findProblem(bound: BoundResource, storage: ChildStorage): string | undefined {
  const { name, fields, key } = bound.resource
  const tenant = bound.resource.filledColumns.create.find(({ fill }) => fill === 'tenant')
  if (tenant !== undefined && tenant.column === storage.reverse)
    return `the column "${tenant.column}" is the tenant of "${name}", which bodies cannot set: remove "writable"`
  const misplaced = storage.position === undefined ? undefined : findPlaceProblem(bound, storage, storage.position)
  if (misplaced !== undefined) return misplaced
  if (storage.actions.has('select') && bound.resource.parentRows !== undefined)
    return `the table of "${name}" extends another one, whose rows bodies cannot select: leave out 'select', or use related()`
  const { keyField } = createChildForm(bound, storage)
  if (storage.actions.has('select') && keyField === undefined && listUniqueSets(storage).length === 0)
    return `bodies select objects by their keys or by unique values: add the field key() of "${name}", or a unique field, to "fields"`
  const isNamed = storage.join === undefined && (storage.actions.has('change') || storage.actions.has('remove'))
  if (storage.isList && isNamed && keyField === undefined)
    return `bodies name the children by their keys: add the field key() of "${name}" to "fields"`
  if (!storage.actions.has('add')) return undefined
  const file = Object.entries(fields).find(([field, declared]) => declared.file && isNeeded(field, declared, storage))
  if (file !== undefined)
    return `a new object of "${name}" needs the file "${file[0]}", which the body of its parent cannot contain: declare the file as nullable, or leave out 'add': writable: ['change', 'remove']`
  const taken = (field: string) => storage.fields.includes(field) && Object.hasOwn(bound.plans.create.takes, field)
  const missing = Object.entries(fields).find(
    ([field, declared]) => isNeeded(field, declared, storage) && !taken(field),
  )?.[0]
  if (missing !== undefined)
    return `a new object of "${name}" needs the field "${missing}": add it to "fields", or give it a default`
  return key.source === 'body' && keyField === undefined
    ? `a new object of "${name}" needs its key: add the field key() to "fields"`
    : undefined
}

function findPlaceProblem(
  { resource }: BoundResource,
  { reverse }: ChildStorage,
  position: string,
): string | undefined {
  const { name, fields, key } = resource
  const advice = 'name an integer column that contains only the place in the list'
  if (position === key.column) return `position: "${position}" is the key of "${name}": ${advice}`
  if (position === reverse) return `position: "${position}" contains the key of the parent: ${advice}`
  const [writer] = findStoredField(fields, position, ({ readOnly }) => !readOnly) ?? []
  return writer === undefined
    ? undefined
    : `position: the field "${writer}" of "${name}" writes "${position}" too: wrap it in readOnly(), or ${advice}`
}

function isNeeded(name: string, field: Field, { reverse }: ChildStorage): boolean {
  const column = storageColumn(name, field)
  if (field.readOnly || (column !== undefined && column === reverse)) return false
  return field.required || (column !== undefined && !hasInitial(field))
}
