// Compares two states of an object, and shortens the values that are recorded.

import { formatJson } from '../../base/exact-json.ts'
import type { Values } from '../../fields/declared-fields.ts'
import type { ChangedValue } from '../declare/object-change.ts'

/** The maximum length of a recorded value, in UTF-16 code units of its text or its JSON; a longer one is cut to it. */
const maxValueLength = 500
/** The maximum length of all recorded values of an object; the values beyond it are left out. */
const maxChangeLength = 20_000

/** The states of an object; `before` is undefined for a new one, `after` for a deleted one. */
export interface ObjectStates {
  readonly before: Values | undefined
  readonly after: Values | undefined
}

type Side = 'old' | 'new'
type Sides = { readonly [Name in Side]?: unknown }

/** The fields that differ, with their values: all fields of a new or deleted object. */
export function compareStates({ before, after }: ObjectStates): Readonly<Record<string, ChangedValue>> {
  const [old, changed] = [before, after] as readonly (Readonly<Record<string, unknown>> | undefined)[]
  const values: Record<string, ChangedValue> = {}
  let length = 0
  for (const name of Object.keys(changed ?? old ?? {})) {
    const sides: Sides = { ...(old && { old: old[name] }), ...(changed && { new: changed[name] }) }
    if (old && changed && formatJson(sides.old) === formatJson(sides.new)) continue
    const value = shorten(sides)
    const added = formatJson(value).length
    values[name] = length + added > maxChangeLength ? { cut: Object.keys(sides) as Side[] } : value
    length += added
  }
  return values
}

function shorten(sides: Sides): ChangedValue {
  const cut: Side[] = []
  const shortened = Object.entries(sides).map(([side, value]) => {
    const text = typeof value === 'string' ? value : formatJson(value)
    if (text.length <= maxValueLength) return [side, value]
    cut.push(side as Side)
    // The cut may separate the halves of a surrogate pair.
    return [side, text.slice(0, maxValueLength).toWellFormed()]
  })
  return { ...Object.fromEntries(shortened), ...(cut.length > 0 && { cut }) }
}
