// The children of one field, as callers who see the same fields write them.

import type { ChildStorage, Fields } from '../../../fields/field.ts'
import { findStoredField, listChildren } from '../../../fields/storage.ts'
import { nameOnWire } from '../../../fields/wire-names.ts'
import { findPublicIdentifier } from '../../../keys/key.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import { createManyStatements, type ManyStatements } from '../../sql/many.ts'
import { createValidator, type Validator } from '../../validate/validation.ts'

export interface ChildForm {
  readonly bound: BoundResource
  readonly storage: ChildStorage
  readonly statements: ManyStatements
  readonly validate: Readonly<Record<'create' | 'update', Validator>>
  /** The field that stores the key of the parent, if there is one. */
  readonly ownerField: string | undefined
  /** The field with the key, and its name on the wire; undefined if the children show no key. */
  readonly keyField: string | undefined
  readonly keyName: string
  /** The names on the wire of the children's own children that are not written at this level. */
  readonly deeperNames: readonly string[]
}

export function createChildForm(bound: BoundResource, storage: ChildStorage): ChildForm {
  const { resource, plans } = bound
  const { fields, reverse, position } = storage
  const [ownerField] =
    reverse === undefined ? [] : (findStoredField(resource.fields, reverse, ({ readOnly }) => !readOnly) ?? [])
  const keyColumn = findPublicIdentifier(resource.key).column
  const [keyField] =
    Object.entries(resource.fields).find(([name, field]) => fields.includes(name) && field.keyColumn === keyColumn) ??
    []
  const select = (taken: Fields) =>
    Object.fromEntries(Object.entries(taken).filter(([name]) => name === ownerField || fields.includes(name)))
  return {
    bound,
    storage,
    statements: createManyStatements(
      bound,
      [reverse, position].filter(column => column !== undefined),
    ),
    validate: {
      create: createValidator(resource, select(plans.create.takes), bound),
      update: createValidator(resource, select(plans.update.takes), bound),
    },
    ownerField,
    keyField,
    keyName: keyField === undefined ? '' : nameOnWire(keyField, resource.fields[keyField]!),
    deeperNames: listChildren(resource.fields)
      .filter(([name]) => !fields.includes(name))
      .map(([name, field]) => nameOnWire(name, field)),
  }
}
