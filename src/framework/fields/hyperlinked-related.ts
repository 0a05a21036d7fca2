import type { KeyValue } from '../keys/key.ts'
import { type Field, formatTypeName, invalid, type ParseContext, type RelationTarget } from './field.ts'
import { createPathSegment, findPathIdentifier } from './identifier.ts'
import {
  type KeyRepresentation,
  relatedToMany,
  relatedToOne,
  type ToManyOptions,
  type ToOneOptions,
} from './related.ts'

const hyperlink: KeyRepresentation = {
  type: 'url',
  parse: parseHyperlink,
  show: (location, target, key) =>
    location.createUrl(target, createPathSegment(location.dialect, findPathIdentifier(target), key)),
  missing: () => invalid('Invalid hyperlink - Object does not exist.', 'does_not_exist'),
}

/** A relation whose related objects are represented by their absolute URLs. Request bodies may also contain paths. */
export function hyperlinkedRelated(options: ToManyOptions): Field<readonly KeyValue[]>
export function hyperlinkedRelated(options: ToOneOptions): Field<KeyValue>
export function hyperlinkedRelated(
  options: ToOneOptions | ToManyOptions,
): Field<KeyValue> | Field<readonly KeyValue[]> {
  return 'many' in options ? relatedToMany(options, hyperlink) : relatedToOne(options, hyperlink)
}

function parseHyperlink(input: unknown, context: ParseContext, target: RelationTarget): KeyValue {
  if (typeof input !== 'string') {
    throw invalid(`Incorrect type. Expected URL string, received ${formatTypeName(input)}.`, 'incorrect_type')
  }
  const api = context.findApi?.(target) ?? context
  const path = findPath(api.baseUrl, input)
  const route = path === undefined ? undefined : api.route(path)
  if (route === undefined) throw invalid('Invalid hyperlink - No URL match.', 'no_match')
  if (route.name !== target.name || route.key === undefined) {
    throw invalid('Invalid hyperlink - Incorrect URL match.', 'incorrect_match')
  }
  return route.key
}

// URLs with another origin are rejected, even if their path exists here.
function findPath(baseUrl: string, input: string): string | undefined {
  const base = new URL(`${baseUrl}/`)
  if (!/^(?:https?:\/\/|\/(?!\/))/i.test(input) || !URL.canParse(input, base.href)) return undefined
  const { origin, pathname } = new URL(input, base.href)
  return origin === base.origin && pathname.startsWith(base.pathname)
    ? pathname.slice(base.pathname.length - 1)
    : undefined
}
