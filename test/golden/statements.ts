// Lists every statement of a resource, each with a name that says when it runs.

import { Parameter, type Statement } from '../../src/core/database/database.ts'
import type { Field } from '../../src/core/fields/field.ts'
import { combineFilters } from '../../src/core/policy/permissions/row-filter.ts'
import type { BoundResource } from '../../src/core/resource/bind/bound-resource.ts'
import { hasHooks } from '../../src/core/resource/declare/hooks.ts'
import { createOrdering } from '../../src/core/resource/query/declared-ordering.ts'
import { createListQueryParser } from '../../src/core/resource/read/list.ts'
import { compileExistence, compileSameValues } from '../../src/core/resource/sql/check.ts'
import { compileKeysetQuery, compileList } from '../../src/core/resource/sql/list.ts'
import { reverseOrdering } from '../../src/core/resource/sql/ordering.ts'
import { compileColumns } from '../../src/core/resource/sql/select.ts'

type NamedStatements = readonly (readonly [name: string, statement: Statement])[]

/** Lists the statements of the resource's actions, checks and views. */
export async function listResourceStatements(bound: BoundResource): Promise<NamedStatements> {
  const { resource, statements, many, relationRows } = bound
  const { retrieve, insert, load, update, updateLocked, destroy } = statements
  const ifAction = (action: string, named: NamedStatements): NamedStatements =>
    resource.actions.includes(action as never) ? named : []
  const rows = relationRows.flatMap(
    ({ name, remove, add }): NamedStatements => [
      [`write: remove the rows of ${name}`, remove],
      [`write: add the rows of ${name}`, add],
    ],
  )
  const destroyStatements: NamedStatements = hasHooks(resource, 'destroy')
    ? [
        ['destroy in a transaction: lock', many.lock.destroy],
        ['destroy in a transaction', many.remove],
      ]
    : [['destroy', destroy]]
  const isWritten = resource.actions.includes('create') || resource.actions.includes('update')
  return [
    ...ifAction('list', await listStatements(bound)),
    ...ifAction('retrieve', [['retrieve', retrieve]]),
    ...ifAction('create', [
      ['create', insert],
      ['create: read the new object', many.written.create],
    ]),
    ...ifAction('update', [
      ['update: load the object', load.update],
      ['update', update],
      ['update in a transaction: lock', many.lock.update],
      ['update in a transaction', updateLocked],
      ['update: read the changed object', many.written.update],
    ]),
    ...ifAction('destroy', [['destroy: load the object', load.destroy], ...destroyStatements]),
    ...(isWritten ? [...rows, ...listCheckStatements(bound)] : []),
    ...listViewStatements(bound),
  ]
}

async function listStatements(bound: BoundResource): Promise<NamedStatements> {
  const { database, resource, plans, related, paginator } = bound
  const list = { ...plans.list, related }
  const defaultStatements = compileList(database, resource, list, createOrdering(resource, resource.ordering))
  const everything = await createListQueryParser(bound)(everyParameter(bound), {
    baseUrl: '',
    route: () => undefined,
  })
  const { filter: requestFilter, ordering = [] } = everything
  const filters = [list.filter, requestFilter].filter(filter => filter !== undefined)
  const filter = combineFilters(filters)
  const requested = compileList(database, resource, { ...list, filter }, createOrdering(resource, ordering))
  const cursorOrdering = paginator?.ordering && createOrdering(resource, paginator.ordering, 'public')
  return [
    ['list: a page', defaultStatements.page],
    ['list: the last page', defaultStatements.lastPage],
    ['list: a slice without the count', defaultStatements.slice],
    ['list: only the count', defaultStatements.count],
    ['list: the first rows', defaultStatements.keyset.first],
    ['list: the rows after a cursor position', defaultStatements.keyset.after],
    ...(everything.shape === ''
      ? []
      : ([
          ['list, searched, filtered and ordered: a page', requested.page],
          ['list, searched, filtered and ordered: the rows after a cursor position', requested.keyset.after],
        ] as const)),
    ...(cursorOrdering === undefined
      ? []
      : ([
          ['list, by cursor: forward', compileKeysetQuery(database, resource, list, cursorOrdering).after],
          [
            'list, by cursor: backward',
            compileKeysetQuery(database, resource, list, reverseOrdering(cursorOrdering)).after,
          ],
        ] as const)),
  ]
}

/** The query parameters of a request that uses the search, all filters and all ordering fields of a list. */
function everyParameter({ resource, filters }: BoundResource): URLSearchParams {
  const { searchFields = [], orderingFields = [] } = resource
  const pairs: [string, string][] = [
    ...(searchFields.length > 0 ? [['search', 'two words'] as [string, string]] : []),
    ...filters.all.map(({ parameter, input }): [string, string] => [parameter, createSampleValue(input)]),
    ...(orderingFields.length > 0 ? [['ordering', orderingFields.join()] as [string, string]] : []),
  ]
  return new URLSearchParams(pairs)
}

function createSampleValue({ kind, choices, relation }: Field): string {
  if (choices !== undefined) return String([...choices.keys()][0])
  if (relation !== undefined || kind.name === 'integer') return '1'
  return kind.name === 'boolean' ? 'true' : 'a'
}

function listCheckStatements({ database, resource, related }: BoundResource): NamedStatements {
  const writable = Object.entries(resource.fields).filter(([, field]) => !field.readOnly)
  return [
    ...writable.flatMap(([name, { relation }]): NamedStatements => {
      if (relation === undefined) return []
      const condition = () => related.visibleCondition(relation.target, relation.target.table)
      return [[`check: do the objects of ${name} exist?`, compileExistence(database, relation, condition)]]
    }),
    ...[
      ...writable.flatMap(([name, { unique }]) => (unique === undefined ? [] : [[name]])),
      ...resource.uniqueTogether,
    ].map(names => [`check: is ${names.join(', ')} taken?`, compileSameValues(database, resource, names)] as const),
  ]
}

function listViewStatements({ database, resource, plans }: BoundResource): NamedStatements {
  return Object.entries(resource.objectViews ?? {}).map(([name, { columns = [] }]) => [
    `view ${name}: read the object`,
    compileColumns(database, resource, columns, plans.retrieve.filter),
  ])
}

/** The parameter name or constant value of each placeholder, in order. */
export const listParameters = ({ parameters }: Statement): readonly string[] =>
  parameters.map(value => (value instanceof Parameter ? value.name : JSON.stringify(value)))
