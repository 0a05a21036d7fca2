import type { Field } from '#core'

/** Whether the field is edited as JSON text unless it has choices or a relation. */
export const isJsonField = ({ type, children }: Field): boolean =>
  type === 'json' || type === 'list' || children !== undefined
