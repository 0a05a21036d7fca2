// Checks responses that code of the application returns, before anything of them is sent: Node closes the connection of a
// response that it refuses.

import { validateHeaderName, validateHeaderValue } from '../base/http.ts'
import type { HandlerContext } from '../http/context.ts'
import type { HeaderFields } from '../http/response.ts'

/** Throws an Error that names the view if its handler has returned what cannot be sent. */
export function checkResponse(response: unknown, { view, method }: Pick<HandlerContext, 'view' | 'method'>): void {
  const problem = findResponseProblem(response)
  if (problem !== undefined) throw new Error(`view "${view.name}": the handler of ${method} ${problem}`)
}

/** Describes, as the rest of a sentence, why this value cannot be sent as a response; undefined if it can. */
export function findResponseProblem(response: unknown): string | undefined {
  if (response === undefined) return 'returned no response'
  if (typeof response !== 'object' || response === null)
    return `returned ${response === null ? 'null' : `a ${typeof response}`}: return an object with a status, such as { status: 204 }`
  const { status, headers } = response as { readonly status?: unknown; readonly headers?: HeaderFields }
  if (!Number.isInteger(status) || (status as number) < 200 || (status as number) > 599)
    return `returned the status ${String(status)}: return one between 200 and 599`
  const problem = headers === undefined ? undefined : findHeaderProblem(headers)
  return problem && `returned header fields that cannot be sent: ${problem}`
}

/** Describes which of these header fields Node refuses to send, and why; undefined if it takes all. */
export function findHeaderProblem(headers: HeaderFields): string | undefined {
  try {
    for (const name in headers) {
      validateHeaderName(name)
      const value = headers[name] ?? ''
      if (typeof value === 'string') validateHeaderValue(name, value)
      else for (const line of value) validateHeaderValue(name, line)
    }
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
