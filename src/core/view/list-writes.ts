// What a view of a list lets pages write: the objects that a person selected, and the rows of a file.

import type { HandlerContext } from '../http/context.ts'

/**
 * Changes or deletes the objects with these path segments, each as the request for it alone would, in one transaction; the caller may
 * call the method. Returns the refusals, in the order of the segments.
 */
export type WriteSelected = (
  segments: readonly string[],
  values: object | FindValues,
  request: HandlerContext,
) => Promise<readonly (Refused | undefined)[]>

/** Creates and changes objects of a list in one transaction, each as the request for it alone would. */
export interface WriteImported {
  /** The most rows. */
  readonly maxRows: number
  /** `changed`: objects with the key, or the field `lookup`, by which they are found. Returns the results in the order of the items. */
  write(
    items: { readonly created: readonly object[]; readonly changed: readonly object[] },
    options: ImportOptions,
  ): Promise<{ readonly created: readonly ImportResult[]; readonly changed: readonly ImportResult[] }>
}

export interface ImportOptions {
  /** A POST to the list that the caller may send. */
  readonly creation: HandlerContext
  /** A PATCH of an object of the list that the caller may send. */
  readonly change: HandlerContext
  /** Whether the written rows are kept, by the number of refused ones; if not, nothing is written. */
  readonly isKept: (refused: number) => boolean
}

/** A row: the last part of the path of its object, or why it was refused. */
export type ImportResult =
  | { readonly segment: string; readonly refusal?: undefined }
  | { readonly refusal: Refused; readonly segment?: undefined }

/** Finds the values to set from an object as a GET shows it to the caller; throws an APIException if it refuses. */
export type FindValues = (shown: Readonly<Record<string, unknown>>) => object

export interface Refused {
  readonly status: number
  readonly body: unknown
}
