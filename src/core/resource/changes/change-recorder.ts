// Records the changes that the writes of a resource make: it reads the objects before and after a write, in its transaction.

import { formatJson, parseIntegers } from '../../base/exact-json.ts'
import { runPortions, timeSlices } from '../../base/time-slices.ts'
import type { Connection, Database } from '../../database/database.ts'
import { findTransaction } from '../../database/transaction.ts'
import type { Values } from '../../fields/declared-fields.ts'
import type { Field } from '../../fields/field.ts'
import type { HandlerContext } from '../../http/context.ts'
import type { StoredFile } from '../../http/files/stored-file.ts'
import type { KeyValue } from '../../keys/key.ts'
import { markRecorded } from '../../view/observers.ts'
import type { View } from '../../view/view.ts'
import type { ChangedValue, ObjectChange, RecordChanges } from '../declare/object-change.ts'
import type { Resource } from '../declare/resource.ts'
import { isMissing } from '../names/missing-request.ts'
import { formatKeyList } from '../sql/key-list.ts'
import { compileStates, listRecordedFields } from './recorded-fields.ts'

/** How many changes are described before the event loop may run. */
const rowsPerSlice = 100

/** The states of objects, by their keys. */
export type ObjectsBefore = ReadonlyMap<KeyValue, Values>

/** A write that has run. */
export interface FinishedWrite {
  readonly action: ObjectChange['action']
  readonly keys: readonly KeyValue[]
  /** The result of `read` before the write; undefined for new objects. */
  readonly before?: ObjectsBefore
  /** The values of the body of each object: its write-only fields are recorded as changed, without their values. */
  readonly bodies?: ReadonlyMap<KeyValue, Values>
  /** True: unchanged objects are left out. */
  readonly onlyChanged?: boolean
}

export interface ChangeRecorder extends Required<Pick<RecordChanges, 'isBrief'>> {
  /** Reads objects before a write. */
  read(connection: Connection, keys: readonly KeyValue[]): Promise<ObjectsBefore>
  record(context: HandlerContext, connection: Connection, write: FinishedWrite): Promise<void>
}

/** Creates the recorder of a resource; undefined if its changes are not recorded. */
export function createChangeRecorder(
  database: Database,
  resource: Resource,
  recordChanges: RecordChanges | undefined,
): ChangeRecorder | undefined {
  if (recordChanges === undefined || resource.auditEvent === null) return undefined
  const statement = compileStates(database, resource)
  const describe = createDescriber(resource)
  const read = async (connection: Connection, keys: readonly KeyValue[]) => {
    const rows = await runPortions(keys, portion =>
      connection.run(statement, { keys: formatKeyList(database.dialect, resource.key, portion) }),
    )
    const states = new Map<KeyValue, Values>()
    await timeSlices.inGroups(rows, rowsPerSlice, group => {
      for (const [key, state] of group) states.set(key, parseIntegers(state) as Values)
    })
    return states
  }
  return {
    isBrief: recordChanges.isBrief ?? false,
    read,
    async record(context, connection, write) {
      const { action, keys, before } = write
      const after = action === 'destroy' ? undefined : await read(connection, keys)
      const written = [...(after ?? before ?? new Map<KeyValue, Values>()).keys()]
      const changes: ObjectChange[] = []
      const room = Math.max(maxChangeLength, Math.min(maxOldLength, Math.floor(maxOldTogether / written.length)))
      await timeSlices.inGroups(written, rowsPerSlice, group => {
        for (const key of group) {
          const change = describe(key, write, { before: before?.get(key), after: after?.get(key), room })
          if (!write.onlyChanged || Object.keys(change.values).length > 0) changes.push(change)
        }
      })
      if (changes.length === 0) return
      await recordChanges({ ...describeRequest(context), connection, changes })
      if (context.calledPath === undefined)
        findTransaction(database, connection)!.onCommit(() => markRecorded(context.request))
    },
  }
}

function describeRequest({ user, request, view, method, calledPath }: HandlerContext) {
  return {
    user,
    request: isMissing(request) ? undefined : request,
    method: calledPath === undefined ? request.method : method,
    path: calledPath ?? request.url.split('?', 1)[0]!,
    // Handlers know only a part of their view.
    auditEvent: (view as View).auditEvent,
  }
}

type Describe = (key: KeyValue, write: FinishedWrite, states: ObjectStates) => ObjectChange

function createDescriber(resource: Resource): Describe {
  const { name, table, fields, objectName } = resource
  const recorded = listRecordedFields(resource)
  const files = Object.keys(fields).filter(field => fields[field]!.file !== undefined)
  const showFiles = (state: Values | undefined) => state && { ...state, ...nameFiles(state, files) }
  const hide = ([field, value]: readonly [string, ChangedValue]) => [field, recorded.has(field) ? value : {}]
  return (key, { action, bodies }, { before, after, room }) => {
    const values = compareStates({ before: showFiles(before), after: showFiles(after), room })
    return {
      resource: name,
      table,
      key,
      action,
      objectName: objectName !== undefined && recorded.has(objectName) ? findName(after ?? before, objectName) : null,
      values: {
        ...Object.fromEntries(Object.entries(values).map(hide)),
        ...Object.fromEntries(listHidden(fields, bodies?.get(key) ?? {}, before).map(field => [field, {}])),
      },
    }
  }
}

const nameFiles = (state: Values, files: readonly string[]): Values =>
  Object.fromEntries(files.map(field => [field, (state[field] as StoredFile | null | undefined)?.name ?? null]))

function findName(state: Values | undefined, objectName: string): string | null {
  const name = state?.[objectName]
  return name === undefined || name === null ? null : String(name)
}

// The write-only fields that a body sets. Null for a new object sets nothing.
const listHidden = (
  fields: Readonly<Record<string, Field>>,
  body: Values,
  before: Values | undefined,
): readonly string[] =>
  Object.keys(fields).filter(
    name =>
      fields[name]!.writeOnly && (before === undefined ? (body[name] ?? null) !== null : body[name] !== undefined),
  )

/** The maximum length of a recorded new value, in UTF-16 code units of its text or its JSON; a longer one is cut to it. */
const maxValueLength = 500
/** The maximum length of all recorded values of an object, apart from old ones; the values beyond it are left out. */
const maxChangeLength = 20_000
/** The maximum length of the old values of an object, which are whole up to it, so that they can be restored. */
const maxOldLength = 400_000
/** The maximum length of the old values of all objects of a write, of which each object has the same part. */
const maxOldTogether = 20_000_000

/** The states of an object; `before` is undefined for a new one, `after` for a deleted one. */
interface ObjectStates {
  readonly before: Values | undefined
  readonly after: Values | undefined
  /** The length of the old values that may be recorded. */
  readonly room: number
}

type Side = 'old' | 'new'
type Sides = { readonly [Name in Side]?: unknown }

// The fields that differ, with their values: all fields of a new or deleted object.
function compareStates({ before, after, room }: ObjectStates): Readonly<Record<string, ChangedValue>> {
  const [old, changed] = [before, after] as readonly (Readonly<Record<string, unknown>> | undefined)[]
  const values: Record<string, ChangedValue> = {}
  let [length, oldLength] = [0, 0]
  for (const name of Object.keys(changed ?? old ?? {})) {
    const sides: Sides = { ...(old && { old: old[name] }), ...(changed && { new: changed[name] }) }
    if (old && changed && formatJson(sides.old) === formatJson(sides.new)) continue
    const value = shorten(sides, room - oldLength)
    const whole = value.old === undefined ? 0 : formatJson(value.old).length
    const added = formatJson(value).length - whole
    const hasRoom = length + added <= maxChangeLength && (whole <= maxValueLength || oldLength + whole <= room)
    values[name] = hasRoom ? value : { cut: Object.keys(sides) as Side[] }
    length += added
    oldLength += whole
  }
  return values
}

function shorten(sides: Sides, room: number): ChangedValue {
  const cut: Side[] = []
  const shortened = Object.entries(sides).map(([side, value]) => {
    const text = typeof value === 'string' ? value : formatJson(value)
    if (text.length <= maxValueLength || (side === 'old' && text.length <= room)) return [side, value]
    cut.push(side as Side)
    // The cut may separate the halves of a surrogate pair.
    return [side, text.slice(0, maxValueLength).toWellFormed()]
  })
  return { ...Object.fromEntries(shortened), ...(cut.length > 0 && { cut }) }
}
