// Paths such as `customer.country.name` in options of a resource: how forms describe the values to which they lead, and how
// errors name them.

import type { Field, Fields } from '../../fields/field.ts'
import { combineVisible } from '../../fields/field-visibility.ts'
import { formatLabel } from '../../fields/format-label.ts'
import { findQueriedValue, type QueriedValue } from './queried-value.ts'

/** The value to which a path leads. */
export interface DeclaredValue extends QueriedValue {
  /** The path as the resource declares it. */
  readonly declaredPath: string
}

/**
 * Finds the values to which the paths of an option lead, except those that lead through relations which are not resolved
 * yet. Throws for the first mistake.
 */
export const findDeclaredValues = (
  fields: Fields,
  option: string,
  paths: readonly string[],
): readonly DeclaredValue[] =>
  paths.flatMap(declaredPath => {
    const found = explainPath(option, declaredPath, () => findQueriedValue(fields, declaredPath))
    return found === undefined ? [] : { ...found, declaredPath }
  })

/** Runs `find`; its errors begin with the option, and with the path unless it is a name, which they contain. */
export function explainPath<Result>(option: string, path: string, find: () => Result): Result {
  try {
    return find()
  } catch (error) {
    throw new Error(`${option}: ${path.includes('.') ? `"${path}": ` : ''}${(error as Error).message}`)
  }
}

/** The fields that describe the values, by path on the wire. A caller who does not see all fields of a path has no such value. */
export const describeValues = (values: readonly DeclaredValue[]): Fields =>
  Object.fromEntries(
    values.map(({ declaredPath, wirePath, field, path }): [string, Field] => [
      wirePath,
      { ...field, label: formatLabel(declaredPath.replaceAll('.', ' '), field), ...combineVisible(path) },
    ]),
  )
