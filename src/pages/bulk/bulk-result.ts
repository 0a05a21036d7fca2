// The result of an action for several objects: how many it changed, how many refused, and why. The parts of an action that takes
// several requests, and the notice after the last one, pass it on as a text.

import type { Words } from '../html/words.ts'

/** The result. */
export interface BulkResult {
  readonly done: number
  readonly refused: number
  /** The first reasons that differ. */
  readonly reasons: readonly Reason[]
}

/** Why objects refused; `path`: the first of them. */
interface Reason {
  readonly text: string
  readonly path: string
  readonly count: number
}

/** An object that refused. */
export type Refusal = Pick<Reason, 'text' | 'path'>

export const emptyResult: BulkResult = { done: 0, refused: 0, reasons: [] }

// The cookie of the notice must fit into a header field.
const maxReasons = 3
const maxLength = 150

/** Adds the result of further objects. */
export function addResult(
  { done, refused, reasons }: BulkResult,
  count: number,
  refusals: readonly Refusal[],
): BulkResult {
  const all = new Map(reasons.map(reason => [reason.text, reason]))
  for (const refusal of refusals) {
    const [text, path] = [cut(refusal.text), cut(refusal.path)]
    const reason = all.get(text)
    if (reason !== undefined) all.set(text, { ...reason, count: reason.count + 1 })
    else if (all.size < maxReasons) all.set(text, { text, path, count: 1 })
  }
  return {
    done: done + count - refusals.length,
    refused: refused + refusals.length,
    reasons: [...all.values()],
  }
}

const cut = (text: string): string => text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')

/** Formats the result for a form or a cookie. */
export const formatResult = ({ done, refused, reasons }: BulkResult): string =>
  `${done}-${refused}-${Buffer.from(JSON.stringify(reasons)).toString('base64url')}`

/** Parses what `formatResult` has formatted; undefined for other texts. */
export function parseResult(text: string): BulkResult | undefined {
  const [, done, refused, encoded] = /^(\d{1,6})-(\d{1,6})-([\w-]*)$/.exec(text) ?? []
  if (encoded === undefined) return undefined
  try {
    const reasons: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString())
    if (!Array.isArray(reasons)) return undefined
    return { done: Number(done), refused: Number(refused), reasons: reasons.map(readReason) }
  } catch {
    return undefined
  }
}

// The text comes from the client.
function readReason(value: unknown): Reason {
  const { text, path, count } = Object(value)
  return { text: cut(String(text)), path: cut(String(path)), count: Number(count) }
}

/** The lines about the objects that refused; none if all were changed. */
export const listRefusals = ({ refused, reasons }: BulkResult, words: Words): readonly string[] =>
  refused === 0
    ? []
    : [
        words('page.bulk_failed', { count: refused }),
        ...reasons.map(({ text, path, count }) => words('page.bulk_reason', { reason: text, path, count })),
      ]
