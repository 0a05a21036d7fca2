// The Accept header field (RFC 9110 §12.5.1): how a caller weights a media type.

import { memoize } from '../../base/bounded-map.ts'
import { type MediaType, parseMediaType, splitList } from './media-type.ts'

/** One member of Accept. `quality` is between 0 (not acceptable) and 1. */
export interface AcceptRange {
  readonly range: MediaType
  readonly quality: number
}

/** How a media type is accepted. A higher `specificity` means that a more specific range matched. */
export interface Acceptance {
  readonly quality: number
  readonly specificity: number
  /** Parameters of the range for the renderer, such as `indent`. */
  readonly parameters: ReadonlyMap<string, string>
}

/** An available media type, and the parameters that a range may set to any value. */
export interface Offer {
  readonly mediaType: string
  readonly parameters?: readonly string[]
}

const maxLength = 8192
// Clients of the same kind send the same values.
const cacheOptions = { maxEntries: 100, maxLength: 300 }

/** Parses an Accept value; members that are malformed or have an invalid weight are ignored. */
export const parseAccept: (value: string) => readonly AcceptRange[] = memoize(parse, cacheOptions)

/** Finds how the most specific matching range accepts the offer; undefined if no range matches. */
export function findAcceptance(offer: Offer, ranges: readonly AcceptRange[]): Acceptance | undefined {
  let best: Acceptance | undefined
  for (const { range, quality } of ranges) {
    const specificity = findSpecificity(range, offer)
    if (specificity === undefined || specificity < (best?.specificity ?? 0)) continue
    if (best === undefined || specificity > best.specificity || quality > best.quality) {
      best = { quality, specificity, parameters: range.parameters }
    }
  }
  return best
}

// `indent=` is treated as if it were absent; an empty weight stays invalid.
const emptyParameters = /;[ \t]*(?!q=)[^\s;="]+=[ \t]*(?=;|$)/gi

function parse(value: string): readonly AcceptRange[] {
  if (value.trim() === '') return parse('*/*')
  return splitList(value.slice(0, maxLength)).flatMap(member => {
    const range = parseMediaType(member) ?? parseMediaType(member.replace(emptyParameters, ''))
    const quality = range && parseQuality(range.parameters.get('q'))
    return range && quality !== undefined && (range.type !== '*' || range.subtype === '*') ? { range, quality } : []
  })
}

// RFC 9110 §12.4.2: up to three digits after the point. Java's HTTP client omits the zero before it.
/** Parses the weight of a member; 1 if there is none, undefined if it is malformed. */
export function parseQuality(text: string | undefined): number | undefined {
  if (text === undefined) return 1
  return /^(?:0\.?|0?\.\d{1,3}|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : undefined
}

// 1 for */*, 2 for type/*, 3 for type/subtype, and 1 more for each parameter that matches. Parameters that the offer
// does not define are ignored, such as the `version` that some clients send to every service.
function findSpecificity(range: MediaType, offer: Offer): number | undefined {
  const offered = parseOffered(offer.mediaType)
  if (range.type === '*') return 1
  if (range.type !== offered.type) return undefined
  if (range.subtype === '*') return 2
  if (range.subtype !== offered.subtype) return undefined
  let specificity = 3
  for (const [name, value] of range.parameters) {
    if (name === 'q') continue
    if (offer.parameters?.includes(name) || isUtf8Charset(name, value) || offered.parameters.get(name) === value)
      specificity++
    else if (name === 'charset' || offered.parameters.has(name)) return undefined
  }
  return specificity
}

const parseOffered = memoize((text): MediaType => parseMediaType(text)!, cacheOptions)

const isUtf8Charset = (name: string, value: string): boolean => name === 'charset' && value.toLowerCase() === 'utf-8'
