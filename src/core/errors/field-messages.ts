// The messages that a field's declaration replaces.

import { type ErrorDetail, findText, formatText } from '../messages/catalogue.ts'
import type { MessageCode, MessageKey, MessageText } from '../messages/english.ts'
import { type ErrorTree, isDetail } from './error-tree.ts'

/** The replaced messages of a field, by code or by a finer key. */
export type FieldMessages = Readonly<Partial<Record<MessageCode | MessageKey, MessageText>>>

/** Replaces the messages of a field's errors. Items and inner fields have messages of their own. */
export function replaceMessages(
  errors: ErrorTree<ErrorDetail>,
  messages: FieldMessages | undefined,
): ErrorTree<ErrorDetail> {
  if (messages === undefined || !Array.isArray(errors)) return errors
  return errors.map(error => (isDetail(error) ? replaceMessage(error, messages) : error))
}

function replaceMessage(error: ErrorDetail, messages: FieldMessages): ErrorDetail {
  const { key, code, values } = error
  const text = findText<MessageText | undefined>(messages, [key, code])
  if (text === undefined) return error
  return typeof text === 'string' ? { message: formatText(text, values), code } : { ...text, code }
}
