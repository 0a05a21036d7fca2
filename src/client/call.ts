// The promise that the methods of a client return.

import type { RequestError } from './errors.ts'

/** A request that was sent: a promise of the data of the response. `Refused`: the data of a 400. */
export interface Call<out Value, out Refused = unknown> extends Promise<Value> {
  /**
   * Resolves to the data or the error, whose type has the fields of the body. Call it at once, instead of awaiting the call.
   *
   * @example
   * const made = await client.orders.create(body).result()
   * if (!made.ok && isInvalid(made.error)) show(made.error.data.number)
   */
  result(): Promise<Result<Value, Refused>>
}

/** The outcome of a request. */
export type Result<Value, Refused = unknown> =
  | { readonly ok: true; readonly value: Value; readonly response: Response }
  | { readonly ok: false; readonly error: RequestError<Refused> }
