import { type Field, hasParts } from '#core'

/** Whether the field is edited as JSON text unless it has choices or a relation. */
export const isJsonField = ({ kind }: Field): boolean => hasParts(kind)
