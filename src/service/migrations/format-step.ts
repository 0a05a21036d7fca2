// Writes the file of a step.

import type { Change } from '#core'
import { formatLines } from '../code/format-code.ts'

/** What the file of a step says. */
export interface StepText {
  readonly after?: readonly string[]
  readonly uses?: readonly string[]
  readonly change?: readonly Change[]
  readonly state?: readonly Change[]
  readonly replaces?: readonly string[]
  readonly formerNames?: readonly string[]
}

/** The text of the file; properties that are empty are left out. */
export function formatStep(step: StepText): string {
  const properties = Object.entries(step).filter(([, value]) => value.length > 0)
  return `import { step } from 'resource-api/migrations'

export default step(${properties.length === 0 ? '{}' : formatLines(Object.fromEntries(properties))})
`
}
