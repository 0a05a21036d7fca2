// The values of forms as people read them: names instead of keys.

import { formatChoice } from '../../core/fields/kinds/choices.ts'
import type { Field } from '../../core/fields/field.ts'
import type { Pickers } from './pickers.ts'
import type { Words } from '../html/words.ts'

/** A value of a form as its readers see it. */
export function formatValue(field: Field, value: string, pickers: Pickers, words: Words): string {
  const choices = field.choices ?? field.child?.choices
  if (choices) return words.text(formatChoice(choices, value))
  return pickers.get(field)?.options.find(option => option.value === value)?.name ?? value
}
