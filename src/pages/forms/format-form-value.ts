// The values of forms as people read them: names instead of keys.

import { type Field, formatChoice } from '#core'
import type { Words } from '../html/words.ts'
import type { Pickers } from './pickers.ts'

/** A value of a form as its readers see it. */
export function formatValue(field: Field, value: string, pickers: Pickers, words: Words): string {
  const choices = field.choices ?? field.child?.choices
  if (choices) return words.text(formatChoice(choices, value))
  return pickers.get(field)?.options.find(option => option.value === value)?.name ?? value
}
