// Reads the children in the body of their parent. An item without a key is a new child, and an item with the key of a child
// that the caller sees changes it; the children that the list leaves out are removed. An only child needs no key.

import { createGather, type Gather } from '../../../base/gather.ts'
import { isPromise, type MaybePromise } from '../../../base/maybe-promise.ts'
import { timeSlices } from '../../../base/time-slices.ts'
import type { Arguments } from '../../../database/database.ts'
import { ValidationError } from '../../../errors/exceptions.ts'
import { invalid } from '../../../errors/invalid.ts'
import type { ChildStorage, RelationTarget } from '../../../fields/field.ts'
import type { HandlerContext } from '../../../http/context.ts'
import type { KeyValue } from '../../../keys/key.ts'
import { checkObjectPermissions } from '../../../policy/permissions/permission.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import { seenBy } from '../../bind/seen-resource.ts'
import type { ChildLink } from '../../sql/load-many.ts'
import type { ChildrenToRead, ChildrenWrite, ChildrenWriter, ReadChildren } from '../../validate/children.ts'
import type { ReadBody, Validation } from '../../validate/validation.ts'
import { findRepeated } from '../rows/find-repeated.ts'
import { findGroupSize, type ReadRow, readRow } from '../rows/read-row.ts'
import { type RowWriter, readFilters } from '../rows/row-writer.ts'
import { placeError, readEach } from '../rows/settle-each.ts'
import { isBriefWrite, parseSnapshot } from '../write.ts'
import { type ChildForm, type ChildSelection, createChildForm, type Name } from './child-form.ts'
import { countRemoved } from './count-removed.ts'
import { createFamilyInsert } from './insert-family.ts'
import { type MatchedChild, matchChildren, readName } from './match-children.ts'
import { createChildrenWriter, type LoadedChild, type ReadChild, type WrittenChildren } from './save-children.ts'
import { createSelection } from './select-children.ts'

/** The resource of children, and the base URL of its API, if `baseUrl` is the base URL of the parent's. */
export interface FoundChildren {
  readonly bound: BoundResource
  toBaseUrl(baseUrl: string): string
}

/** Finds the resource of children; its API is known when Fastify is ready. */
export type FindChildren = (target: RelationTarget) => FoundChildren

/** The permissions of how many removed children are checked before the event loop may run. */
const removedPerSlice = 100

interface Family {
  readonly form: ChildForm
  readonly writer: ChildrenWriter
}

/** Creates the function for the resources of one API. */
export function createChildrenReader(find: FindChildren): ReadChildren {
  const families = new WeakMap<BoundResource, Map<ChildStorage, Family>>()
  const findFamily = (bound: BoundResource, storage: ChildStorage): Family => {
    const ofResource = families.get(bound) ?? new Map<ChildStorage, Family>()
    families.set(bound, ofResource)
    const found = ofResource.get(storage) ?? createFamily(withSelection(createChildForm(bound, storage)))
    ofResource.set(storage, found)
    return found
  }
  return async given => {
    const storage = given.field.childStorage!
    const { bound, toBaseUrl } = find(storage.target)
    const request = { ...given.request, baseUrl: toBaseUrl(given.request.baseUrl) }
    const { form, writer } = findFamily(seenBy(bound, request), storage)
    const children = await readChildren(form, { ...given, request })
    return { ...children, writer }
  }
}

const withSelection = (form: ChildForm): ChildForm =>
  form.storage.actions.has('select') ? { ...form, selection: createSelection(form) } : form

const createFamily = (form: ChildForm): Family => ({
  form,
  writer: { ...createChildrenWriter(form), insertFamily: createFamilyInsert(form) },
})

async function readChildren(form: ChildForm, given: ChildrenToRead): Promise<Omit<WrittenChildren, 'writer'>> {
  const { isList } = form.storage
  const { items: body, field, name } = given
  const items = isList ? (body as readonly unknown[]) : body === null ? [] : [body]
  given.rows.add(items.length)
  const shared = await readShared(form, given)
  const names = items.map(item => readName(form, item))
  const loaded = await loadChildren(form, shared, { ...given, names })
  try {
    const matched = form.selection === undefined ? matchChildren(form, names, loaded.update) : []
    const kept = new Set(matched.flatMap(child => (child instanceof ValidationError ? [] : (child?.key ?? []))))
    const removed = loaded.destroy.filter(({ key }) => !kept.has(key))
    await countRemoved(form, given, removed)
    await timeSlices.inGroups(removed, removedPerSlice, async group => {
      for (const child of group) await checkPermissions(form, given.request, 'destroy', child)
    })
    // A child to which the parent refers is removed after the new one is added.
    const { column } = form.storage
    const replaced = new Set([...kept, ...(column === undefined ? removed.map(({ key }) => key) : [])])
    const readers = createReaders(form, { ...given, ...shared, replaced })
    const repeated = findRepeatedChanges(form, items, names)
    const children = await readEach(
      items,
      (item, index) => {
        const read = (loaded: MatchedChild) => readChild(form, shared.request, readers, { item, loaded })
        return form.selection === undefined
          ? read(matched[index])
          : selectOr(
              form,
              form.selection,
              { item, name: names[index]!, given, shared, isRepeated: repeated.has(index) },
              read,
            )
      },
      { groupSize: findGroupSize(form.bound, given.id === undefined ? 'create' : 'update') },
    )
    checkRows(form, children)
    const { keyField } = form
    const values = children.map(({ row, key, selected }) => ({
      ...(keyField !== undefined && (key ?? selected) && { [keyField]: (key ?? selected)!.name }),
      ...row.values,
    }))
    return {
      ...shared,
      form,
      field: { name, field },
      column,
      link: createLink(form, given),
      values: isList ? values : (values[0] ?? null),
      children,
      removed,
      loaded,
      isBrief: isBriefWrite(form.bound) && children.every(({ row }) => row.children.every(isBrief)),
      isNew: given.id === undefined,
    }
  } catch (error) {
    // The error of the only child of a field that is not a list has no index.
    if (isList || !(error instanceof ValidationError)) throw error
    throw new ValidationError((error.errors as readonly ValidationError['errors'][])[0])
  }
}

const createLink = ({ storage: { reverse, column } }: ChildForm, { parent }: ChildrenToRead): ChildLink =>
  reverse === undefined ? { parent, column: column! } : { reverse }

const isBrief = (write: ChildrenWrite): boolean => write.isBrief

/** The values that all children of a request share. */
interface Shared extends Pick<RowWriter, 'request' | 'related' | 'filters'> {
  readonly gather: Gather
}

async function readShared({ bound }: ChildForm, { request, gather }: ChildrenToRead): Promise<Shared> {
  const filters = await readFilters(bound, request)
  return { request, filters, related: await bound.related.readValues(request), gather: gather ?? createGather() }
}

/** The children that the caller may change, as far as the body names them, and those that the list removes unless it contains them. */
async function loadChildren(
  form: ChildForm,
  { filters }: Shared,
  given: ChildrenToRead & { readonly names: readonly Name[] },
): Promise<WrittenChildren['loaded']> {
  const { statements, storage } = form
  const { id, connection, names, rows } = given
  if (id === undefined || form.selection !== undefined) return { update: [], destroy: [] }
  const link = createLink(form, given)
  const keys = names.filter(name => name !== null && !(name instanceof ValidationError)) as readonly KeyValue[]
  const load = async (action: 'update' | 'destroy', isListed: boolean, values: Arguments) => {
    const statement = statements.loadChildren(action, link, isListed)
    const found = await connection.run(statement, { ...filters[action], owner: id, ...values })
    return found.map(([key, snapshot, name]): LoadedChild => {
      const { object, values } = parseSnapshot(snapshot)
      return { key, snapshot, name, object, values }
    })
  }
  // If there are more, too many are removed, whichever the body names.
  const limit = Math.min(rows.left() + keys.length + 1, Number.MAX_SAFE_INTEGER)
  const loadListed = () =>
    storage.isList
      ? load('update', true, { keys: statements.formatChildNames(keys) })
      : load('update', false, { limit })
  return {
    // The only child of a field is known without a key, so a body that may only add does not add a second one.
    update: !storage.isList || keys.length > 0 ? await loadListed() : [],
    destroy: storage.actions.has('remove') ? await load('destroy', false, { limit }) : [],
  }
}

interface ChildToRead {
  readonly item: unknown
  readonly loaded: MatchedChild
}

/** Reads the bodies of the children. */
type BodyReaders = Readonly<Record<'create' | 'update', ReadBody>>

// The URL of a child would set its parent.
function createReaders(
  { validate, ownerField, selection }: ChildForm,
  given: ChildrenToRead & Shared & Pick<Required<Validation>, 'replaced'>,
): BodyReaders {
  const { request, related, partial, connection, gather, replaced, id, rows } = given
  const urlValues = ownerField === undefined ? {} : { [ownerField]: id }
  const shared = { request, related, connection, gather, replaced, urlValues, rows }
  return {
    create: validate.create({ ...shared, partial: false }),
    // A selected object keeps the values that the body does not contain.
    update: validate.update({ ...shared, partial: partial || selection !== undefined }),
  }
}

function readChild(
  form: ChildForm,
  request: HandlerContext,
  readers: BodyReaders,
  { item, loaded }: ChildToRead,
): MaybePromise<ReadChild> {
  const { bound, storage } = form
  if (loaded instanceof ValidationError) throw loaded
  if (loaded !== undefined && !storage.actions.has('change')) return { key: loaded, row: keepRow(loaded), isKept: true }
  const readBody = loaded === undefined ? readers.create : readers.update
  const toChild = (row: ReadRow) => ({ key: loaded, row, isKept: false })
  const read = () => readRow(bound, request, readBody, { body: { kind: 'data', data: item }, loaded })
  if (loaded !== undefined) return checkPermissions(form, request, 'update', loaded).then(read).then(toChild)
  const reading = read()
  return isPromise(reading) ? reading.then(toChild) : toChild(reading)
}

interface ItemToSelect {
  readonly item: unknown
  readonly name: Name
  readonly given: ChildrenToRead
  readonly shared: Shared
  /** Whether an item before this one changes the same object. */
  readonly isRepeated: boolean
}

/** An object that exists, which an item with its key and with other values also changes, or a new one. */
async function selectOr(
  form: ChildForm,
  selection: ChildSelection,
  { item, name, given, shared, isRepeated }: ItemToSelect,
  read: (loaded: MatchedChild) => MaybePromise<ReadChild>,
): Promise<ReadChild> {
  if (isRepeated) throw new ValidationError({ [form.keyName]: invalid('repeated').errors })
  const found = await selection.select(item, name, { ...given, gather: shared.gather })
  if (found === undefined) return read(undefined)
  const [key, shown] = found
  const selected = { key, name: shown }
  if (name === null || !isChange(form, item)) return { row: keepRow(), key: undefined, isKept: true, selected }
  return { ...(await read(await loadSelected(form, selected, given, shared))), selected }
}

const isChange = ({ storage: { actions }, selection, changedNames }: ChildForm, item: unknown): boolean =>
  selection !== undefined && actions.has('change') && Object.keys(item as object).some(name => changedNames.has(name))

/** The places of the items that change an object which an item before them changes. */
function findRepeatedChanges(form: ChildForm, items: readonly unknown[], names: readonly Name[]): ReadonlySet<number> {
  const changed = new Set<KeyValue>()
  return new Set(
    names.flatMap((name, index) => {
      if (name === null || name instanceof ValidationError || !isChange(form, items[index])) return []
      if (changed.has(name)) return index
      changed.add(name)
      return []
    }),
  )
}

async function loadSelected(
  { statements, keyName }: ChildForm,
  { key, name }: Pick<LoadedChild, 'key' | 'name'>,
  { connection }: ChildrenToRead,
  { filters }: Shared,
): Promise<LoadedChild> {
  const [row] = await connection.run(statements.load.update, { ...filters.update, keys: statements.formatKeys([key]) })
  if (row === undefined) throw new ValidationError({ [keyName]: invalid('does_not_exist', { value: name }).errors })
  return { key, name, snapshot: row[1], ...parseSnapshot(row[1]) }
}

const keepRow = (loaded?: LoadedChild): ReadRow => ({
  values: {},
  given: {},
  children: [],
  ...(loaded && { loaded }),
})

// Kept children have no values here.
function checkRows({ bound }: ChildForm, children: readonly ReadChild[]): void {
  const repeated = findRepeated(
    bound.resource,
    children.map(({ row }) => row),
  )
  if (repeated !== undefined) throw placeError(children.length, repeated.index, repeated.error)
}

async function checkPermissions(
  { bound }: ChildForm,
  request: HandlerContext,
  action: 'update' | 'destroy',
  { object }: LoadedChild,
): Promise<void> {
  await checkObjectPermissions(request, bound.plans[action].permissions, object)
}
