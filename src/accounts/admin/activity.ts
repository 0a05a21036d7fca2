// What users have changed, newest first. Superusers see all changes, as in the audit log; other staff see their own.

import type { Database } from '#core'
import {
  dateTime,
  formatDateTime,
  type HandlerContext,
  integer,
  list,
  object,
  type Resource,
  text,
  type ViewOptions,
  view,
} from '#core'
import { findUsername } from '../audit/audit.ts'
import { createStoredChanges, type LastChange, shortenChange } from '../audit/object-history.ts'
import { accountMessages } from '../messages.ts'
import { isSuperuser } from '../superuser.ts'
import { lastChangeFields, listReadable } from './figures.ts'
import { changeId, showChange } from './history.ts'

const pageSize = 100

/** The view of the changes. `resources`: those of the administration. */
export function activityView(database: Database, resources: readonly Resource[]): ViewOptions {
  const stored = createStoredChanges(database)
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
    handlers: {
      async GET(context) {
        const { user, query, request, baseUrl, view } = context
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
      },
    },
  })
}

const toStoredTime = (value: string | undefined): string | undefined =>
  value === undefined ? undefined : formatDateTime(new Date(value))

interface Shown {
  readonly context: HandlerContext
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
