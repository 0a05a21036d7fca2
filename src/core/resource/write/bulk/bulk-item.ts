// The type of the response to a request with many objects in the mode `each`.

import type { BulkAction } from '../../declare/bulk-option.ts'
import type { Representation, TypedResource } from '../../declare/representation.ts'

/**
 * An item of a 207: the status and body of a request for the item alone. `Related`: the resources to which its fields refer by name.
 *
 * @example
 * const describe = (item: BulkItem<typeof tags, 'create'>) =>
 *   item.status === 201 ? item.body.name : JSON.stringify(item.body)
 */
export type BulkItem<R extends TypedResource, Action extends BulkAction, Related extends TypedResource = R> =
  | WrittenItems<R, Related>[Action]
  | RefusedItem

interface WrittenItems<R extends TypedResource, Related extends TypedResource> {
  readonly create: {
    readonly status: 201
    /** The URL of the new object. */
    readonly location: string
    readonly body: Representation<R, 'create', Related>
  }
  readonly update: { readonly status: 200; readonly body: Representation<R, 'update', Related> }
  readonly destroy: { readonly status: 204; readonly body?: undefined }
}

/** An item that was not written. An exception of the application may have another status. */
interface RefusedItem {
  readonly status: 400 | 401 | 403 | 404 | 409
  /** The errors, by field or as `detail`. */
  readonly body: Readonly<Record<string, unknown>>
}
