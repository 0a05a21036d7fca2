// The promise that the methods of a client return.

import type { RequestError } from './errors.ts'

/** A request that was sent: a promise of the data of the response. `Refused`: the data of a 400. `Header`: the header fields that `result()` reads. */
export interface Call<out Value, out Refused = unknown, Header extends string = string> extends Promise<Value> {
  /**
   * Resolves to the data or the error, whose type has the fields of the body. Call it at once, instead of awaiting the call.
   *
   * @example
   * const made = await client.orders.create(body).result()
   * if (!made.ok && isInvalid(made.error)) show(made.error.data.number)
   */
  result(): Promise<Result<Value, Refused, Header>>
}

/** The outcome of a request. */
export type Result<Value, Refused = unknown, Header extends string = string> =
  | {
      readonly ok: true
      readonly value: Value
      readonly response: Response
      /** The text of a header field of the response; null if it has none. `Header`: the names that the view or the resource declares. */
      header(name: Header): string | null
    }
  | { readonly ok: false; readonly error: RequestError<Refused> }
