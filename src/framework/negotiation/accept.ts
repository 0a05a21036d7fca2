// The Accept header field (RFC 9110 §12.5.1): how much a caller likes a media type.

import { remember } from '../remember.ts'
import { type MediaType, parseMediaType, splitList } from './media-type.ts'

/** One member of Accept. `quality` is between 0 (not acceptable) and 1. */
export interface AcceptRange {
  readonly range: MediaType
  readonly quality: number
}

/** How well a media type is accepted. A more specific range has been matched where `specificity` is higher. */
export interface Acceptance {
  readonly quality: number
  readonly specificity: number
  /** Parameters of the range that are the renderer's to read, such as `indent`. */
  readonly parameters: ReadonlyMap<string, string>
}

/** A type that can be offered, and the parameters that a range may name for it freely. */
export interface Offer {
  readonly mediaType: string
  readonly parameters?: readonly string[]
}

const longestHeader = 8192
// The same few values come again and again, from clients of the same kinds.
const remembered = { entries: 100, longest: 300 }

/** The ranges of an Accept value; members that are no media range, or have no valid weight, are left out. */
export const parseAccept: (value: string) => readonly AcceptRange[] = remember(parse, remembered)

/** The acceptance of an offer by the most specific range that matches it; undefined where none does. */
export function acceptanceOf(offer: Offer, ranges: readonly AcceptRange[]): Acceptance | undefined {
  let best: Acceptance | undefined
  for (const { range, quality } of ranges) {
    const specificity = specificityOf(range, offer)
    if (specificity === undefined || specificity < (best?.specificity ?? 0)) continue
    if (best === undefined || specificity > best.specificity || quality > best.quality) {
      best = { quality, specificity, parameters: range.parameters }
    }
  }
  return best
}

// `indent=` says as little as no `indent`; a weight has to be a number.
const emptyParameters = /;[ \t]*(?!q=)[^\s;="]+=[ \t]*(?=;|$)/gi

function parse(value: string): readonly AcceptRange[] {
  if (value.trim() === '') return parse('*/*')
  return splitList(value.slice(0, longestHeader)).flatMap(member => {
    const range = parseMediaType(member) ?? parseMediaType(member.replace(emptyParameters, ''))
    const quality = range && parseQuality(range.parameters.get('q'))
    return range && quality !== undefined && (range.type !== '*' || range.subtype === '*') ? { range, quality } : []
  })
}

// RFC 9110 §12.4.2: up to three digits after the point; Java's own client leaves out the zero before it.
function parseQuality(text: string | undefined): number | undefined {
  if (text === undefined) return 1
  return /^(?:0\.?|0?\.\d{1,3}|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : undefined
}

// 1 for */*, 2 for type/*, 3 for type/subtype, more for each parameter that the offer has too. A parameter of which the
// offer says nothing, such as the `version` that some clients send to every service, changes nothing.
function specificityOf(range: MediaType, offer: Offer): number | undefined {
  const offered = offeredType(offer.mediaType)
  if (range.type === '*') return 1
  if (range.type !== offered.type) return undefined
  if (range.subtype === '*') return 2
  if (range.subtype !== offered.subtype) return undefined
  let specificity = 3
  for (const [name, value] of range.parameters) {
    if (name === 'q') continue
    if (offer.parameters?.includes(name) || isCharset(name, value) || offered.parameters.get(name) === value)
      specificity++
    else if (name === 'charset' || offered.parameters.has(name)) return undefined
  }
  return specificity
}

const offeredType = remember((text): MediaType => parseMediaType(text)!, remembered)

const isCharset = (name: string, value: string): boolean => name === 'charset' && value.toLowerCase() === 'utf-8'
