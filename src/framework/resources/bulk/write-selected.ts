// Changes or deletes the objects that a person has selected on a page: each as the request for it alone would, with its permissions,
// checks, hooks and recorded change, but all in one transaction, because a commit takes longer than its statements (decision 084).

import type { HandlerContext } from '../../context.ts'
import { NotFound } from '../../errors/exceptions.ts'
import { parseSegment } from '../../keys/parse-segment.ts'
import type { WriteSelected } from '../../metadata.ts'
import { formatListPath, formatObjectPattern } from '../list-paths.ts'
import type { ResourceLocation } from '../resource-location.ts'
import { seenBy } from '../seen-resource.ts'
import { createDestroyer, createUpdater, isWritten, reportWritten, withoutEnvelope } from './bulk-handlers.ts'
import type { NamedItem } from './named-items.ts'
import { formatRefusal, type Outcome, writeEach } from './write-each.ts'

/** Creates the functions that write the selected objects, by method. */
export function createSelectedWriters(location: ResourceLocation): Readonly<Record<'PATCH' | 'DELETE', WriteSelected>> {
  const { objects: bound, list } = location
  const { resource, identifier } = bound
  const place = {
    pattern: list.pattern,
    objectPattern: formatObjectPattern(resource, list),
    formatPath: (context: HandlerContext) => formatListPath(resource.name, list, context),
  }
  const plain = withoutEnvelope(bound)
  const nameAll = (segments: readonly string[], data: object): readonly NamedItem[] =>
    segments.map(segment => {
      const name = parseSegment(segment, identifier)
      return { data, field: 'detail', name, ...(name === undefined && { error: new NotFound() }) }
    })
  const listRefusals = (outcomes: readonly Outcome[], request: HandlerContext) =>
    outcomes.map(outcome => (isWritten(outcome) ? undefined : formatRefusal(outcome.error, request)))
  return {
    async PATCH(segments, values, request) {
      const seen = seenBy(plain, request)
      const items = nameAll(segments, values)
      const outcomes = await writeEach(seen, items, createUpdater(seen, request, items, { partial: true }))
      reportWritten(place, { bound, request, status: 200 }, outcomes.filter(isWritten))
      return listRefusals(outcomes, request)
    },
    async DELETE(segments, _values, request) {
      const items = nameAll(segments, {})
      const outcomes = await writeEach(bound, items, createDestroyer(bound, request, items))
      reportWritten(place, { bound, request, status: 204 }, outcomes.filter(isWritten))
      return listRefusals(outcomes, request)
    },
  }
}
