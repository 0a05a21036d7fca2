// Errors in the shape of the data that they belong to.

import type { ErrorDetail } from '../messages/catalogue.ts'

/** Errors in the shape of the data: a list of details, or an object of details by field name or index. */
export type ErrorTree<Leaf> = Leaf | readonly ErrorTree<Leaf>[] | { readonly [key: string]: ErrorTree<Leaf> }

/** Whether this is one error and not a list or an object of errors. */
export function isDetail(tree: ErrorTree<ErrorDetail | string>): tree is ErrorDetail {
  return (
    typeof tree === 'object' &&
    !Array.isArray(tree) &&
    typeof (tree as ErrorDetail).message === 'string' &&
    typeof (tree as ErrorDetail).code === 'string'
  )
}

/** Converts each error, in the same shape. */
export function mapErrors<To>(tree: ErrorTree<ErrorDetail>, convert: (error: ErrorDetail) => To): ErrorTree<To> {
  if (Array.isArray(tree)) return tree.map(item => mapErrors(item, convert))
  if (isDetail(tree)) return convert(tree)
  return mapEntries(tree as Record<string, ErrorTree<ErrorDetail>>, item => mapErrors(item, convert))
}

/** Converts each member of an object. */
export function mapEntries<From, To>(entries: Record<string, From>, convert: (item: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(entries).map(([key, item]) => [key, convert(item)]))
}
