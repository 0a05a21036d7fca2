// Reads the bodies of responses, as data, for the pages that show them.

import { type Envelope, findPageNames, type PageNames } from '#core'

/** The object in a body. */
export const readObject = (body: unknown, { one }: Envelope = {}): Readonly<Record<string, unknown>> =>
  Object(one === undefined ? body : Object(body)[one])

/** The items in a body; undefined if it is not a list. */
export function readItems(body: unknown, envelope: Envelope = {}): readonly unknown[] | undefined {
  const items = Array.isArray(body) ? body : readMember(body, envelope, 'results')
  return Array.isArray(items) ? items : undefined
}

/** A member of a page, by the name that paginators give it; undefined if the page does not have it. */
export function readMember(body: unknown, envelope: Envelope = {}, member: keyof PageNames): unknown {
  const name = findPageNames(envelope)[member]
  return name === null ? undefined : Object(body)[name ?? member]
}
