// Refuses what stands in the place of a field but is none. Node runs TypeScript without checking types, and the most frequent slip is
// a function that is not called: `title: text`.

import { describeGiven } from '../base/describe-given.ts'

/** Throws unless the value is a field, or a schema of Zod 4. `where` begins the message, such as `field "title"`. */
export function checkIsField(value: unknown, where: string): void {
  if (!isField(value)) throw createSlip(value, where, 'a field, such as text(), or a schema of Zod 4')
}

/** Creates the error for a value that stands in the place of `wanted`. */
export const createSlip = (value: unknown, where: string, wanted: string): Error =>
  new Error(
    typeof value === 'function'
      ? `${where} is a function: call it, as in ${formatCall(value)}`
      : `${where} is ${describeGiven(value)}: write ${wanted}`,
  )

/** Whether the value is a field, or a schema of Zod 4. */
export const isField = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && ('parse' in value || '_zod' in value)

// The functions that have several types are declared under another name.
const formatCall = ({ name }: { readonly name: string }): string =>
  /^(?!define)[a-z]\w*$/.test(name) ? `${name}()` : 'text()'
