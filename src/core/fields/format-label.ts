import type { MessageText } from '../messages/english.ts'
import type { Field } from './field.ts'

/** The label of a field; by default `in_print` is labelled "In print". */
export function formatLabel(name: string, { label }: Partial<Pick<Field, 'label'>>): MessageText {
  const words = name.replaceAll('_', ' ')
  return label ?? words.charAt(0).toUpperCase() + words.slice(1)
}
