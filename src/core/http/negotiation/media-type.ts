// Media types and media ranges in Content-Type and Accept (RFC 9110 §8.3.1, §12.5.1).

import { MIMEType } from 'node:util'

/** `type/subtype; name=value`, in lower case except for the values. */
export interface MediaType {
  readonly type: string
  readonly subtype: string
  readonly parameters: ReadonlyMap<string, string>
}

// MIMEType ignores malformed parameters and closes open quotes, so the syntax is checked first.
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const quoted = '"(?:[\\t !#-\\[\\]-~\\x80-\\xff]|\\\\[\\t -~\\x80-\\xff])*"'
const syntax = new RegExp(`^${token}/${token}[ \\t]*(?:;[ \\t]*(?:${token}=(?:${token}|${quoted})[ \\t]*)?)*$`)

/** Parses one media type or range; undefined if it is malformed. If a parameter is repeated, the first one counts. */
export function parseMediaType(text: string): MediaType | undefined {
  const trimmed = text.trim()
  if (!syntax.test(trimmed)) return undefined
  const { type, subtype, params } = new MIMEType(trimmed)
  return { type, subtype, parameters: new Map(params) }
}

/** Splits a comma-separated header value; commas inside quotes do not separate. */
export function splitList(value: string): readonly string[] {
  return (value.match(/(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g) ?? []).map(member => member.trim()).filter(Boolean)
}
