// Writes children in the transaction of their parent: removes, changes and adds them, in this order, so that a new child may
// have the unique values of a removed one. A child to which its parent refers is removed last, when the parent refers to another.

import { timeSlices } from '../../../base/time-slices.ts'
import type { Connection } from '../../../database/database.ts'
import { ValidationError } from '../../../errors/exceptions.ts'
import type { Field } from '../../../fields/field.ts'
import { nameOnWire } from '../../../fields/wire-names.ts'
import type { KeyValue } from '../../../keys/key.ts'
import type { PermissionObject } from '../../../policy/permissions/permission.ts'
import type { ChildLink } from '../../sql/load-many.ts'
import type {
  ChildrenWrite,
  ChildrenWriter,
  OwnedWrite,
  Place,
  ReferredWrite,
  WriteOptions,
} from '../../validate/children.ts'
import { settleFiles } from '../file-writes.ts'
import { insertRows } from '../rows/insert-rows.ts'
import type { LoadedObject, ReadRow } from '../rows/read-row.ts'
import { type RowToRemove, removeRows } from '../rows/remove-rows.ts'
import { lockRows, type RowToWrite, type RowWriter, toFileChange } from '../rows/row-writer.ts'
import { placeError } from '../rows/settle-each.ts'
import { updateRows } from '../rows/update-rows.ts'
import { StaleObject } from '../write.ts'
import type { ChildForm } from './child-form.ts'

/** For how many parents children are written before the event loop may run. */
const parentsPerSlice = 4

/** A child that exists. */
export interface LoadedChild extends LoadedObject {
  /** The value that bodies contain instead of the key. */
  readonly name: KeyValue
  readonly object: PermissionObject
}

/** A child in a body. */
export interface ReadChild {
  readonly row: ReadRow
  /** The child that exists; undefined for a new one. */
  readonly key: LoadedChild | undefined
  /** True: its values stay. */
  readonly isKept: boolean
  /** The object that the body selects. */
  readonly selected?: Pick<LoadedChild, 'key' | 'name'>
}

/** The children of one parent, in the order of its body. */
export interface WrittenChildren extends ChildrenWrite, Pick<RowWriter, 'request' | 'related' | 'filters'> {
  readonly form: ChildForm
  readonly field: { readonly name: string; readonly field: Field }
  readonly link: ChildLink
  readonly children: readonly ReadChild[]
  readonly removed: readonly LoadedChild[]
  /** Whether the parent is new, and so has no other children. */
  readonly isNew: boolean
  /** The children that existed when the body was read. */
  readonly loaded: Readonly<Record<'update' | 'destroy', readonly LoadedChild[]>>
}

export const createChildrenWriter = (form: ChildForm): Omit<ChildrenWriter, 'insertFamily'> => ({
  save: (connection, writes, options) => (form.storage.join ? saveLinks : saveAll)(form, connection, writes, options),
  saveReferred: (connection, writes, options) => saveReferred(form, connection, writes, options),
  removeReplaced: (connection, writes, options) => removeReplaced(form, connection, writes, options),
})

async function saveAll(
  form: ChildForm,
  connection: Connection,
  writes: readonly OwnedWrite[],
  options: WriteOptions,
): Promise<void> {
  const added: RowToWrite[] = []
  const writer = createWriter(form, writes[0]!)
  await timeSlices.inGroups(writes, parentsPerSlice, async group => {
    for (const owned of group) {
      await lockChildren(form, connection, owned)
      await removeChildren(writer, connection, placeRemoved(owned), options)
      const rows = listRows(form, owned)
      const isChanged = ({ row }: RowToWrite) => row.loaded !== undefined
      await changeChildren(writer, connection, rows.filter(isChanged), options)
      for (const row of rows) if (!isChanged(row)) added.push(row)
    }
  })
  if (added.length > 0) await insertRows(writer, connection, added, options)
}

// New objects are inserted, and then the lists of all parents refer to them and to the selected ones.
async function saveLinks(
  form: ChildForm,
  connection: Connection,
  writes: readonly OwnedWrite[],
  options: WriteOptions,
): Promise<void> {
  const writer = createWriter(form, writes[0]!)
  const rows = writes.flatMap(owned => listRows(form, owned))
  const changed = rows.filter(({ row }) => row.loaded !== undefined)
  const added = rows.filter(({ row }) => row.loaded === undefined)
  await changeSelected(writer, connection, changed, options)
  const inserted = (added.length > 0 ? await insertRows(writer, connection, added, options) : []).values()
  for (const { owner, write } of writes) {
    const { children } = write as WrittenChildren
    const keys = children.map(({ selected }) => selected?.key ?? inserted.next().value![0])
    await form.selection!.link(connection, owner, keys, writer.request)
  }
}

// Several parents may change one object, each after the other.
async function changeSelected(...[writer, connection, rows, options]: Parameters<typeof updateRows>): Promise<void> {
  const loaded = new Map(rows.map(({ row }) => [row.loaded!.key, row.loaded!]))
  await lockRows(writer, connection, 'update', [...loaded.values()])
  for (const group of loaded.size < rows.length ? rows.map(row => [row]) : [rows])
    await changeChildren(writer, connection, group, options)
}

async function changeChildren(...[writer, connection, rows, options]: Parameters<typeof updateRows>): Promise<void> {
  await updateRows(writer, connection, rows, options)
  await settleFiles(writer.bound, writer.request, rows.map(toFileChange))
}

async function removeChildren(...[writer, connection, rows, options]: Parameters<typeof removeRows>): Promise<void> {
  await removeRows(writer, connection, rows, options)
  const changes = rows.map(({ object }) => ({ before: object.values }))
  await settleFiles(writer.bound, writer.request, changes)
}

function createWriter({ bound, statements }: ChildForm, { write }: Pick<OwnedWrite, 'write'>): RowWriter {
  const { request, related, filters } = write as WrittenChildren
  return { bound, request, statements, related, filters }
}

async function saveReferred(
  form: ChildForm,
  connection: Connection,
  writes: readonly ReferredWrite[],
  options: WriteOptions,
): Promise<readonly (KeyValue | null | undefined)[]> {
  const writer = createWriter(form, writes[0]!)
  // Several parents may refer to one child, so all are compared with what was read before the first change.
  for (const owned of writes) await lockChildren(form, connection, owned)
  const rows = writes.map(owned => listRows(form, owned)[0])
  const [changed, added]: [RowToWrite[], RowToWrite[]] = [[], []]
  for (const row of rows) if (row !== undefined) (row.row.loaded === undefined ? added : changed).push(row)
  await changeSelected(writer, connection, changed, options)
  const inserted = added.length > 0 ? await insertRows(writer, connection, added, options) : []
  return writes.map(({ write }, index) => {
    const row = rows[index]
    if (row !== undefined && row.row.loaded === undefined) return inserted[added.indexOf(row)]![0]
    const [only] = (write as WrittenChildren).children
    return only === undefined ? null : only.selected?.key
  })
}

async function removeReplaced(
  form: ChildForm,
  connection: Connection,
  writes: readonly ReferredWrite[],
  options: WriteOptions,
): Promise<void> {
  await removeChildren(createWriter(form, writes[0]!), connection, writes.flatMap(placeRemoved), options)
}

// The children must still be those that were read: the list says which of them stay.
async function lockChildren(
  { statements, storage, selection }: ChildForm,
  connection: Connection,
  { owner, write }: ReferredWrite,
): Promise<void> {
  const { loaded, filters, children, isNew, link } = write as WrittenChildren
  if (isNew || owner === undefined || selection !== undefined) return
  const isUpdated = !storage.isList || children.some(({ key }) => key !== undefined)
  for (const action of ['update', 'destroy'] as const) {
    if (action === 'update' ? !isUpdated : !storage.actions.has('remove')) continue
    const expected = loaded[action]
    const isListed = action === 'update' && storage.isList
    const rows = await connection.run(statements.lockChildren(action, link, isListed), {
      ...filters[action],
      owner,
      // One more shows that others were added.
      ...(isListed
        ? { keys: statements.formatChildNames(expected.map(({ name }) => name)) }
        : { limit: expected.length + 1 }),
    })
    const snapshots = new Map(rows.map(([key, snapshot]) => [key, snapshot]))
    const isSame = ({ key, snapshot }: LoadedChild) => snapshots.get(key) === snapshot
    if (rows.length !== expected.length || !expected.every(isSame)) throw new StaleObject()
  }
}

// A removed child is not in the list, so its errors are those of the field.
function placeRemoved({ write, place }: ReferredWrite): readonly RowToRemove[] {
  const { removed, field } = write as WrittenChildren
  const placeRow: Place = error => place(error instanceof ValidationError ? placeInField(field, error) : error)
  return removed.map(object => ({ object, place: placeRow }))
}

const placeInField = ({ name, field }: WrittenChildren['field'], { errors }: ValidationError): ValidationError =>
  new ValidationError({ [nameOnWire(name, field)]: errors })

function listRows({ storage, ownerField }: ChildForm, { owner, write, place }: ReferredWrite): readonly RowToWrite[] {
  const { children, field } = write as WrittenChildren
  const { reverse, position, isList } = storage
  return children.flatMap(({ row, key, isKept, selected }, index) => {
    if (isKept && (selected !== undefined || position === undefined)) return []
    return {
      row: key === undefined && ownerField !== undefined ? addOwner(row, ownerField, owner!) : row,
      columns: {
        ...(key === undefined && reverse !== undefined && { [reverse]: owner! }),
        ...(position !== undefined && { [position]: index }),
      },
      place(error) {
        if (!(error instanceof ValidationError)) return place(error)
        const placed = isList ? placeError(children.length, index, error) : error
        return place(placeInField(field, placed))
      },
    }
  })
}

// The hooks inside the transaction know the parent, which may be new.
const addOwner = (row: ReadRow, ownerField: string, owner: KeyValue): ReadRow => ({
  ...row,
  values: { ...row.values, [ownerField]: owner },
  context: row.context && { ...row.context, values: { ...row.context.values, [ownerField]: owner } },
})
