// The old values of a change, as the form of its object would send them.

import { type Field, type Fields, findFile, listVisibleFields, type RequestContext, type View } from '#core'
import type { ChangedValue } from '../object/history-changes.ts'
import { objectValues } from '../values/value-texts.ts'
import type { LoggedChange } from './read-changes.ts'

/** What of a change can be taken back. */
export interface OldValues {
  /** The fields that get their old values. */
  readonly fields: Fields
  /** Their values in the form of a page. */
  readonly form: URLSearchParams
  /** The names of the changed fields that keep their new values. */
  readonly kept: readonly string[]
}

/** Finds the old values. `method`: `PATCH` to change the object back, `POST` to create it again. */
export async function findOldValues(
  { changes }: LoggedChange,
  view: View,
  method: 'PATCH' | 'POST',
  context: RequestContext,
): Promise<OldValues> {
  const all = listVisibleFields(view.forms[method]?.fields ?? {}, context)
  const names = Object.keys(changes).filter(name => isWritable(all[name], method) && isWhole(changes[name]!))
  const fields = Object.fromEntries(names.map(name => [name, all[name]!]))
  const entries = await Promise.all(
    names.map(async name => [name, await toTaken(fields[name]!, changes[name]!.old, view, context)] as const),
  )
  return {
    fields,
    form: formatForm(fields, Object.fromEntries(entries)),
    kept: Object.keys(changes).filter(name => !names.includes(name)),
  }
}

// Values that the log does not have: files, secrets, and objects with rows of their own, whose changes are separate.
const isWritable = (field: Field | undefined, method: string): boolean =>
  field !== undefined &&
  !field.readOnly &&
  !field.writeOnly &&
  !(field.fixed && method === 'PATCH') &&
  field.childStorage === undefined &&
  findFile(field) === undefined

const isWhole = (value: ChangedValue & { readonly cut?: readonly string[] }): boolean =>
  Object.hasOwn(value, 'old') && !value.cut?.includes('old')

// The log has the keys of related objects. A key without an object stays, and the error says that it is gone.
async function toTaken(field: Field, value: unknown, view: View, context: RequestContext): Promise<unknown> {
  if (field.relation === undefined || value === null) return value
  const keys = [value].flat().map(String)
  const options = await view.findRelatedOptions(field, { keys, limit: keys.length }, context)
  const values = options?.length === keys.length ? options.map(option => option.value) : keys
  return Array.isArray(value) ? values : values[0]
}

function formatForm(fields: Fields, object: Readonly<Record<string, unknown>>): URLSearchParams {
  const { values, parts } = objectValues(fields, object)
  const form = new URLSearchParams()
  const append = (name: string, texts: readonly string[]) => {
    for (const text of texts.length === 0 ? [''] : texts) form.append(name, text)
  }
  for (const [name, field] of Object.entries(fields)) {
    if (field.parts === undefined) append(name, values(name))
    else for (const part of Object.keys(field.parts)) append(`${name}.${part}`, parts!(name).values(part))
  }
  return form
}
