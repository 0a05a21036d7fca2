// The members of a body that are no fields. A view may refuse them, with an error at each name (`unknownFields`).

import { isObject } from '../base/is-object.ts'
import type { ErrorDetail } from '../errors/exceptions.ts'
import { shorten } from '../errors/invalid.ts'
import { createUnknownNameError } from '../errors/unknown-name.ts'
import type { RequestBody } from '../http/parsers/request-body.ts'
import type { Field, Fields } from './field.ts'
import { listChildFields, placeName, removeName, savedPrefix } from './forms/form-rows.ts'
import { listOnWire } from './wire-names.ts'

/** The errors by name; undefined if there are none. */
export type UnknownErrors = Record<string, readonly ErrorDetail[]>

/** The most unknown names that a response lists, and the longest that it repeats. */
const maxNames = 20
const maxLength = 100

/** Finds the unknown names of a body. `others`: names on the wire that it may contain beside the fields. */
export function findUnknownFields(
  fields: Fields,
  body: RequestBody,
  others: ReadonlySet<string> = none,
): UnknownErrors | undefined {
  if (body.kind === 'data') return isObject(body.data) ? findUnknownMembers(fields, body.data, others) : undefined
  if (body.kind !== 'form') return undefined
  const onWire = listOnWire(fields)
  const names = [...new Set([...body.form.keys(), ...(body.skipped ?? [])])]
  const unknown = names.filter(name => !others.has(name) && !isFormName(name, onWire, others))
  return createErrors(unknown, [...Object.keys(onWire), ...others])
}

/** Finds the unknown members of an object. */
export function findUnknownMembers(
  fields: Fields,
  data: object,
  others: ReadonlySet<string> = none,
): UnknownErrors | undefined {
  const onWire = listOnWire(fields)
  const unknown = Object.keys(data).filter(name => !Object.hasOwn(onWire, name) && !others.has(name))
  return createErrors(unknown, [...Object.keys(onWire), ...others])
}

/** The error at each of the names; undefined if there are none. */
export function createErrors(unknown: readonly string[], known: readonly string[]): UnknownErrors | undefined {
  if (unknown.length === 0) return undefined
  return Object.fromEntries(
    unknown
      .slice(0, maxNames)
      .map(name => [shorten(name, maxLength), [createUnknownNameError('unknown_field', name, known)]]),
  )
}

const none: ReadonlySet<string> = new Set()

// `lines[0]product` and `invoice.number` name fields of children, and `lines[0]_remove` belongs to the forms of pages.
function isFormName(name: string, fields: Fields, others: ReadonlySet<string>): boolean {
  if (Object.hasOwn(fields, name)) return true
  if (name.startsWith(savedPrefix)) return isFormName(name.slice(savedPrefix.length), fields, others)
  const [, around, rest] = /^([^[.]+)(?:\[\d{1,9}\]\.?|\.)(.+)$/.exec(name) ?? []
  if (around === undefined || rest === undefined) return false
  const field = Object.hasOwn(fields, around) ? fields[around]! : undefined
  if (field === undefined) return others.has(around)
  return field.readOnly || rest === removeName || rest === placeName || isFormName(rest, listInner(field), none)
}

const listInner = (field: Field): Fields =>
  field.childStorage ? listChildFields(field) : listOnWire(field.children ?? {})
