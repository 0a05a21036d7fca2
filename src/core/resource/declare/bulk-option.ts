// The option `bulk` of a resource: an array sent to the URL of its list creates, changes or deletes many objects.

/** The actions that a request can do with many objects. */
export type BulkAction = 'create' | 'update' | 'destroy'

/**
 * `atomic`: all items or none; a 400 has a list of errors, in which the right items are `{}`. `each`: every item by itself; the
 * 207 has the status and the body of each.
 */
export type BulkMode = 'atomic' | 'each'

export interface BulkOptions {
  readonly mode: BulkMode
  /** The maximum number of items in a request; default 1000. */
  readonly max?: number
  /** Default: all of these actions that the resource has. */
  readonly actions?: readonly BulkAction[]
  /** The member of a DELETE's body that may contain the keys: `ids` for `{ "ids": [1, 7] }`. Default: the body is the array. */
  readonly keysIn?: string
  /**
   * What happens to items of a PUT, PATCH or DELETE whose objects do not exist, or are hidden from the caller: `refuse` is an error of
   * the item, `skip` leaves it out. Only with `atomic`. Default: `refuse`.
   */
  readonly missing?: 'refuse' | 'skip'
}

/** The option with its defaults. */
export type Bulk = Required<Omit<BulkOptions, 'keysIn' | 'missing'>> & Pick<BulkOptions, 'keysIn' | 'missing'>
