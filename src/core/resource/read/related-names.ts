// The names of related objects, for pages: one statement per relation, whose result is cached until the next commit. A name shows
// only what the caller may read: the permissions of the related resource and its row filter apply.

import { sql } from 'kysely'
import { parseIntegers } from '../../base/exact-json.ts'
import { type Arguments, compile, parameter, type Statement } from '../../database/database.ts'
import { rowsOf } from '../../database/row-source.ts'
import { columnReference } from '../../fields/column-reference.ts'
import { type Field, type Fields, hasNames, type Relation } from '../../fields/field.ts'
import { createFieldIdentifier, findPathIdentifier, selectRowName } from '../../fields/identifier.ts'
import { isText } from '../../fields/kinds/kind.ts'
import { createLevel } from '../../fields/level.ts'
import { createRequestValues, listRequestUsers, type ReadRequestValues } from '../../fields/request-values.ts'
import { storageColumn } from '../../fields/storage.ts'
import { andVisible } from '../../fields/visible.ts'
import { nameOnWire } from '../../fields/wire-names.ts'
import type { RequestContext } from '../../http/context.ts'
import { endUrl } from '../../http/urls/trailing-slash.ts'
import { formatRowName, type Identifier, type KeyValue, toRowName } from '../../keys/key.ts'
import { parseUrlName } from '../../keys/parse-segment.ts'
import { formatResourcePath } from '../../messages/title.ts'
import { isPermitted } from '../../policy/permissions/permission.ts'
import type { ListMetadata, ObjectNames, RelatedName } from '../../view/metadata.ts'
import type { View } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { findListPath, formatObjectPattern } from '../names/list-paths.ts'
import { type MountedApi, toBaseUrl } from '../names/mounted-api.ts'
import { formatFilterValues } from '../query/counts.ts'
import type { Loaded } from '../query/page-cache.ts'
import { formatKeyList, hasListedName } from '../sql/key-list.ts'
import { createRelatedRows, type RelatedRows } from '../sql/related-rows.ts'
import { createFieldLocation } from '../sql/select.ts'

type ReadNames = ListMetadata['readNames']

/** The most objects of a relation whose names are read for one page. */
const maxNames = 500

/** Creates the function that reads the names of the objects to which these fields refer. */
export function createNamesReader(bound: BoundResource, fields: Fields): ReadNames {
  const found = new Map<string, NamedRelation | undefined>()
  const findRelation = (name: string, field: Field): NamedRelation | undefined => {
    if (!found.has(name)) found.set(name, createNamedRelation(bound, name, field))
    return found.get(name)
  }
  const named = Object.entries(fields)
    .filter(([, field]) => hasNames(field))
    .map(([name, field]) => [nameOnWire(name, field), field] as const)
  return async (values, context) => {
    const reading = named.map(async ([name, field]) => {
      const relation = values[name] === undefined ? undefined : findRelation(name, field)
      const names = relation && (await readField(bound, relation, values[name]!, context))
      return names === undefined ? [] : [[name, names] as const]
    })
    return Object.fromEntries((await Promise.all(reading)).flat())
  }
}

type FieldNames = ObjectNames[string]

/** A relation, and the statement that reads the names of its objects. */
interface NamedRelation {
  readonly relation: NamingRelation
  /** The column whose values the field shows, also in URLs. */
  readonly identifier: Identifier
  /** The identifier in the URLs of its objects. */
  readonly pathIdentifier: Identifier
  readonly api: MountedApi
  readonly related: RelatedRows
  /** The view of an object; undefined if it has no page. */
  readonly view: View | undefined
  readonly statement: Statement<readonly [json: string]>
  readonly readRequestValues: ReadRequestValues
  /** Whether a name can change while the data does not. */
  readonly isVolatile: boolean
  /** Begins the keys of its names in the cache of pages, which begin with a URL otherwise. */
  readonly cachePrefix: string
}

type NamingRelation = Pick<Relation, 'target' | 'linked' | 'identifier' | 'ignoreRowFilter'>

// A unique column of another table names an object if a resource of the API shows the row by this name.
function findNaming({ relation, foreignColumn }: Field, { api }: BoundResource): NamingRelation | undefined {
  if (relation !== undefined || foreignColumn === undefined) return relation
  const { target: row, column, ignoreRowFilter = false } = foreignColumn
  const target = api.resources.find(
    ({ table, actions, objectName = '', fields: { [objectName]: field } }) =>
      table === row.table && actions.includes('retrieve') && isUniqueColumn(column, objectName, field),
  )
  if (target === undefined) return undefined
  return { target, linked: false, identifier: createFieldIdentifier(target, target.objectName!), ignoreRowFilter }
}

function isUniqueColumn(column: string, name: string, field: Field | undefined): boolean {
  if (field === undefined || field.unique === undefined || field.visible !== undefined) return false
  return storageColumn(name, field) === column && isText(field.kind)
}

function createNamedRelation(bound: BoundResource, fieldName: string, shown: Field): NamedRelation | undefined {
  const { resource, database, api: own, clock } = bound
  const relation = findNaming(shown, bound)
  if (relation === undefined) return undefined
  const { target, linked } = relation
  const api = own.findApi(target)
  const pathIdentifier = findPathIdentifier(target)
  const identifier = linked ? pathIdentifier : relation.identifier
  const related = createRelatedRows(own, 'named')
  const location = { ...createFieldLocation(database, resource, related), name: '' }
  const level = createLevel(location, target)
  const name = target.objectName!
  const field = target.fields[name]!
  const { dialect } = database
  const refer = (column: string) => columnReference(level, column)
  const object = dialect.object([
    ['value', selectRowName(dialect, identifier, refer)],
    ['segment', selectRowName(dialect, pathIdentifier, refer)],
    ['name', field.show({ ...level, name })],
  ])
  const isWanted = hasListedName(dialect, identifier, { table: target.table, refer }, parameter('values'))
  const query = sql`select ${dialect.text(object)} from ${rowsOf(target, level.table)} where ${isWanted}${andVisible(location, relation, level.table)}`
  const path = findListPath(api.resources.find(found => found.name === target.name)!, api.resources)
  return {
    ...{ relation, identifier, pathIdentifier, api, related },
    view: path && api.findView(formatObjectPattern({ ...(target.lookup && { lookup: target.lookup }) }, path)),
    statement: compile(database, query),
    readRequestValues: createRequestValues(listRequestUsers(target.name, { [name]: field }), clock),
    isVolatile: field.volatile === true || related.isVolatile(),
    cachePrefix: `names ${resource.name} ${fieldName}`,
  }
}

async function readField(
  bound: BoundResource,
  named: NamedRelation,
  values: readonly unknown[],
  context: RequestContext,
): Promise<FieldNames | undefined> {
  const { api, view, related, readRequestValues, cachePrefix } = named
  const getView = view?.forMethod('GET')
  if (getView === undefined || !getView.handlers.has('GET')) return undefined
  const baseUrl = toBaseUrl(api, bound.api, context.baseUrl)
  if (!(await isPermitted({ ...context, method: 'GET', view: getView, baseUrl }, getView.permissions))) return undefined
  const texts = [...new Set(values.map(String))].slice(0, maxNames)
  const parameters = {
    ...(await related.readValues(context)),
    ...readRequestValues(context),
    base: context.baseUrl,
  }
  const key = `${cachePrefix} ${formatFilterValues(parameters)}${JSON.stringify(texts)}`
  return bound.pageCache.find(key, () => loadNames(bound, named, texts, parameters, getView.root))
}

async function loadNames(
  { database }: BoundResource,
  named: NamedRelation,
  texts: readonly string[],
  parameters: Arguments,
  root: string,
): Promise<Loaded<ReadonlyMap<string, RelatedName>>> {
  const { identifier, pathIdentifier, statement, relation, api, isVolatile } = named
  const keys = texts.flatMap(text => parseValue(text, named) ?? [])
  const values = formatKeyList(database.dialect, identifier, keys)
  const rows = keys.length === 0 ? [] : await database.run(statement, { ...parameters, values })
  const objects = rows.map(([json]) => parseIntegers(json) as NamedObject)
  const byValue = new Map(objects.map(object => [String(object.value), object]))
  const listUrl = `${root}/${formatResourcePath(relation.target)}/`
  const toName = ({ name, segment }: NamedObject): RelatedName => ({
    name: String(name),
    href: endUrl(`${listUrl}${formatRowName(pathIdentifier, segment)}/`, api.urlEnd),
  })
  const page = new Map(
    texts.flatMap(text => {
      const object = byValue.get(parseRowName(text, named))
      const hasName = typeof object?.name === 'string' && object.name.trim() !== ''
      return hasName ? [[text, toName(object)] as const] : []
    }),
  )
  return { page, size: isVolatile ? undefined : measureNames(page) }
}

function measureNames(names: ReadonlyMap<string, RelatedName>): number {
  let size = 0
  for (const [text, { name, href = '' }] of names) size += text.length + name.length + href.length
  return size
}

interface NamedObject {
  readonly value: KeyValue
  readonly segment: KeyValue
  readonly name: unknown
}

const parseValue = (text: string, { relation, identifier }: NamedRelation): KeyValue | undefined =>
  relation.linked ? parseUrlName(text, identifier) : identifier.parse(text)

function parseRowName(text: string, named: NamedRelation): string {
  const value = parseValue(text, named)
  return String(value && toRowName(named.identifier, value))
}
