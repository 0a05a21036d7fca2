import { type Field, formatTypeName, invalid, type ParseContext, type RelationTarget } from './field.ts'
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
  show: (location, target, key) => location.createUrl(target, key),
  missing: () => invalid('does_not_exist.url'),
}

/** A relation whose related objects are represented by their absolute URLs. Request bodies may also contain paths. */
export function hyperlinkedRelated(options: ToManyOptions): Field<readonly number[]>
export function hyperlinkedRelated(options: ToOneOptions): Field<number>
export function hyperlinkedRelated(options: ToOneOptions | ToManyOptions): Field<number> | Field<readonly number[]> {
  return 'many' in options ? relatedToMany(options, hyperlink) : relatedToOne(options, hyperlink)
}

function parseHyperlink(input: unknown, context: ParseContext, target: RelationTarget): number {
  if (typeof input !== 'string') {
    throw invalid('incorrect_type.url', { type: formatTypeName(input) })
  }
  const api = context.findApi?.(target) ?? context
  const path = findPath(api.baseUrl, input)
  const route = path === undefined ? undefined : api.route(path)
  if (route === undefined) throw invalid('no_match')
  if (route.name !== target.name || route.key === undefined) {
    throw invalid('incorrect_match')
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
