// The changes that users have made, newest first. Superusers see all changes, as in the audit log; other staff see their own.

import { html } from 'ghtml'
import type { Database } from '#core'
import {
  dateTime,
  formatDateTime,
  integer,
  list,
  object,
  type RequestContext,
  type Resource,
  text,
  type ViewOptions,
  type ViewPage,
  view,
} from '#core'
import { pageMessages } from '#pages'
import { findUsername } from '../audit/audit.ts'
import { createStoredChanges, type LastChange, shortenChange } from '../audit/object-history.ts'
import { accountMessages } from '../messages.ts'
import { isSuperuser } from '../superuser.ts'
import { changeSentences, createNamedPage } from './change-sentences.ts'
import { lastChangeFields, listReadable } from './figures.ts'
import { changeId, showChange } from './history.ts'

const pageSize = 100

/** The view of the changes. `resources`: those of the administration. */
export function activityView(database: Database, resources: readonly Resource[]): ViewOptions {
  const stored = createStoredChanges(database)
  const read: ReadActivity = async (context, query) => {
    const { user, request, baseUrl, view } = context
    const { change: id, from, until, ...wanted } = query
    const isSuper = isSuperuser(user)
    const own = findUsername(user)
    if (!isSuper && wanted.user !== undefined && wanted.user !== own) return { next: null, results: [] }
    const found = await stored.read({
      ...wanted,
      ...(isSuper ? {} : { user: own ?? '' }),
      ...{ id, from: toStoredTime(from), until: toStoredTime(until) },
      limit: pageSize + 1,
    })
    const page = found.slice(0, pageSize).map(id === undefined ? shortenChange : change => change)
    const readable = isSuper ? undefined : new Set(await listReadable(resources, context))
    const results = page.flatMap(change => showOwn(change, { context, resources, readable }))
    if (found.length <= pageSize) return { next: null, results }
    const parameters = new URLSearchParams(request.url.split('?', 2)[1])
    parameters.set('before', String(page.at(-1)!.id))
    return { next: `${baseUrl}${request.url.split('?', 1)[0]!.slice(view.prefix.length)}?${parameters}`, results }
  }
  return view({
    name: 'Activity',
    description: accountMessages('about.activity'),
    auditEvent: null,
    headers: { 'cache-control': 'no-store' },
    query: {
      user: text({ max: 150, required: false, label: accountMessages('label.user') }),
      resource: text({ max: 200, required: false, label: accountMessages('label.resource') }),
      from: dateTime({ required: false, label: accountMessages('label.from') }),
      until: dateTime({ required: false, label: accountMessages('label.until') }),
      before: integer({ min: 1, max: Number.MAX_SAFE_INTEGER, required: false, help: accountMessages('help.before') }),
      change: changeId,
    },
    response: { next: text({ nullable: true }), results: list({ of: object({ fields: lastChangeFields }) }) },
    page: activityPage(read, resources),
    handlers: { GET: context => read(context, context.query) },
  })
}

/** The parameters of the query. */
interface ActivityQuery extends Partial<Record<'user' | 'resource' | 'from' | 'until', string | undefined>> {
  readonly before?: number | undefined
  readonly change?: number | undefined
}

type ReadActivity = (
  context: RequestContext,
  query: ActivityQuery,
) => Promise<{ readonly next: string | null; readonly results: readonly LastChange[] }>

// The sentences, with a filter by user and links to days, which are those of UTC.
const activityPage =
  (read: ReadActivity, resources: readonly Resource[]): ViewPage =>
  async view => {
    const { context, text } = view
    const page = createNamedPage(view, resources)
    const [path, search] = context.request.url.split('?', 2) as [string, string?]
    const parameters = new URLSearchParams(search)
    // An invalid query has no page of this view.
    const find = (name: string) => parameters.get(name) || undefined
    const findNumber = (name: string) => (find(name) === undefined ? undefined : Number(find(name)))
    const query = {
      ...{ user: find('user'), resource: find('resource'), from: find('from'), until: find('until') },
      ...{ before: findNumber('before'), change: findNumber('change') },
    }
    const { next, results } = await read(context, query)
    const listed = new Set(await listReadable(resources, context))
    const items = changeSentences(results, listed, page)
    const href = `${context.view.root}${context.view.path}`
    const user = parameters.get('user') ?? ''
    return html`<form class="query activity" method="get" action="${href}"><p class="field"><label for="activity-user">${text(accountMessages('label.user'))}</label> <input type="text" id="activity-user" name="user" value="${user}" maxlength="150"> <button>${text(pageMessages('page.apply'))}</button></p></form>
<p class="days">!${dayLinks(href, user, view)}</p>
<section class="history">
!${items.length === 0 ? html`<p class="empty">${text(accountMessages('home.no_activity'))}</p>` : html`<ul>!${items}</ul>`}
!${next === null ? '' : html`<p><a class="button" href="${path}?${next.split('?', 2)[1]!}">${text(pageMessages('page.earlier'))}</a></p>`}</section>
`
  }

const day = 24 * 60 * 60 * 1000

function dayLinks(href: string, user: string, { text, context }: Parameters<ViewPage>[0]): string {
  const today = Math.floor(context.view.clock().getTime() / day) * day
  const link = (key: 'home.today' | 'home.yesterday' | 'home.week', from: number, until: number) => {
    const [start, end] = [from, until].map(time => new Date(time).toISOString().slice(0, 19))
    const parameters = new URLSearchParams({ ...(user !== '' && { user }), from: `${start}Z`, until: `${end}Z` })
    return html`<a class="button" href="${`${href}?${parameters}`}">${text(accountMessages(key))}</a> `
  }
  return [
    link('home.today', today, today + day),
    link('home.yesterday', today - day, today),
    link('home.week', today - 6 * day, today + day),
  ].join('')
}

const toStoredTime = (value: string | undefined): string | undefined =>
  value === undefined ? undefined : formatDateTime(new Date(value))

interface Shown {
  readonly context: RequestContext
  readonly resources: readonly Resource[]
  /** The names of the resources that the caller may list; undefined for a superuser. */
  readonly readable: ReadonlySet<string> | undefined
}

// The audit log shows a superuser all fields, also of resources that the administration does not have.
function showOwn(change: LastChange, { context, resources, readable }: Shown): readonly LastChange[] {
  const resource = resources.find(({ name }) => name === change.resource)
  if (readable !== undefined && (resource === undefined || !readable.has(resource.name))) return []
  return [resource === undefined ? change : showChange(resource, context, change)]
}
