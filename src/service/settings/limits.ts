// The bounds on what a client controls that a deployer may move. docs/limits.md has all of them in one table.

import * as z from 'zod'

const whole = z.int('must be a whole number').min(1, 'must be 1 or more')

export const limitsSchema = z.strictObject({
  /** The largest body in bytes; never less than the longest code of a snippet needs. */
  bodySize: whole.default(4 * 1024 * 1024),
  /** How deep arrays and objects of a JSON body may nest. */
  jsonDepth: whole.default(64),
  /** The most fields of a form. */
  formFields: whole.default(1000),
  /** All header fields of a request together, in bytes. */
  headerSize: whole.default(16 * 1024),
  /** Seconds in which a whole request has to arrive. */
  requestTime: whole.default(30),
  /** Seconds that a connection may be idle between two requests. */
  idleTime: whole.default(30),
  /** Seconds for which a client may take nothing of its answer; then its connection is closed. */
  stallTime: whole.default(60),
  /** Open connections; further ones are closed at once. */
  connections: whole.default(10_000),
  /** Milliseconds for which requests are handed out without a pause; then, where that goes on, 503. */
  overloadDelay: whole.default(250),
  /** Seconds in which what clients have sent is answered when the process is told to stop; the rest is cut. */
  stopTime: whole.default(10),
  /** The longest code that is highlighted, in UTF-16 units; a longer one is shown as plain text. */
  highlightedCode: whole.default(100_000),
  /** The longest line that is highlighted, in UTF-16 units. */
  highlightedLine: whole.default(5000),
  /** Milliseconds that highlighting one snippet may take; then it is shown as plain text. */
  highlightingTime: whole.default(2000),
  /** Milliseconds that a snippet may wait to be highlighted; then it is shown as plain text. */
  highlightingWait: whole.default(5000),
  /** The most named tokens of one user that have not expired. */
  tokensPerUser: whole.default(100),
})

export type Limits = Readonly<z.output<typeof limitsSchema>>
