// Values and errors as the texts that forms show.

import { APIException, type Field, type Fields, formatJson, hasParts, ValidationError } from '#core'
import type { FormValues } from './form-contents.ts'

/** The values of an object as a form shows them. */
export function objectValues(fields: Fields, object: Readonly<Record<string, unknown>>): FormValues {
  return {
    errors: () => [],
    parts(name) {
      const { parts, nullable } = fields[name]!
      // No default of a part may turn null into an object.
      const isNull = nullable && (object[name] ?? null) === null
      return isNull ? { values: () => [''], errors: () => [] } : objectValues(parts!, Object(object[name]))
    },
    values(name) {
      const field = fields[name]!
      const value = Object.hasOwn(object, name) ? toTaken(object[name], field) : undefined
      if (value === undefined || value === null) return []
      const hasSeveral = Array.isArray(value) && (field.relation ?? field.choices ?? field.child?.choices) !== undefined
      return hasSeveral
        ? value.map(toText)
        : [hasParts(field.kind) && !field.choices ? formatJson(value) : toText(value)]
    },
  }
}

/** The values of a field in a form, without the empty inputs of a field with several values. */
export const listValues = (name: string, form: URLSearchParams): readonly string[] => {
  const values = form.getAll(name)
  return values.length > 1 ? values.filter(value => value !== '') : values
}

/** Whether two forms have the same value of a field. */
export function isSameValue(field: Field, mine: readonly string[], theirs: readonly string[]): boolean {
  if (field.kind.isCheckbox) return isTrue(mine[0] ?? '') === isTrue(theirs[0] ?? '')
  const [left, right] = [mine, theirs].map(texts => texts.map(text => text.replaceAll('\r\n', '\n')))
  return sortSelected(field, left!).join('\0') === sortSelected(field, right!).join('\0')
}

/** Whether the text of a checkbox means that it is checked. */
export const isTrue = (value: string): boolean => value === 'true' || value === 'on'

// The checkboxes of a grid have an order of their own.
const sortSelected = ({ choiceGrid }: Field, values: readonly string[]): readonly string[] =>
  choiceGrid ? values.filter(value => value !== '').toSorted() : values

/** The errors of a rejected request, by field. Errors that belong to no field are listed under the empty name. */
export function listErrors(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof ValidationError)) return error instanceof APIException ? { '': error.message } : {}
  const { detail } = error
  return Array.isArray(detail) || typeof detail !== 'object' ? { '': detail } : { ...detail }
}

/** Errors under names without a control, such as `non_field_errors`. */
export const listFormErrors = (fields: Fields, errors: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(errors)
    .filter(([name]) => name !== '' && (fields[name] === undefined || fields[name].readOnly))
    .flatMap(([name, messages]) => toLines(isFormError(name) ? messages : { [name]: messages }))

const isFormError = (name: string): boolean => name === 'detail' || name === 'non_field_errors'

// A relation can show objects and take their keys.
function toTaken(value: unknown, field: Field): unknown {
  if (field.relation === undefined) return value
  if (Array.isArray(value)) return value.map(item => toTaken(item, field))
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[field.relation.findValueField()]
    : value
}

const toText = (value: unknown): string => (typeof value === 'object' ? formatJson(value) : String(value))

/** Flattens nested errors to lines such as `address: city: This field is required.` */
export function toLines(errors: unknown): readonly string[] {
  if (errors === undefined || errors === null) return []
  if (typeof errors !== 'object') return [String(errors)]
  if (Array.isArray(errors)) return errors.flatMap(toLines)
  return Object.entries(errors).flatMap(([key, nested]) => toLines(nested).map(line => `${key}: ${line}`))
}
