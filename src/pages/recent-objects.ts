// The objects that the caller has changed last, for the search: those of the APIs with a view of the caller's changes, such as the
// administration. Each is read again, so objects that are gone or hidden are left out, and each has its present name.

import { addSlash, formatBody, parseIntegers, type RequestContext } from '#core'
import type { Rail, RailSection } from './frame/rail.ts'
import type { Words } from './html/words.ts'
import type { PageLink } from './page/browsable-page.ts'
import { findName, isObjectView } from './page/page-title.ts'
import { readView } from './page/read-view.ts'
import { createContextIn } from './page/view-above.ts'
import { type LoggedChange, readOwnChanges } from './undo/read-changes.ts'

/** How many objects are read: one statement each. */
const maxObjects = 6

/** Reads the objects, the last changed first. */
export async function findRecentObjects(
  context: RequestContext,
  { sections }: Pick<Rail, 'sections'>,
  words: Words,
): Promise<readonly PageLink[]> {
  const changes = await Promise.all(sections.map(section => readSection(context, section)))
  const latest = changes.flat().toSorted((left, right) => right.created.localeCompare(left.created))
  const isFirst = ({ href }: ChangedObject, index: number) => latest.findIndex(other => other.href === href) === index
  const objects = await Promise.all(
    latest
      .filter(isFirst)
      .slice(0, maxObjects)
      .map(object => readObject(object, context, words)),
  )
  return objects.filter(object => object !== undefined)
}

/** An object whose list the caller may open. */
interface ChangedObject extends Pick<LoggedChange, 'created'> {
  readonly section: RailSection
  /** The path of the object below the prefix of its API. */
  readonly path: string
  readonly href: string
}

async function readSection(context: RequestContext, section: RailSection): Promise<readonly ChangedObject[]> {
  const { api, entries } = section
  const [first] = entries
  if (first === undefined) return []
  const changes = await readOwnChanges({ ...createContextIn(context, api, '/'), view: first.view }, first.view, {})
  return changes.flatMap(({ resource, object_key: key, action, created }) => {
    const entry = entries.find(({ view }) => view.resource?.name === resource)
    if (entry === undefined || key === undefined || action === 'destroy') return []
    const segment = `${encodeURIComponent(key)}${api.urlEnd}`
    return [{ created, section, path: entry.view.path + segment, href: addSlash(entry.href) + segment }]
  })
}

async function readObject(
  { section: { api, entries }, path, href }: ChangedObject,
  context: RequestContext,
  words: Words,
): Promise<PageLink | undefined> {
  const match = entries[0]!.view.findMatch(addSlash(path))
  if (match === undefined || !isObjectView(match.target)) return undefined
  const response = await readView(
    createContextIn({ ...context, view: match.target }, api, path, match.parameters),
    match.target,
  )
  if (response?.body === undefined) return undefined
  const kind = words.one(match.target.resource!)
  const name = findName(match.target, parseIntegers(formatBody(response.body)))
  return { text: name === undefined ? `${kind} ${match.parameters.key ?? ''}` : `${name} · ${kind}`, href }
}
