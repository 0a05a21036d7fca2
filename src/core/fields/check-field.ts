// Checks one field's declaration at start: contradictory bounds, and a default that the field rejects.

import type { MaybePromise } from '../base/maybe-promise.ts'
import { ValidationError } from '../errors/exceptions.ts'
import { shorten } from '../errors/invalid.ts'
import { checkTexts } from '../http/languages/check-messages.ts'
import type { Key } from '../keys/key.ts'
import { frameworkMessages } from '../messages/english.ts'
import { emptyContext, type Field } from './field.ts'

/** Throws if the field or a child field has a minimum above its maximum, or a length that is not a whole number. */
export function checkBounds({ bounds, child, children }: Field): void {
  for (const kind of ['value', 'length'] as const) {
    const [min, max] = [bounds[`min_${kind}`], bounds[`max_${kind}`]]
    if (min !== undefined && max !== undefined && min > max)
      throw new Error(`the minimum ${min} exceeds the maximum ${max}: swap them, or set both explicitly`)
    if (kind === 'length' && [min, max].some(bound => bound !== undefined && !isLength(bound)))
      throw new Error('lengths must be whole numbers, 0 or greater')
  }
  for (const part of listChildren({ child, children })) checkBounds(part)
}

/** Throws if the field or a child field replaces a message that does not exist. */
export function checkFieldMessages({ messages, child, children }: Field): void {
  if (messages !== undefined)
    checkTexts(
      'messages',
      messages,
      frameworkMessages.texts,
      'docs/languages.md in the package resource-api lists the messages',
    )
  for (const part of listChildren({ child, children })) checkFieldMessages(part)
}

const isLength = (bound: number): boolean => Number.isSafeInteger(bound) && bound >= 0

/**
 * Throws if the field or one of its child fields rejects its own default. If a field parses asynchronously, returns a
 * promise that rejects instead. Defaults in Zod schemas are checked by `checkSchemaDefault`.
 */
export function checkDefault(field: Field): MaybePromise<void> {
  const pending = [...listChildren(field).map(checkDefault), checkOwnDefault(field)].filter(
    result => result !== undefined,
  )
  return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined)
}

const listChildren = ({ child, children }: { child?: Field | undefined; children?: Field['children'] | undefined }) => [
  ...(child === undefined ? [] : [child]),
  ...Object.values(children ?? {}),
]

function checkOwnDefault(field: Field): MaybePromise<void> {
  const { default: defaultValue, nullable, relation, parsesNullish, readOnly } = field
  if (defaultValue === undefined || parsesNullish || readOnly || (defaultValue === null && nullable)) return undefined
  // The API checks the default once it has found the related resource.
  if (field.targetName !== undefined) return undefined
  // A relation's default is a key, but `parse` may expect another form, such as a URL.
  if (relation !== undefined) return checkKeys(defaultValue, relation.target.key, relation.many)
  try {
    const result: unknown = field.parse(defaultValue, emptyContext)
    return result instanceof Promise ? result.then(() => undefined, rejectDefault(defaultValue)) : undefined
  } catch (error) {
    return rejectDefault(defaultValue)(error)
  }
}

/** Throws if the default of a relation is not a key, or not a list of keys. */
export function checkKeys(defaultValue: unknown, key: Pick<Key, 'parse'>, many: boolean): undefined {
  const keys = Array.isArray(defaultValue) ? defaultValue : [defaultValue]
  if (Array.isArray(defaultValue) !== many || keys.some(value => key.parse(String(value)) !== value))
    throw new Error(`the default ${formatValue(defaultValue)} must be ${many ? 'a list of keys' : 'a key'}`)
}

const rejectDefault =
  (defaultValue: unknown) =>
  (error: unknown): never => {
    if (error instanceof ValidationError) throw createDefaultError(defaultValue, error.detail)
    throw error
  }

/** Creates the error for a default, with the field's error messages. */
export const createDefaultError = (defaultValue: unknown, reason: unknown): Error =>
  new Error(`the default ${formatValue(defaultValue)} is rejected by its own field: ${formatReason(reason)}`)

const formatReason = (reason: unknown): string =>
  Array.isArray(reason) && reason.every(part => typeof part === 'string') ? reason.join(' ') : JSON.stringify(reason)

const maxLength = 100

const formatValue = (value: unknown): string => shorten(JSON.stringify(value) ?? String(value), maxLength)
