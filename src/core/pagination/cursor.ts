// `?cursor=…` (LIM-PAG-r3): forward and backward through a list, from the last or first row of a page. Rows that are
// inserted or deleted in the meantime shift nothing: a position holds the values of the whole ordering and the primary key, and
// its row need not exist.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { memoize } from '../base/bounded-map.ts'
import { checkOptionNames, type OptionNames } from '../base/option-names.ts'
import { isLongEnough, listSecrets, type Secret } from '../base/secret.ts'
import { NotFound, ValidationError } from '../errors/exceptions.ts'
import { type JsonMember, JsonPage } from '../http/response.ts'
import { frameworkMessages } from '../messages/english.ts'
import {
  checkPageSize,
  createPageLink,
  type Direction,
  describeLinks,
  type PageRequest,
  type Paginator,
  type Position,
  type PositionedItem,
} from './paginator.ts'

export interface CursorOptions {
  /** Signs the cursors; 32 characters or more, the same in all processes of a service. Default: the API's secret. */
  readonly secret?: Secret
  /** Items per page; default: the API's page size. If neither is set, the list is not paginated. */
  readonly pageSize?: number
  /** Default `cursor`. */
  readonly cursorQueryParam?: string
  /**
   * Columns, fields and paths whose values do not change, `-` before one for descending; default `-created`. The primary key
   * breaks ties. A query with `ordering` replaces them.
   */
  readonly ordering?: string | readonly string[]
}

/** A position between two items, and the direction of the page; a null position is the start or end of the list. */
interface Cursor {
  readonly direction: Direction
  readonly position: Position | null
}

const optionNames: OptionNames<CursorOptions> = {
  secret: true,
  pageSize: true,
  cursorQueryParam: true,
  ordering: true,
}

/**
 * Creates a paginator with signed cursors. A cursor that is forged, truncated, or of another list or ordering is
 * NotFound (LIM-GAP-b1).
 */
export function cursor(options: CursorOptions = {}): Paginator<'next' | 'previous'> {
  const { secret, cursorQueryParam = 'cursor' } = options
  const ordering = [options.ordering ?? '-created'].flat()
  checkOptionNames('cursor()', options, optionNames)
  checkPageSize('cursor(): pageSize', options.pageSize)
  if (secret !== undefined && !isLongEnough(secret)) throw new Error('cursor(): secret must have 32 characters or more')
  if (ordering.length === 0) throw new Error('cursor(): ordering must name a column')
  const findSigner = cacheSigners()
  return Object.freeze<Paginator<'next' | 'previous'>>({
    ordering,
    parameters: { [cursorQueryParam]: { type: 'string' } },
    needsSecret: secret === undefined,
    describePages: pageSize =>
      options.pageSize === undefined && pageSize === undefined
        ? undefined
        : { members: describeLinks, isOptional: false },
    plan(request) {
      const size = options.pageSize ?? request.pageSize
      if (size === undefined) return undefined
      const order = (request.ordering ?? ordering).join()
      const signer = findSigner((secret ?? request.secret)!)(`cursor\n${toPath(request.url)} ${order}`)
      const text = request.query.get(cursorQueryParam)
      const start: Cursor = text === null ? { direction: 'forward', position: null } : signer.parse(text)
      const createLink = createLinkFormatter(request, cursorQueryParam, signer)
      return {
        kind: 'keyset',
        ...start,
        limit: size + 1,
        createPage(rows) {
          const page = rows.slice(0, size)
          if (start.direction === 'backward') page.reverse()
          const neighbours = findNeighbours(start, rows.length > size, page.at(0)?.position, page.at(-1)?.position)
          const members: readonly JsonMember[] = [
            ['next', createLink(neighbours.next)],
            ['previous', createLink(neighbours.previous)],
          ]
          return { body: new JsonPage(page.map(toItem), members) }
        },
      }
    },
  })
}

const toItem = ({ item }: PositionedItem): string => item

/** Creates a function that formats the link to a cursor as JSON: null if there is no such page. */
function createLinkFormatter(
  request: PageRequest,
  param: string,
  signer: CursorSigner,
): (cursor: Cursor | null | undefined) => string {
  const hasOtherParams = request.query.size > (request.query.has(param) ? 1 : 0)
  const firstPage = hasOtherParams ? createPageLink(request, { [param]: undefined }) : request.url
  const prefix = `${firstPage}${firstPage === request.url ? '?' : '&'}${encodeURIComponent(param)}=`
  return cursor =>
    cursor === null ? 'null' : JSON.stringify(cursor === undefined ? firstPage : prefix + signer.format(cursor))
}

const toPath = (url: string): string => url.slice(url.indexOf('/', url.indexOf('//') + 2))

// Null: there is no such page. Undefined: the page is the first of the list, which needs no cursor.
function findNeighbours(
  { direction, position }: Cursor,
  hasMore: boolean,
  first: Position = [],
  last: Position = [],
): Readonly<Record<'next' | 'previous', Cursor | null | undefined>> {
  const isEmpty = first.length === 0
  if (direction === 'forward') {
    const previous: Cursor = { direction: 'backward', position: isEmpty ? null : first }
    return { next: hasMore ? { direction, position: last } : null, previous: position === null ? null : previous }
  }
  const next: Cursor | undefined = isEmpty ? undefined : { direction: 'forward', position: last }
  return { next: position === null ? null : next, previous: hasMore ? { direction, position: first } : null }
}

/** Formats and parses the signed cursors of one list. */
interface CursorSigner {
  /** Throws ValidationError if the values of the position are too long for a cursor. */
  format(cursor: Cursor): string
  /** Throws NotFound if the signature is invalid. */
  parse(text: string): Cursor
}

// The map stays small: there is one secret per API.
function cacheSigners(): (secret: Secret) => (scope: string) => CursorSigner {
  const signersBySecret = new Map<Secret, (scope: string) => CursorSigner>()
  return secret => {
    const createForScope =
      signersBySecret.get(secret) ?? memoize(scope => createSigner(secret, scope), { maxEntries: 10 })
    signersBySecret.set(secret, createForScope)
    return createForScope
  }
}

/** The longest position in a cursor, in characters of its encoding: a URL with it fits the header limits of common proxies. */
export const maxPositionLength = 6144

// Many requests for popular pages contain the same cursors. These limits apply to each list whose signer is kept.
const cacheOptions = { maxEntries: 1000, maxLength: 500 }

/** `scope` identifies the list and its ordering. */
function createSigner(secret: Secret, scope: string): CursorSigner {
  const [current, ...fallbacks] = listSecrets(secret) as [string, ...string[]]
  const sign = (payload: string, signingSecret = current) =>
    createHmac('sha256', signingSecret).update(`${scope}\n${payload}`).digest('base64url')
  const isSigned = (payload: string, signature: string, signingSecret?: string) => {
    const [actual, expected] = [Buffer.from(signature), Buffer.from(sign(payload, signingSecret))]
    return actual.length === expected.length && timingSafeEqual(actual, expected)
  }
  const formatSigned = memoize(json => {
    const payload = Buffer.from(json).toString('base64url')
    if (payload.length > maxPositionLength) throw new ValidationError({ ordering: [frameworkMessages('max_position')] })
    return `${payload}.${sign(payload)}`
  }, cacheOptions)
  const parse = memoize((text): Cursor => {
    const [, payload = '', signature = ''] = /^([\w-]+)\.([\w-]+)$/.exec(text) ?? []
    const isAccepted = [current, ...fallbacks].some(each => isSigned(payload, signature, each))
    if (payload.length > maxPositionLength || !isAccepted) throw new NotFound(frameworkMessages('not_found.cursor'))
    const [isForward, position] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [number, Position | null]
    return { direction: isForward ? 'forward' : 'backward', position }
  }, cacheOptions)
  return {
    parse,
    format: ({ direction, position }) => formatSigned(JSON.stringify([direction === 'forward' ? 1 : 0, position])),
  }
}
