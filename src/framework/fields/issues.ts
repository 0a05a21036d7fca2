// The issues that a schema reports, as errors in the shape of the data.

import type { $ZodIssue } from 'zod/v4/core'
import type { ErrorDetail, ErrorTree } from '../errors/exceptions.ts'
import { hasDefaultText } from '../messages/zod-issue.ts'

/** An issue of a Standard Schema, or of Zod. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
  /** Zod names the kind of an issue. */
  readonly code?: string | undefined
}

/** Nests the issues by their paths. If a value has issues itself, those of its parts are left out. */
export const createErrorTree = (issues: readonly SchemaIssue[]): ErrorTree<ErrorDetail> => nest(issues, 0)

function nest(issues: readonly SchemaIssue[], depth: number): ErrorTree<ErrorDetail> {
  const own = issues.filter(({ path = [] }) => path.length === depth)
  if (own.length > 0) return own.map(toDetail)
  const byKey = Map.groupBy(issues, ({ path = [] }) => formatKey(path[depth]!))
  return Object.fromEntries([...byKey].map(([key, group]) => [key, nest(group, depth + 1)]))
}

const formatKey = (part: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof part === 'object' ? part.key : part)

function toDetail(issue: SchemaIssue): ErrorDetail {
  const { message, code } = issue
  // Only Zod's issues have a code.
  const isZod = code !== undefined && hasDefaultText(issue as $ZodIssue)
  return { message, code: code ?? 'invalid', ...(isZod && { issue }) }
}
