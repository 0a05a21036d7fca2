// The values, rows and errors that the controls of a form show.

import type { Field, Fields } from '#core'

/** The values and errors that a form shows. */
export interface FormValues {
  /** The values of a field as strings; only a list has several. */
  values(name: string): readonly string[]
  /** The errors of a field; for an empty name, the errors of the whole form. */
  errors(name: string): readonly string[]
  /** The values of a field that others have saved since the form was made; undefined if nobody has. */
  readonly current?: (name: string) => readonly string[]
  /** Whether a rejected form has another value of the field than the object; undefined if none was rejected. */
  readonly isTyped?: (name: string) => boolean
  /** The values and errors of the parts of a field with several columns; undefined if they are edited as JSON text. */
  parts?(name: string): FormValues
  /** The rows of a field with children; undefined if they are edited as JSON text. */
  rows?(name: string): ChildRows | undefined
}

/** One child, or an empty row. Its children may be rows too. */
export interface ChildRow extends Pick<FormValues, 'values' | 'errors' | 'rows'> {
  /** The index in the names of its controls. */
  readonly index: number
  readonly isNew: boolean
  /** Whether it was submitted with a checked *Remove*. */
  readonly isRemoved: boolean
  /** The saved child; undefined for a new one. */
  readonly saved: Readonly<Record<string, unknown>> | undefined
}

/** A value of an object that adds up its children. */
export interface ShownSum {
  readonly name: string
  readonly field: Field
  readonly value: unknown
}

/** The rows of one field. */
export interface ChildRows {
  readonly fields: Fields
  readonly rows: readonly ChildRow[]
  /** The mark of the saved children, which a page sends back. */
  readonly mark: string
  /** The errors that belong to no row. */
  readonly errors: readonly string[]
  /** The children that others have saved since the form was made; undefined if nobody has. */
  readonly theirs?: readonly ChildRow[] | undefined
  /** What the saved children add up to; undefined for children that were typed and not saved. */
  readonly sums?: readonly ShownSum[]
}
