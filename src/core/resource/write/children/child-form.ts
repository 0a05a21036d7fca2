// The children of one field, as callers who see the same fields write them.

import type { Gather } from '../../../base/gather.ts'
import type { Connection } from '../../../database/database.ts'
import type { ValidationError } from '../../../errors/exceptions.ts'
import type { ChildStorage, Fields } from '../../../fields/field.ts'
import { findStoredField, listChildren } from '../../../fields/storage.ts'
import { nameOnWire } from '../../../fields/wire-names.ts'
import type { HandlerContext } from '../../../http/context.ts'
import { findPublicIdentifier, type KeyValue } from '../../../keys/key.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import type { SelectedRow } from '../../sql/check.ts'
import { createManyStatements, type ManyStatements } from '../../sql/many.ts'
import { createValidator, type Validator } from '../../validate/validation.ts'

/** What an item names: null for no child, or the error of the item. */
export type Name = KeyValue | null | ValidationError

/** The selection of the children of one field. */
export interface ChildSelection {
  /**
   * The object that an item selects; undefined if it is a new one. Rejects with ValidationError. `name`: the key in the item, if there is
   * one.
   */
  select(item: unknown, name: Name, given: SelectionContext): Promise<SelectedRow | undefined>
  /** Makes these the objects of a list, in a transaction. */
  link(connection: Connection, owner: KeyValue, keys: readonly KeyValue[], request: HandlerContext): Promise<void>
}

export interface SelectionContext {
  readonly request: HandlerContext
  readonly connection: Connection
  /** Finds the objects of items that are read at the same time together. */
  readonly gather: Gather
}

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
  /** The names on the wire of the fields that a body changes. */
  readonly changedNames: ReadonlySet<string>
  /** Set if bodies select objects. */
  readonly selection?: ChildSelection
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
    changedNames: new Set(
      Object.entries(select(plans.update.takes)).flatMap(([name, field]) =>
        field.readOnly || field.fixed ? [] : [nameOnWire(name, field)],
      ),
    ),
    deeperNames: listChildren(resource.fields)
      .filter(([name]) => !fields.includes(name))
      .map(([name, field]) => nameOnWire(name, field)),
  }
}
