// Every statement of a resource, by a name that says when it runs.

import { Parameter, type Statement } from '../../src/framework/database/database.ts'
import type { Field } from '../../src/framework/fields/field.ts'
import { everyFilter } from '../../src/framework/permissions/row-filter.ts'
import type { BoundResource } from '../../src/framework/resources/bound-resource.ts'
import { createListQueryParser } from '../../src/framework/resources/list-query.ts'
import type { Resource } from '../../src/framework/resources/resource.ts'
import { compileExistence, compileSame } from '../../src/framework/resources/sql/check.ts'
import { compileKeysetQuery, compileList } from '../../src/framework/resources/sql/list.ts'
import { completeOrdering, reverseOrdering } from '../../src/framework/resources/sql/ordering.ts'
import { compileColumns } from '../../src/framework/resources/sql/select.ts'
import { comparedColumn } from '../../src/framework/resources/storage.ts'

type Named = readonly (readonly [name: string, statement: Statement])[]

/** The statements of all actions, checks and views of a resource; those of actions that it does not have are left out. */
export async function statementsOf(bound: BoundResource): Promise<Named> {
  const { resource, statements, relationRows } = bound
  const { retrieve, insert, written, load, update, lock, updateLocked, destroy } = statements
  const has = (action: string, named: Named): Named => (resource.actions.includes(action as never) ? named : [])
  const rows = relationRows.flatMap(
    ({ name, remove, add }): Named => [
      [`write: remove the rows of ${name}`, remove],
      [`write: add the rows of ${name}`, add],
    ],
  )
  const isWritten = resource.actions.includes('create') || resource.actions.includes('update')
  return [
    ...has('list', await listStatements(bound)),
    ...has('retrieve', [['retrieve', retrieve]]),
    ...has('create', [
      ['create', insert],
      ['create: the new object, read again', written.create],
    ]),
    ...has('update', [
      ['update: the state that it is decided by', load.update],
      ['update', update],
      ['update in a transaction: lock', lock],
      ['update in a transaction', updateLocked],
      ['update: the changed object, read again', written.update],
    ]),
    ...has('destroy', [
      ['destroy: the state that it is decided by', load.destroy],
      ['destroy', destroy],
    ]),
    ...(isWritten ? [...rows, ...checks(bound)] : []),
    ...viewStatements(bound),
  ]
}

async function listStatements(bound: BoundResource): Promise<Named> {
  const { database, resource, plans, related, paginator } = bound
  const list = { ...plans.list, related }
  const plain = compileList(database, resource, list, resource.ordering)
  const everything = await createListQueryParser(bound)(everyParameter(resource), {
    baseUrl: '',
    route: () => undefined,
  })
  const { filter: narrowed, ordering = [] } = everything
  const filters = [list.filter, narrowed].filter(filter => filter !== undefined)
  const filter = everyFilter(filters)
  const columns = ordering.map(name => comparedColumn(name, resource.fields[name]!)!)
  const asked = compileList(
    database,
    resource,
    { ...list, filter },
    completeOrdering(columns, resource.key, resource.fields),
  )
  const walked = paginator?.ordering && completeOrdering(paginator.ordering, resource.key, resource.fields)
  return [
    ['list: a page', plain.page],
    ['list: the last page', plain.lastPage],
    ['list: a part without the count', plain.slice],
    ['list: the count alone', plain.count],
    ['list: the first rows', plain.keyset.first],
    ['list: the rows behind a position', plain.keyset.after],
    ...(everything.shape === ''
      ? []
      : ([
          ['list, searched, filtered and ordered: a page', asked.page],
          ['list, searched, filtered and ordered: the rows behind a position', asked.keyset.after],
        ] as const)),
    ...(walked === undefined
      ? []
      : ([
          ['list, by cursor: forward', compileKeysetQuery(database, resource, list, walked).after],
          ['list, by cursor: backward', compileKeysetQuery(database, resource, list, reverseOrdering(walked)).after],
        ] as const)),
  ]
}

/** A query that asks for all that callers may ask of the list. */
function everyParameter({ fields, searchFields = [], filters = [], orderingFields = [] }: Resource): URLSearchParams {
  const pairs: [string, string][] = [
    ...(searchFields.length > 0 ? [['search', 'two words'] as [string, string]] : []),
    ...filters.map((name): [string, string] => [name, sampleOf(fields[name]!)]),
    ...(orderingFields.length > 0 ? [['ordering', orderingFields.join()] as [string, string]] : []),
  ]
  return new URLSearchParams(pairs)
}

function sampleOf({ type, choices, relation }: Field): string {
  if (choices !== undefined) return [...choices][0]!
  if (relation !== undefined || type === 'integer') return '1'
  return type === 'boolean' ? 'true' : 'a'
}

function checks({ database, resource, related }: BoundResource): Named {
  const writable = Object.entries(resource.fields).filter(([, field]) => !field.readOnly)
  return [
    ...writable.flatMap(([name, { relation }]): Named => {
      if (relation === undefined) return []
      const condition = related.visible(relation.target, relation.target.table)
      return [[`check: do the objects of ${name} exist?`, compileExistence(database, relation.target, condition)]]
    }),
    ...[
      ...writable.flatMap(([name, { unique }]) => (unique === undefined ? [] : [[name]])),
      ...resource.uniqueTogether,
    ].map(names => [`check: is ${names.join(', ')} taken?`, compileSame(database, resource, names)] as const),
  ]
}

function viewStatements({ database, resource, plans }: BoundResource): Named {
  return Object.entries(resource.objectViews ?? {}).map(([name, { columns = [] }]) => [
    `view ${name}: its object`,
    compileColumns(database, resource, columns, plans.retrieve.filter),
  ])
}

/** The names of parameters, or values, that the placeholders stand for, in their order. */
export const parametersOf = ({ parameters }: Statement): readonly string[] =>
  parameters.map(value => (value instanceof Parameter ? value.name : JSON.stringify(value)))
