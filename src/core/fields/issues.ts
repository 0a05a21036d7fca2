// The issues that a schema reports, as errors in the shape of the data.

import type { $ZodIssue } from 'zod/v4/core'
import type { ErrorDetail, ErrorTree } from '../errors/exceptions.ts'
import { hasDefaultText } from '../http/languages/zod-issue.ts'

/** An issue of a Standard Schema, or of Zod. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
  /** Zod names the kind of an issue. */
  readonly code?: string | undefined
}

/**
 * Nests the issues by their paths. Where a value and its parts have issues, those of the value are under the key
 * `nonFieldErrorsKey`.
 */
export const createErrorTree = (
  issues: readonly SchemaIssue[],
  nonFieldErrorsKey = 'non_field_errors',
): ErrorTree<ErrorDetail> => nest(issues, 0, nonFieldErrorsKey)

function nest(issues: readonly SchemaIssue[], depth: number, ownKey: string): ErrorTree<ErrorDetail> {
  const [own = [], inner = []] = [true, false].map(isOwn =>
    issues.filter(({ path = [] }) => (path.length === depth) === isOwn),
  )
  if (inner.length === 0) return own.map(toDetail)
  const byKey = Map.groupBy(inner, ({ path = [] }) => formatKey(path[depth]!))
  const parts = [...byKey].map(([key, group]) => [key, nest(group, depth + 1, ownKey)] as const)
  return Object.fromEntries(own.length === 0 ? parts : joinOwn(parts, ownKey, own.map(toDetail)))
}

// A part may have the name of the key.
const joinOwn = (
  parts: readonly (readonly [key: string, errors: ErrorTree<ErrorDetail>])[],
  ownKey: string,
  own: readonly ErrorDetail[],
): readonly (readonly [key: string, errors: ErrorTree<ErrorDetail>])[] => [
  [ownKey, [...own, ...parts.filter(([key]) => key === ownKey).map(([, errors]) => errors)].flat()],
  ...parts.filter(([key]) => key !== ownKey),
]

const formatKey = (part: PropertyKey | { readonly key: PropertyKey } | null): string =>
  String(typeof part === 'object' && part !== null ? part.key : part)

function toDetail(issue: SchemaIssue): ErrorDetail {
  const { message, code } = issue
  // Only Zod's issues have a code.
  const isZod = code !== undefined && hasDefaultText(issue as $ZodIssue)
  return { message, code: code ?? 'invalid', ...(isZod && { issue }) }
}
