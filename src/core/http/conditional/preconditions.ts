// Conditional requests (RFC 9110 §8.8 and §13): the entity tags of representations, and the preconditions of requests. A tag is a
// digest of the JSON as it is sent to the caller; other formats add a digest of their own, so that two representations never share
// a strong tag (decision 067). Tags have precedence over dates, and malformed dates are ignored.

import type { IncomingHttpHeaders } from 'node:http'
import { PreconditionFailed } from '../../errors/exceptions.ts'
import { digest, formatBody, JsonText, type ResponseBody } from '../response.ts'
import { parseHttpDate } from './http-date.ts'

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

/** The validators of the representation that a GET shows now. */
export interface CurrentValidators {
  /** Without quotation marks. */
  readonly tag: string
  /** An HTTP date. */
  readonly lastModified: string | undefined
}

/**
 * Throws PreconditionFailed if a GET demands another representation than the current one (RFC 9110 §13.1.1, §13.1.4). Call it
 * before `isNotModified`.
 */
export function checkReadPreconditions(headers: IncomingHttpHeaders, { tag, lastModified }: CurrentValidators): void {
  const { 'if-match': match, 'if-unmodified-since': date } = headers
  const holds =
    match === undefined ? compareDates(lastModified, date) !== 'later' : matchesStrongly(match, found => found === tag)
  if (!holds) throw new PreconditionFailed()
}

/** Whether the response to a GET is 304: the client's copy is the current representation. */
export function isNotModified(headers: IncomingHttpHeaders, { tag, lastModified }: CurrentValidators): boolean {
  const noneMatch = headers['if-none-match']
  if (noneMatch !== undefined) return matchesWeakly(noneMatch, found => found === tag)
  return compareDates(lastModified, headers['if-modified-since']) === 'not later'
}

/** Whether a request has preconditions that a write evaluates. */
export const hasWritePreconditions = (headers: IncomingHttpHeaders): boolean =>
  headers['if-match'] !== undefined ||
  headers['if-none-match'] !== undefined ||
  headers['if-unmodified-since'] !== undefined

/** Whether a request says which state it may change: that with a tag, or that there is no object yet. */
export const namesState = (headers: IncomingHttpHeaders): boolean =>
  headers['if-match'] !== undefined || headers['if-none-match']?.trim() === '*'

/** Whether the preconditions of a write hold. `current`: undefined if a GET shows the caller no object. */
export function mayWrite(headers: IncomingHttpHeaders, current: CurrentValidators | undefined): boolean {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers
  const isCurrent = (tag: string) => current !== undefined && findJsonTag(tag) === current.tag
  const holds =
    match === undefined
      ? compareDates(current?.lastModified, headers['if-unmodified-since']) !== 'later'
      : matchesStrongly(match, isCurrent)
  if (!holds) return false
  return noneMatch === undefined || !matchesWeakly(noneMatch, isCurrent)
}

function matchesStrongly(field: string, matches: (tag: string) => boolean): boolean {
  const tags = parseTags(field)
  return tags === '*' || tags.some(({ isWeak, opaque }) => !isWeak && matches(opaque))
}

function matchesWeakly(field: string, matches: (tag: string) => boolean): boolean {
  const tags = parseTags(field)
  return tags === '*' || tags.some(({ opaque }) => matches(opaque))
}

// Undefined if one of the dates is missing or malformed.
function compareDates(lastModified: string | undefined, field: string | undefined): 'later' | 'not later' | undefined {
  const time = field === undefined ? undefined : parseHttpDate(field)
  if (time === undefined || lastModified === undefined) return undefined
  return Date.parse(lastModified) > time ? 'later' : 'not later'
}

/** An entity tag in a request. */
interface EntityTag {
  readonly isWeak: boolean
  /** The text between the quotation marks. */
  readonly opaque: string
}

// Parses `If-Match` or `If-None-Match`. A malformed field has no tags, so it matches nothing.
function parseTags(field: string): readonly EntityTag[] | '*' {
  if (field.trim() === '*') return '*'
  if (!list.test(field)) return []
  return Array.from(field.matchAll(each), ([, weak, opaque]) => ({ isWeak: weak !== undefined, opaque: opaque! }))
}

// The alphabet of base64url contains neither this nor `~`.
const separator = '.'
const opaque = '[\\x21\\x23-\\x7e\\x80-\\xff]*'
const list = new RegExp(`^[\\t ,]*(?:W/)?"${opaque}"(?:[\\t ]*,[\\t ,]*(?:W/)?"${opaque}")*[\\t ,]*$`)
const each = new RegExp(`(W/)?"(${opaque})"`, 'g')
