// The errors of unknown names in queries. They suggest the most similar name.

import { nearestName } from '../base/nearest-name.ts'
import { frameworkMessages } from '../messages/english.ts'
import type { ErrorDetail } from './exceptions.ts'
import { shorten } from './invalid.ts'

/** The longest path in an error, and the longest for which a similar name is looked for. */
const maxLength = 100

/** The message that suggests a name, by the message that does not. */
const suggestions = {
  'invalid.ordering': 'invalid.ordering.nearest',
  unknown_parameter: 'unknown_parameter.nearest',
  unknown_field: 'unknown_field.nearest',
  not_expandable: 'not_expandable.nearest',
} as const

/** Creates the error of a name that is none of the known ones. `prefix` and `suffix`: the path around the name. */
export function createUnknownNameError(
  key: keyof typeof suggestions,
  unknown: string,
  known: Iterable<string>,
  { prefix = '', suffix = '' } = {},
): ErrorDetail {
  const path = prefix + unknown + suffix
  const name = shorten(path, maxLength)
  const nearest = path.length > maxLength ? undefined : nearestName(unknown, known)
  return nearest === undefined
    ? frameworkMessages(key, { name })
    : frameworkMessages(suggestions[key], { name, nearest: prefix + nearest + suffix })
}
