// Entity tags (RFC 9110 §8.8.3): the validators of representations. A tag is a digest of the JSON as it is sent to the
// caller; other formats add a digest of their own, so that two representations never share a strong tag (decision 067).

import { formatBody, JsonText, type ResponseBody } from '../response.ts'
import { digest } from './digest.ts'

/** An entity tag in a request. */
export interface EntityTag {
  readonly isWeak: boolean
  /** The text between the quotation marks. */
  readonly opaque: string
}

/** Creates the strong tag of the JSON of a body, without quotation marks. */
export const createTag = (body: ResponseBody): string =>
  body instanceof JsonText ? body.findTag() : digest(formatBody(body))

/** Creates the tag of another format of the same body. `rendered` are its bytes as text. */
export const createVariantTag = (tag: string, rendered: string): string => `${tag}${separator}${digest(rendered)}`

/** The tag of the JSON that a tag of any format belongs to. */
export const findJsonTag = (tag: string): string => tag.split(/[.~]/, 1)[0]!

/** The tag of the same bytes in a content coding. */
export const createCodedTag = (tag: string, coding: string | undefined): string =>
  coding === undefined ? tag : `${tag}~${coding}`

export const formatTag = (tag: string): string => `"${tag}"`

/**
 * Parses the field `If-Match` or `If-None-Match`. A malformed field has no tags, so it matches nothing.
 */
export function parseTags(field: string): readonly EntityTag[] | '*' {
  if (field.trim() === '*') return '*'
  if (!list.test(field)) return []
  return Array.from(field.matchAll(each), ([, weak, opaque]) => ({ isWeak: weak !== undefined, opaque: opaque! }))
}

// The alphabet of base64url contains neither this nor `~`.
const separator = '.'
const opaque = '[\\x21\\x23-\\x7e\\x80-\\xff]*'
const list = new RegExp(`^[\\t ,]*(?:W/)?"${opaque}"(?:[\\t ]*,[\\t ,]*(?:W/)?"${opaque}")*[\\t ,]*$`)
const each = new RegExp(`(W/)?"(${opaque})"`, 'g')
