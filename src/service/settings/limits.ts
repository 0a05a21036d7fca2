// The setting `limits`: bounds on the resources that a client can use. docs/limits.md lists all limits.

import * as z from 'zod'

const whole = z.int('must be a whole number').min(1, 'must be 1 or more')

export const limitsSchema = z.strictObject({
  /** The maximum size of a request body in bytes; raised if `codeLimit` needs more. */
  bodySize: whole.default(4 * 1024 * 1024),
  /** The maximum nesting depth of arrays and objects in a JSON body. */
  jsonDepth: whole.default(64),
  /** The maximum number of fields in a form. */
  formFields: whole.default(1000),
  /** The maximum size of all headers of a request in bytes. */
  headerSize: whole.default(16 * 1024),
  /** Seconds in which a whole request has to arrive. */
  requestTime: whole.default(30),
  /** Seconds that a connection may be idle between two requests. */
  idleTime: whole.default(30),
  /** Seconds for which a client may read nothing of its response; then its connection is closed. */
  stallTime: whole.default(60),
  /** The maximum number of open connections; further connections are closed at once. */
  connections: whole.default(10_000),
  /** Milliseconds that a request may wait until it is handled; under longer overload, requests get 503. */
  overloadDelay: whole.default(250),
  /** Seconds in which a stopping process responds to requests in flight; then they are aborted. */
  stopTime: whole.default(10),
  /** The maximum length of highlighted code, in UTF-16 units; longer code is shown as plain text. */
  highlightedCode: whole.default(100_000),
  /** The maximum length of a highlighted line, in UTF-16 units. */
  highlightedLine: whole.default(5000),
  /** Milliseconds that highlighting one snippet may take; then it is shown as plain text. */
  highlightingTime: whole.default(2000),
  /** Milliseconds that a snippet may wait to be highlighted; then it is shown as plain text. */
  highlightingWait: whole.default(5000),
  /** The maximum number of unexpired named tokens per user. */
  tokensPerUser: whole.default(100),
})

export type Limits = Readonly<z.output<typeof limitsSchema>>
