// The setting `limits`: bounds on the resources that a client can use. docs/limits.md lists all limits.

import * as z from 'zod'
import { defaultRowsPerRequest } from '#core'
import { positiveInteger, serverLimitsSchema } from '#server'

export const limitsSchema = z.strictObject({
  /** The maximum size of a request body in bytes; raised if a profile needs more. */
  bodySize: positiveInteger.default(4 * 1024 * 1024),
  /** The maximum nesting depth of arrays and objects in a JSON body. */
  jsonDepth: positiveInteger.default(64),
  /** The maximum number of fields in a form. */
  formFields: positiveInteger.default(1000),
  /** The maximum number of rows that a request writes. */
  rowsPerRequest: positiveInteger.default(defaultRowsPerRequest),
  ...serverLimitsSchema.shape,
  /** Seconds for which a client may read nothing of its response; then its connection is closed. */
  stallTime: positiveInteger.default(60),
  /** Milliseconds that a request may wait until it is handled; under sustained overload, waiting requests get 503. */
  overloadDelay: positiveInteger.default(250),
  /** Seconds in which a stopping process responds to requests in flight; then they are aborted. */
  stopTime: positiveInteger.default(10),
  /** How many jobs run at the same time in a process that serves requests; 0: none. */
  jobs: z.int().min(0).default(10),
  /** The maximum number of unexpired named tokens per user. */
  tokensPerUser: positiveInteger.default(100),
})

export type Limits = Readonly<z.output<typeof limitsSchema>>
