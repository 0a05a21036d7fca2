import { superuser } from '#accounts'
import {
  Conflict,
  type Connection,
  cursor,
  formatDateTime,
  type ObjectView,
  objectView,
  type Resource,
  resource,
  staff,
} from '#core'
import { jobsTopic, jobTable } from '#jobs'

/**
 * Creates the jobs as a resource of the administration, newest first. Only superusers may use it, because payloads and errors may
 * contain anything. A job that has ended can be run again, and one that waits can be cancelled.
 */
export const jobsResource = (clock: () => Date): Resource =>
  resource('jobs', {
    table: jobTable,
    noStore: true,
    description: 'The work beside requests. Jobs that have ended are deleted after a week.',
    objectName: 'name',
    actions: ['list', 'retrieve'],
    permissions: [staff, superuser],
    pagination: cursor({ ordering: '-id', pageSize: 50 }),
    ordering: ['-id'],
    searchFields: ['name'],
    filters: { state: true, name: true, created_at: ['gte', 'lt'] },
    fields: jobTable.pick(
      'id',
      'name',
      'state',
      'attempts',
      'run_at',
      'created_at',
      'ended_at',
      'priority',
      'payload',
      'result',
      'error',
    ),
    perAction: { list: { shows: ['id', 'name', 'state', 'attempts', 'run_at', 'ended_at'] } },
    objectViews: { retry: retry(clock), cancel: cancel(clock) },
    auditEvent: 'job changed',
  })

const changeJob = (
  clock: () => Date,
  from: readonly string[],
  refusal: string,
  change: (now: string) => Readonly<Record<string, unknown>>,
): ObjectView =>
  objectView({
    response: 'representation',
    handlers: {
      async POST(context) {
        const { database, key, represent } = context
        await database.transaction(async (connection: Connection) => {
          const { numUpdatedRows } = await connection.kysely
            .updateTable('jobs')
            .set(change(formatDateTime(clock())!))
            .where('id', '=', key)
            .where('state', 'in', from)
            .executeTakeFirstOrThrow()
          if (numUpdatedRows === 0n) throw new Conflict(refusal)
          await database.announcements.announce(jobsTopic, connection)
        })
        return represent()
      },
    },
  })

const retry = (clock: () => Date) =>
  changeJob(clock, ['done', 'failed', 'cancelled'], 'Only a job that has ended can run again.', now => ({
    state: 'waiting',
    attempts: 0,
    run_at: now,
    ended_at: null,
    error: null,
    result: null,
  }))

const cancel = (clock: () => Date) =>
  changeJob(clock, ['waiting'], 'Only a job that waits can be cancelled.', now => ({
    state: 'cancelled',
    ended_at: now,
  }))
