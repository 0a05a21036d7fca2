// What a form says of a field. A form knows texts alone: it writes a list as several values of one name, the fields of
// an object as `name.field`, and JSON as text. It says nothing of an unchecked box or an empty list, and writes an empty
// text for no value at all.

import { parseJson } from '../parsers/json.ts'
import type { Field, Fields } from './field.ts'
import { invalid } from './field.ts'

/** No value is given. */
export const absent = Symbol('absent')

/** The value of a field in a form; `absent` where the form says nothing. `partial` forms leave out what stays. */
export function formValue(form: URLSearchParams, name: string, field: Field, partial = false): unknown {
  const all = form.getAll(name)
  const values = field.relation?.many ? all.filter(value => value !== '') : all
  if (field.type === 'list') return all.length === 0 && partial ? absent : listItems(values, field)
  if (values.length === 0) return field.children ? objectValue(form, name, field.children) : absentValue(field, partial)
  return singleValue(values.at(-1)!, field)
}

function absentValue(field: Field, partial: boolean): unknown {
  return field.type === 'boolean' && !partial ? false : absent
}

const listItems = (values: readonly string[], { child }: Field): unknown =>
  child?.type === 'list' || (child && isData(child)) ? values.map(parseText) : values

function objectValue(form: URLSearchParams, name: string, children: Fields): unknown {
  if (![...form.keys()].some(key => key.startsWith(`${name}.`))) return absent
  const entries = Object.entries(children).map(([child, field]) => [child, formValue(form, `${name}.${child}`, field)])
  return Object.fromEntries(entries.filter(([, value]) => value !== absent))
}

function singleValue(value: string, field: Field): unknown {
  const { blank, nullable, required } = field
  if (value === '' && !blank) {
    if (nullable) return null
    if (!required) return absent
  }
  return isData(field) ? parseText(value) : value
}

/** Is it written as JSON text where it has one name? */
const isData = ({ type }: Field): boolean => type === 'json' || type === 'nested object'

function parseText(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw invalid('Value must be valid JSON.')
  }
}
