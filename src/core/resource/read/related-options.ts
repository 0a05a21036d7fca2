// The objects to which a relation can refer, by name: for the controls of pages. The caller gets only objects that the list
// of the related resource would show: its permissions and its row filter apply.

import { type RawBuilder, sql } from 'kysely'
import { parseIntegers } from '../../base/exact-json.ts'
import { type Arguments, compile, type Database, parameter, type Statement } from '../../database/database.ts'
import { rowsOf } from '../../database/row-source.ts'
import { columnReference } from '../../fields/column-reference.ts'
import type { Field, FieldLocation, Relation, RelationTarget } from '../../fields/field.ts'
import { createPathSegment, findPathIdentifier, selectRowName } from '../../fields/identifier.ts'
import { createLevel } from '../../fields/level.ts'
import { createRequestValues, listRequestUsers, type ReadRequestValues } from '../../fields/request-values.ts'
import { andVisible } from '../../fields/visible.ts'
import type { RequestContext } from '../../http/context.ts'
import type { Identifier, KeyValue } from '../../keys/key.ts'
import { parseUrlName } from '../../keys/parse-segment.ts'
import { formatSingularTitle } from '../../messages/title.ts'
import { isPermitted } from '../../policy/permissions/permission.ts'
import type { FindRelatedOptions, RelatedOption, RelatedQuery } from '../../view/metadata.ts'
import type { View } from '../../view/view.ts'
import { comparedColumn } from '../declare/storage.ts'
import { findListPath } from '../names/list-paths.ts'
import { type MountedApi, toBaseUrl } from '../names/mounted-api.ts'
import { formatFilterValues } from '../query/counts.ts'
import { lowerAscii } from '../query/filters/lower-ascii.ts'
import type { Loaded, PageCache } from '../query/page-cache.ts'
import { formatKeyList, hasListedName } from '../sql/key-list.ts'
import { createRelatedRows, type RelatedRows } from '../sql/related-rows.ts'
import { createFieldLocation } from '../sql/select.ts'

interface OptionsParts {
  readonly database: Database
  readonly clock: () => Date
  readonly pageCache: PageCache
}

/** Creates the function that finds the options of the relations of an API. */
export function createOptionsFinder(
  own: MountedApi,
  database: Database | undefined,
  stores: Omit<OptionsParts, 'database'>,
): FindRelatedOptions {
  if (database === undefined) return async () => undefined
  const parts = { ...stores, database }
  const targets = new Map<Relation, NamedTarget>()
  return async (field, query, context) => {
    const relation = field.relation!
    if (!showsTaken(field, relation)) return undefined
    const target = targets.get(relation) ?? createNamedTarget(own, relation, targets.size, parts)
    targets.set(relation, target)
    return (await isAllowed(own, target, context)) ? readOptions(target, query, context, parts) : undefined
  }
}

// Whether responses contain what bodies take, so that a form can select it.
const showsTaken = ({ shownFields }: Pick<Field, 'shownFields'>, relation: Relation): boolean =>
  shownFields === undefined
    ? takesUrl(relation)
      ? relation.linked
      : relation.showsIdentifier
    : Object.hasOwn(shownFields, relation.findValueField())

const takesUrl = ({ findValueField }: Relation): boolean => findValueField() === 'url'

/** A relation, and the statements that read the names of its objects. */
interface NamedTarget {
  readonly relation: Relation
  /** The column by whose values callers name the objects, also in URLs. */
  readonly identifier: Identifier
  readonly api: MountedApi
  readonly related: RelatedRows
  /** The view of the list; undefined if the resource has none. */
  readonly view: View | undefined
  readonly readRequestValues: ReadRequestValues
  /** Whether a name can change while the data does not. */
  readonly isVolatile: boolean
  /** Begins the keys of its options in the cache of pages, which begin with a URL otherwise. */
  readonly cachePrefix: string
  /** The statement for named values, or for a search for this number of words. */
  readonly findStatement: (kind: QueryKind) => OptionsStatement
}

/** Objects with these values or keys, or those that a search for this number of words finds. */
type QueryKind = 'values' | 'keys' | number

type OptionsStatement = Statement<readonly [json: string]>

function createNamedTarget(
  own: MountedApi,
  relation: Relation,
  index: number,
  { database, clock }: OptionsParts,
): NamedTarget {
  const { target } = relation
  const api = own.findApi(target)
  const identifier = takesUrl(relation) ? findPathIdentifier(target) : relation.identifier
  const related = createRelatedRows(own, 'options')
  const location = { ...createFieldLocation(database, target, related), name: '' }
  const statements = new Map<QueryKind, OptionsStatement>()
  const findStatement = (kind: QueryKind): OptionsStatement => {
    const statement = statements.get(kind) ?? compile(database, createQuery({ location, relation, identifier }, kind))
    statements.set(kind, statement)
    return statement
  }
  // Compiling registers the values that the row filter uses.
  findStatement('values')
  const { name, field } = findNameField(target)
  const resource = api.resources.find(found => found.name === target.name)
  const path = resource && findListPath(resource, api.resources)
  return {
    ...{ relation, identifier, api, related, findStatement },
    view: path?.parents.length === 0 ? api.findView(path.pattern) : undefined,
    readRequestValues: createRequestValues(field ? listRequestUsers(target.name, { [name]: field }) : [], clock),
    isVolatile: field?.volatile === true || related.isVolatile(),
    cachePrefix: `options ${index} `,
  }
}

const findNameField = ({ objectName: name = '', fields }: RelationTarget) => ({ name, field: fields[name] })

interface QueriedOptions {
  readonly location: FieldLocation
  readonly relation: Relation
  readonly identifier: Identifier
}

// A search sorts the names that begin with its first word first. Without a search, the caller sorts, because sorting all
// objects of a large table takes long.
function createQuery({ location, relation, identifier }: QueriedOptions, kind: QueryKind): RawBuilder<unknown> {
  const { target } = relation
  const { dialect } = location
  const level = createLevel(location, target)
  const refer = (column: string) => columnReference(level, column)
  const key = selectRowName(dialect, identifier, refer)
  const { name, field } = findNameField(target)
  const value = takesUrl(relation) ? level.createUrl(target, createPathSegment(dialect, identifier, refer)) : key
  const object = dialect.object([
    ['value', value],
    ['key', key],
    ...(field ? [['name', field.show({ ...level, name })] as const] : []),
  ])
  const from = sql`select ${dialect.text(object)} from ${rowsOf(target, level.table)}`
  if (kind === 'values' || kind === 'keys') {
    const named = kind === 'keys' ? target.key : identifier
    const isWanted = hasListedName(dialect, named, { table: target.table, refer }, parameter('values'))
    return sql`${from} where ${isWanted}${andVisible(location, relation, level.table)}`
  }
  const column = field && comparedColumn(name, field)
  const text = dialect.lowerText(column === undefined ? key : columnReference(level, column))
  const isLike = (pattern: string) => dialect.isLike(text, parameter(pattern))
  const conditions = Array.from({ length: kind }, (_, index) => sql` and ${isLike(`term${index}`)}`)
  const order = kind === 0 ? sql`` : sql` order by case when ${isLike('prefix')} then 0 else 1 end, ${text}`
  const condition = sql.join([...conditions, andVisible(location, { target }, level.table)], sql``)
  return sql`${from} where 1 = 1${condition}${order} limit ${dialect.integer(parameter('limit'))}`
}

async function isAllowed(
  own: MountedApi,
  { api, view, relation }: NamedTarget,
  context: RequestContext,
): Promise<boolean> {
  const listView = view?.forMethod('GET')
  const { field } = findNameField(relation.target)
  if (listView === undefined || !listView.handlers.has('GET') || field?.visible?.(context) === false) return false
  const baseUrl = toBaseUrl(api, own, context.baseUrl)
  return isPermitted({ ...context, method: 'GET', view: listView, baseUrl }, listView.permissions)
}

async function readOptions(
  target: NamedTarget,
  { search, values, keys, limit }: RelatedQuery,
  context: RequestContext,
  { database, pageCache }: OptionsParts,
): Promise<readonly RelatedOption[]> {
  const { related, readRequestValues, identifier, findStatement, cachePrefix } = target
  const { key } = target.relation.target
  const wanted = (keys ?? values)?.flatMap(text => (keys ? key.parse(text) : parseValue(text, target)) ?? [])
  if (wanted?.length === 0) return []
  const terms = parseTerms(search)
  const parameters = {
    ...(await related.readValues(context)),
    ...readRequestValues(context),
    base: context.baseUrl,
    ...(wanted
      ? { values: formatKeyList(database.dialect, keys ? key : identifier, wanted.slice(0, limit)) }
      : { limit }),
    ...formatTerms(terms),
  }
  const kind = wanted ? (keys ? 'keys' : 'values') : terms.length
  const statement = findStatement(kind)
  const load = () => loadOptions(target, database, statement, parameters)
  return pageCache.find(`${cachePrefix}${kind} ${formatFilterValues(parameters)}`, load)
}

const maxTerms = 8
const maxTermLength = 200

const parseTerms = (search = ''): readonly string[] =>
  search
    .replaceAll('\0', '')
    .split(/\s+/)
    .filter(term => term !== '')
    .slice(0, maxTerms)
    .map(term => lowerAscii(term.slice(0, maxTermLength)).replace(/[\\%_]/g, '\\$&'))

function formatTerms(terms: readonly string[]): Arguments {
  if (terms.length === 0) return {}
  return { prefix: `${terms[0]}%`, ...Object.fromEntries(terms.map((term, index) => [`term${index}`, `%${term}%`])) }
}

async function loadOptions(
  { relation: { target }, isVolatile }: NamedTarget,
  database: Database,
  statement: OptionsStatement,
  parameters: Arguments,
): Promise<Loaded<readonly RelatedOption[]>> {
  const rows = await database.run(statement, parameters)
  const page = rows.map(([json]) => {
    const { value, key, name } = parseIntegers(json) as Readonly<Record<'value' | 'key' | 'name', unknown>>
    const isNamed = typeof name === 'string' && name.trim() !== ''
    return { value: String(value), name: isNamed ? name : `${formatSingularTitle(target.name)} ${key}` }
  })
  return {
    page,
    size: isVolatile ? undefined : page.reduce((sum, { value, name }) => sum + value.length + name.length, 0),
  }
}

const parseValue = (text: string, { relation, identifier }: NamedTarget): KeyValue | undefined =>
  takesUrl(relation) ? parseUrlName(text, identifier) : identifier.parse(text)
