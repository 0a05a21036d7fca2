// What can be wrong with a field by itself: bounds that exclude each other, and a default that the field refuses.

import { ValidationError } from '../errors/exceptions.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { Field, ParseContext } from './field.ts'
import { parseKey } from './key.ts'

/** Throws if a lower bound is above its upper bound, in the field or in its parts. */
export function checkBounds({ bounds, child, children }: Field): void {
  for (const kind of ['value', 'length'] as const) {
    const [min, max] = [bounds[`min_${kind}`], bounds[`max_${kind}`]]
    if (min !== undefined && max !== undefined && min > max)
      throw new Error(`the minimum ${min} is above the maximum ${max}: exchange them, or give both`)
    if (kind === 'length' && [min, max].some(bound => bound !== undefined && !isLength(bound)))
      throw new Error('lengths must be whole numbers from 0')
  }
  for (const part of partsOf({ child, children })) checkBounds(part)
}

const isLength = (bound: number): boolean => Number.isSafeInteger(bound) && bound >= 0

/**
 * Throws if the field, or a part of it, does not take its own default. A field whose parts are read one by one says so
 * later, with a promise. A schema has been asked when it became a field.
 */
export function checkDefault(field: Field): MaybePromise<void> {
  const later = [...partsOf(field).map(checkDefault), ownDefault(field)].filter(result => result !== undefined)
  return later.length === 0 ? undefined : Promise.all(later).then(() => undefined)
}

const partsOf = ({ child, children }: { child?: Field | undefined; children?: Field['children'] | undefined }) => [
  ...(child === undefined ? [] : [child]),
  ...Object.values(children ?? {}),
]

const nowhere: ParseContext = Object.freeze({ baseUrl: 'http://localhost', route: () => undefined })

function ownDefault(field: Field): MaybePromise<void> {
  const { default: initial, nullable, relation, parsesNothing, readOnly } = field
  if (initial === undefined || parsesNothing || readOnly || (initial === null && nullable)) return undefined
  // The value of a relation is a key, and its body may write something else.
  if (relation !== undefined) return checkKeys(initial, relation.many)
  try {
    const result: unknown = field.parse(initial, nowhere)
    return result instanceof Promise ? result.then(() => undefined, refuse(initial)) : undefined
  } catch (error) {
    return refuse(initial)(error)
  }
}

function checkKeys(initial: unknown, many: boolean): undefined {
  const keys = Array.isArray(initial) ? initial : [initial]
  if (
    Array.isArray(initial) !== many ||
    keys.some(key => typeof key !== 'number' || parseKey(String(key)) === undefined)
  )
    throw new Error(`the default ${shown(initial)} must be ${many ? 'a list of keys' : 'a key'}`)
}

const refuse =
  (initial: unknown) =>
  (error: unknown): never => {
    if (error instanceof ValidationError) throw refusedDefault(initial, error.detail)
    throw error
  }

/** The error for a default, with what its own field says of it. */
export const refusedDefault = (initial: unknown, reason: unknown): Error =>
  new Error(`the default ${shown(initial)} is refused by the field itself: ${wordsOf(reason)}`)

const wordsOf = (reason: unknown): string =>
  Array.isArray(reason) && reason.every(part => typeof part === 'string') ? reason.join(' ') : JSON.stringify(reason)

const longest = 100

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
