// Refuses what stands in the place of a function. Node runs TypeScript without checking types, and the function may be called only at
// the first request.

import { describeGiven } from './describe-given.ts'

/** Throws for a value that is neither a function nor undefined. `where` names the option. */
export function checkFunction(where: string, value: unknown, example?: string): void {
  if (value === undefined || typeof value === 'function') return
  throw new Error(`${where} is ${describeGiven(value)}: write a function${example === undefined ? '' : `, ${example}`}`)
}
