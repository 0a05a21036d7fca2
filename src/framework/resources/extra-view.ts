// What a resource does beside the five actions: views below its list (`/books/recent/`) or below one of its objects
// (`POST /books/3/borrow/`), each with handlers, fields and policies of its own.

import type { HandlerContext } from '../context.ts'
import type { Database } from '../database/database.ts'
import type { ApiResponse, JsonText } from '../response.ts'
import type { AuditedAs, MethodOptions, ViewPolicies } from '../view.ts'
import type { DeclaredFields, Values } from './declared-fields.ts'

/** What the handler of a view below a list gets. */
export interface ListContext<F extends DeclaredFields = DeclaredFields> extends HandlerContext {
  readonly database: Database
  /**
   * The values that the body gave, by field of the view. A field that the body leaves out is here only after POST, with
   * its default; after PUT and PATCH, which keep what is not sent, {@link defaultValues} gives the defaults.
   */
  readonly values: Values<F>
  /** An object of the resource as its own URL shows it; rejects with NotFound where there is none for this caller. */
  represent(key: number): Promise<JsonText>
}

/** What the handler of a view below an object gets: the object was found, and its policies allow the call. */
export interface ObjectContext<F extends DeclaredFields = DeclaredFields> extends ListContext<F> {
  readonly key: number
  /** The columns that the view reads. */
  readonly object: Readonly<Record<string, unknown>>
}

type ExtraHandler<C> = (call: C) => ApiResponse | Promise<ApiResponse>

interface ExtraView<C, F extends DeclaredFields> extends Partial<ViewPolicies> {
  /** Default: the resource's name and the view's. */
  readonly name?: string
  readonly description?: string
  readonly lenientAccept?: boolean
  /** Default: the resource's. */
  readonly auditEvent?: AuditedAs
  /** The fields of a body; default: none. */
  readonly fields?: F
  /** By method, upper case. */
  readonly handlers: Readonly<
    Record<string, ExtraHandler<C> | (Omit<MethodOptions, 'handle'> & { readonly handle: ExtraHandler<C> })>
  >
}

/** A view below a resource's list. */
export type ListView<F extends DeclaredFields = DeclaredFields> = ExtraView<ListContext<F>, F>

/** A view below an object. */
export interface ObjectView<F extends DeclaredFields = DeclaredFields> extends ExtraView<ObjectContext<F>, F> {
  /** The columns of the object that handlers read. */
  readonly columns?: readonly string[]
}

/** Declares a view below a list: `values` have the types of its fields. */
export const listView = <const F extends DeclaredFields>(view: ListView<F>): ListView => view as unknown as ListView

/** Declares a view below an object: `values` have the types of its fields. */
export const objectView = <const F extends DeclaredFields>(view: ObjectView<F>): ObjectView =>
  view as unknown as ObjectView
