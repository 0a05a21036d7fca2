// The lines of a header field as they were received. Node joins the values of most fields that come twice.

import type { IncomingMessage } from 'node:http'

/** Returns the value of each line with this name, which is in lower case. */
export const listHeaderLines = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): readonly string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name)
