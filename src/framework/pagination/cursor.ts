// `?cursor=…` (LIM-PAG-r3): forward and backward through a list, from where the last page ended. Rows that come or go
// meanwhile move nothing: a position is the values of the whole ordering with the key, whether its row still exists or not.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { NotFound } from '../errors/exceptions.ts'
import { remember } from '../remember.ts'
import { JsonText } from '../response.ts'
import { isLongEnough, listSecrets, type Secret } from '../secret.ts'
import { checkPageSize, type Direction, linkTo, type PageRequest, type Paginator, type Position } from './paginator.ts'

export interface CursorOptions {
  /** Signs the cursors; 32 characters or more, the same in all processes of a service. Default: the API's secret. */
  readonly secret?: Secret
  /** Items on a page; default: the API's page size. Without either, the list is not paginated. */
  readonly pageSize?: number
  /** Default `cursor`. */
  readonly cursorQueryParam?: string
  /** Columns that do not change, `-` before one for descending; default `-created`. The key decides among equals. */
  readonly ordering?: string | readonly string[]
}

/** A place between two items, and the way to go from there; without a position, one of the ends. */
interface Cursor {
  readonly direction: Direction
  readonly position: Position | null
}

/** Pages by cursor; a cursor that is forged, cut off, or of another list or ordering is NotFound (LIM-GAP-b1). */
export function cursor(options: CursorOptions = {}): Paginator {
  const { secret, cursorQueryParam = 'cursor' } = options
  const ordering = [options.ordering ?? '-created'].flat()
  checkPageSize('cursor(): pageSize', options.pageSize)
  if (secret !== undefined && !isLongEnough(secret)) throw new Error('cursor(): secret must have 32 characters or more')
  if (ordering.length === 0) throw new Error('cursor(): ordering must name a column')
  const seals = sealsBySecret()
  return Object.freeze<Paginator>({
    ordering,
    needsSecret: secret === undefined,
    plan(request) {
      const size = options.pageSize ?? request.pageSize
      if (size === undefined) return undefined
      const seal = seals((secret ?? request.secret)!)(`cursor\n${pathOf(request.url)} ${ordering.join()}`)
      const given = request.query.get(cursorQueryParam)
      const start: Cursor = given === null ? { direction: 'forward', position: null } : seal.open(given)
      const createLink = linkCreator(request, cursorQueryParam, seal)
      return {
        kind: 'keyset',
        ...start,
        limit: size + 1,
        createPage(found) {
          const page = found.slice(0, size)
          if (start.direction === 'backward') page.reverse()
          const ends = endsOf(start, found.length > size, page.at(0)?.position, page.at(-1)?.position)
          const links = `"next":${createLink(ends.next)},"previous":${createLink(ends.previous)}`
          return { body: new JsonText(`{${links},"results":[${page.map(({ item }) => item).join(',')}]}`) }
        },
      }
    },
  })
}

/** Makes the JSON of the link to a cursor: null where there is no such page. */
function linkCreator(request: PageRequest, param: string, seal: Seal): (cursor: Cursor | null | undefined) => string {
  const hasOthers = request.query.size > (request.query.has(param) ? 1 : 0)
  const beginning = hasOthers ? linkTo(request, { [param]: undefined }) : request.url
  const prefix = `${beginning}${beginning === request.url ? '?' : '&'}${encodeURIComponent(param)}=`
  return cursor =>
    cursor === null ? 'null' : JSON.stringify(cursor === undefined ? beginning : prefix + seal.close(cursor))
}

const pathOf = (url: string): string => url.slice(url.indexOf('/', url.indexOf('//') + 2))

// Null: there is no such page. Undefined: it begins at the start of the list, which needs no cursor.
function endsOf(
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

/** Turns the cursors of a list into text and back. */
interface Seal {
  close(cursor: Cursor): string
  /** Throws NotFound for a text that it did not make. */
  open(text: string): Cursor
}

// There are as many secrets as there are APIs.
function sealsBySecret(): (secret: Secret) => (scope: string) => Seal {
  const known = new Map<Secret, (scope: string) => Seal>()
  return secret => {
    const seals = known.get(secret) ?? remember(scope => createSeal(secret, scope), { entries: 10 })
    known.set(secret, seals)
    return seals
  }
}

// The pages that are asked for most have the same cursors again and again. So many for each of ten lists.
const remembered = { entries: 1000, longest: 500 }

/** `scope` says which list in which ordering. */
function createSeal(secret: Secret, scope: string): Seal {
  const [current, ...fallbacks] = listSecrets(secret) as [string, ...string[]]
  const sign = (payload: string, by = current) =>
    createHmac('sha256', by).update(`${scope}\n${payload}`).digest('base64url')
  const isSigned = (payload: string, signature: string, by?: string) => {
    const [given, expected] = [Buffer.from(signature), Buffer.from(sign(payload, by))]
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
  const write = remember(json => {
    const payload = Buffer.from(json).toString('base64url')
    return `${payload}.${sign(payload)}`
  }, remembered)
  const open = remember((text): Cursor => {
    const [, payload = '', signature = ''] = /^([\w-]{1,4096})\.([\w-]+)$/.exec(text) ?? []
    if (!isSigned(payload, signature) && !fallbacks.some(by => isSigned(payload, signature, by)))
      throw new NotFound('Invalid cursor')
    const [isForward, position] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [number, Position | null]
    return { direction: isForward ? 'forward' : 'backward', position }
  }, remembered)
  return {
    open,
    close: ({ direction, position }) => write(JSON.stringify([direction === 'forward' ? 1 : 0, position])),
  }
}
