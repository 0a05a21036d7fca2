// The figures of the administration's home: how many objects there are, failed logins and refused requests, the last changes,
// and warnings about the deployment.

import {
  boolean,
  countRows,
  type Database,
  date,
  integer,
  isPermitted,
  list,
  object,
  type RequestContext,
  type Resource,
  text,
  type ViewOptions,
  view,
} from '#core'
import { type AuditFigures, createAuditFigures, type DayFigures } from '../audit/audit-figures.ts'
import type { LastChange } from '../audit/object-history.ts'
import { accountMessages } from '../messages.ts'
import { isSuperuser } from '../superuser.ts'
import { changeFields } from './history.ts'

/** The number of rows in the table of a resource. */
export interface ResourceCount {
  readonly resource: string
  /** At most `maxCountedRows`. */
  readonly count: number
  readonly has_more: boolean
}

export interface Figures {
  /** The resources whose lists the caller may read. */
  readonly counts: readonly ResourceCount[]
  /** Only for superusers, as the audit log itself; null if no events are stored. */
  readonly days: readonly DayFigures[] | null
  readonly changes: readonly LastChange[] | null
  /** The warnings of `resource-api check --deploy`; null for callers who are not superusers. */
  readonly warnings: readonly string[] | null
}

export interface FiguresOptions {
  readonly database: Database
  /** The resources of the administration. */
  readonly resources: readonly Resource[]
  /** Whether audit events are stored. */
  readonly hasAuditLog: boolean
  readonly listWarnings?: (() => readonly string[]) | undefined
  readonly clock?: (() => Date) | undefined
}

/** Reads the figures that a caller may see. */
export type ReadFigures = (context: RequestContext) => Promise<Figures>

/** Milliseconds after which all but the last changes are read again. */
const maxAge = 60_000

/**
 * Creates the function that reads the figures. Counts, days and warnings are at most a minute old, and shared by all callers in the
 * process; the last changes are read for each call.
 *
 * @example
 * const readFigures = createFigures({ database, resources, hasAuditLog: true })
 * const { counts, days } = await readFigures(context)
 */
export function createFigures({
  database,
  resources,
  hasAuditLog,
  listWarnings = () => [],
  clock = () => new Date(),
}: FiguresOptions): ReadFigures {
  const audit = hasAuditLog ? createAuditFigures(database) : undefined
  const readCounts = cache(clock, () => countAll(database, resources))
  const readDays = cache(clock, async moment => (await audit?.readDays(moment)) ?? null)
  const readWarnings = cache(clock, async () => listWarnings())
  return async context => {
    const visible = new Set(await listReadable(resources, context))
    const counts = (await readCounts()).filter(({ resource }) => visible.has(resource))
    if (!isSuperuser(context.user)) return { counts, days: null, changes: null, warnings: null }
    return { counts, days: await readDays(), changes: await readChanges(audit), warnings: await readWarnings() }
  }
}

/** The fields of a change, and of the object that it changed. */
export const lastChangeFields = {
  ...changeFields,
  resource: text(),
  object_key: text(),
  object_name: text({ nullable: true }),
}

/** How many changes the JSON has. */
const listedChanges = 10

/** The view of the figures, for staff. */
export const figuresView = (readFigures: ReadFigures): ViewOptions =>
  view({
    name: 'Figures',
    description: accountMessages('about.figures'),
    auditEvent: null,
    headers: { 'cache-control': 'no-store' },
    response: {
      counts: list({ of: object({ fields: { resource: text(), count: integer(), has_more: boolean() } }) }),
      days: list({
        of: object({ fields: { day: date(), failed_logins: integer(), refused_requests: integer() } }),
        nullable: true,
      }),
      changes: list({ of: object({ fields: lastChangeFields }), nullable: true }),
      warnings: list({ of: text(), nullable: true }),
    },
    handlers: {
      async GET(context) {
        const { changes, ...figures } = await readFigures(context)
        return { ...figures, changes: changes?.slice(0, listedChanges) ?? null }
      },
    },
  })

const readChanges = async (audit: AuditFigures | undefined) => (await audit?.readLastChanges()) ?? null

function cache<Value>(clock: () => Date, read: (moment: Date) => Promise<Value>): () => Promise<Value> {
  let cached: { readonly time: number; readonly value: Promise<Value> } | undefined
  return () => {
    const moment = clock()
    const time = moment.getTime()
    if (cached === undefined || time < cached.time || time >= cached.time + maxAge) {
      const value = read(moment)
      const entry = { time, value }
      cached = entry
      value.catch(() => {
        if (cached === entry) cached = undefined
      })
    }
    return cached.value
  }
}

async function countAll(database: Database, resources: readonly Resource[]): Promise<readonly ResourceCount[]> {
  const counts: ResourceCount[] = []
  for (const { name, table } of resources) {
    const { count, hasMore } = await countRows(database, table)
    counts.push({ resource: name, count, has_more: hasMore })
  }
  return counts
}

/** The names of the resources whose lists the caller may read. */
export async function listReadable(
  resources: readonly Resource[],
  context: RequestContext,
): Promise<readonly string[]> {
  const names: string[] = []
  for (const resource of resources) if (await mayList(resource, context)) names.push(resource.name)
  return names
}

const mayList = async ({ actions, permissions = [], perAction }: Resource, context: RequestContext): Promise<boolean> =>
  actions.includes('list') && isPermitted({ ...context, method: 'GET' }, perAction.list?.permissions ?? permissions)
