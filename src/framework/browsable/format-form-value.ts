// The values of forms as people read them: names instead of keys.

import { formatChoice } from '../fields/choices.ts'
import type { Field } from '../fields/field.ts'
import type { Pickers } from './pickers.ts'

/** A value of a form as its readers see it. */
export function formatValue(field: Field, value: string, pickers: Pickers): string {
  const choices = field.choices ?? field.child?.choices
  if (choices) return formatChoice(choices, value)
  return pickers.get(field)?.options.find(option => option.value === value)?.name ?? value
}
