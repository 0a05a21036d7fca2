// Drafts the resources of declared tables: fields, relations, and what lists offer. Nothing that looks secret is public.

import { type Code, call, code } from '../code/format-code.ts'
import type { DeclaredColumn, DeclaredTable, InspectOptions } from './declare-tables.ts'
import { nameResources } from './name-constants.ts'

export interface Draft {
  /** The name of the resource. */
  readonly name: string
  /** What the draft leaves out, as sentences. */
  readonly comments: readonly string[]
  /** The options of the resource; absent if the table has none. */
  readonly options?: object
}

/** The tables with a resource, with the names of these resources. */
type ResourceNames = ReadonlyMap<string, string>

export function draftResources(tables: readonly DeclaredTable[], options: InspectOptions): readonly Draft[] {
  const paths = nameResources(tables.map(({ constant }) => constant))
  const omissions = new Map(tables.map(table => [table.name, findOmission(table, options)]))
  const names: ResourceNames = new Map(
    tables.flatMap(({ name, constant }) => (omissions.get(name) === undefined ? [[name, paths.get(constant)!]] : [])),
  )
  const joins = tables.filter(isJoinTable)
  return tables.flatMap(table => {
    const omission = omissions.get(table.name)
    if (omission === undefined) return [draftResource(table, { names, joins, django: options.django })]
    return isJoinTable(table)
      ? []
      : [{ name: paths.get(table.constant)!, comments: [`The table "${table.name}" has no resource: ${omission}.`] }]
  })
}

function findOmission(table: DeclaredTable, { django }: InspectOptions): string | undefined {
  const { name, key, notes } = table
  if (isJoinTable(table)) return 'it joins two others'
  if (notes.includes('the table is a partition of another table')) return 'it is a partition of another table'
  if (key === undefined)
    return table.state.key.length > 1 ? 'its key has several columns' : 'no key of a resource has the type of its key'
  if (
    isSecret(key) ||
    secretTables.test(name) ||
    (django !== undefined && /^(?:authtoken_token|django_session)$/.test(name))
  )
    return 'it looks secret'
  return undefined
}

const secretTables =
  /(?:^|_)(?:(?:access|refresh|auth|api)?_?tokens?|secrets?|passwords?|credentials?|sessions|api_?keys?)$/i

const secretWords = new Set(
  'password passwd pwd passphrase secret secrets token tokens hash hashes hashed digest salt credential credentials otp pin cvv cvc ssn apikey'.split(
    ' ',
  ),
)

/** Whether the name says that the values are nobody else's business. */
export function isSecret(column: string): boolean {
  const words = column
    .replaceAll(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, '_')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
  return (
    words.some(
      word =>
        secretWords.has(word) || /^(?:password|passwd|secret|token)|(?:password|passwd|secret|token|hash)$/.test(word),
    ) || /(?:api|private|access|session|encryption|signing)_key|session_data/.test(words.join('_'))
  )
}

/** Whether the rows only join the rows of two tables, or two rows of one: an INSERT may omit all other columns. */
function isJoinTable({ columns, state: { key } }: DeclaredTable): boolean {
  const relations = columns.filter(({ state }) => state.references !== undefined)
  const others = columns.filter(({ state }) => state.references === undefined)
  if (relations.length !== 2 || relations.some(({ field }) => field !== undefined)) return false
  if (key.length === 1) return others.length === 1 && others[0]!.state.type === 'key'
  const isOptional = ({ state: each }: DeclaredColumn) => each.nullable === true || each.default !== undefined
  return key.length === 2 && relations.every(({ column }) => key.includes(column)) && others.every(isOptional)
}

interface Surroundings {
  readonly names: ResourceNames
  readonly joins: readonly DeclaredTable[]
  readonly django: InspectOptions['django']
}

function draftResource(table: DeclaredTable, { names, joins, django }: Surroundings): Draft {
  const { name, constant, columns, key, state } = table
  const omitted = new Map(
    columns.flatMap(column => {
      const reason = findColumnOmission(column, key, names)
      return reason === undefined ? [] : [[column, reason] as const]
    }),
  )
  const shown = columns.filter(column => !omitted.has(column))
  const picked = shown.filter(({ field }) => field !== undefined).map(column => column.name)
  const relations = shown.filter(({ field }) => field === undefined)
  const unwritten = [
    ...omitted.keys(),
    ...columns.filter(column => column.column === key && cannotCreate(column)),
  ].filter(({ state: each }) => !each.nullable && each.default === undefined && each.generated === undefined)
  const generic = findGenericReference(table)
  const isReadOnly = django?.isOwn(name) || generic !== undefined
  return {
    name: names.get(name)!,
    comments: [
      ...[...omitted].map(([{ column }, reason]) => `Left out: ${column}, because ${reason}.`),
      ...shown
        .filter(({ field }) => field?.isGuess)
        .map(({ column }) => `Guessed from the rows: the decimal places of ${column}.`),
      ...(isReadOnly || unwritten.length === 0
        ? []
        : [`No create, because nothing would write ${unwritten.map(({ column }) => column).join(', ')}.`]),
      ...(generic === undefined
        ? []
        : [`Read-only, because ${generic} refers to rows of any table, which nothing checks.`]),
    ],
    options: {
      table: code(constant),
      fields: {
        ...(picked.length > 0 && { [`...${constant}.pick`]: call(`${constant}.pick`, ...picked) }),
        ...Object.fromEntries(relations.map(column => [column.name, relate(column, key, names)])),
        ...Object.fromEntries(joins.flatMap(join => relateThrough(join, table, names))),
      },
      ...draftQuery(shown, state),
      actions: isReadOnly
        ? ['list', 'retrieve']
        : unwritten.length > 0
          ? ['list', 'retrieve', 'update', 'destroy']
          : undefined,
    },
  }
}

function findColumnOmission(column: DeclaredColumn, key: string | undefined, names: ResourceNames): string | undefined {
  const { field, state } = column
  if (column.column === key) return undefined
  if (isSecret(column.column)) return 'it looks secret'
  if (field?.omission !== undefined) return field.omission
  if (!/^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(column.name)) return 'its name cannot be that of a field'
  if (field !== undefined) return undefined
  const { table } = state.references!
  return names.has(table) ? undefined : `the table "${table}" has no resource`
}

/** Whether bodies cannot give the key, and the database does not make it. */
const cannotCreate = ({ field, state }: DeclaredColumn): boolean =>
  field?.name === 'integer' && state.type !== 'key' && state.default === undefined

function relate(
  { name, column, state: { references, nullable } }: DeclaredColumn,
  key: string | undefined,
  names: ResourceNames,
): Code {
  return call('related', names.get(references!.table), {
    column: column === `${name}_id` ? undefined : column,
    nullable,
    fixed: column === key ? true : undefined,
  })
}

/** The relation to many through a join table, for the table that its name begins with, or else the first one. */
function relateThrough(
  join: DeclaredTable,
  { name }: DeclaredTable,
  names: ResourceNames,
): readonly (readonly [string, Code])[] {
  const [first, second] = join.columns.filter(({ state }) => state.references !== undefined) as [
    DeclaredColumn,
    DeclaredColumn,
  ]
  const [own, other] =
    !startsWith(join.name, first) && startsWith(join.name, second) ? [second, first] : [first, second]
  if (own.state.references!.table !== name || !names.has(other.state.references!.table)) return []
  const rest = join.name.slice(name.length).replace(/^_/, '')
  const field =
    join.name.startsWith(`${name}_`) && rest !== ''
      ? rest
      : names.get(other.state.references!.table)!.replaceAll('-', '_')
  const many = { table: join.name, own: own.column, other: other.column }
  return [[field, call('related', names.get(other.state.references!.table), { many, default: code('[]') })]]
}

const startsWith = (join: string, { state }: DeclaredColumn): boolean => join.startsWith(`${state.references!.table}_`)

/** The columns of a generic reference of Django: a content type, and the key of a row. */
function findGenericReference({ columns }: DeclaredTable): string | undefined {
  const type = columns.find(({ state }) => state.references?.table === 'django_content_type')
  const id = columns.find(({ column }) => column === 'object_id')
  return type && id && `${type.column} with ${id.column}`
}

const nameWords = /(?:^|_)(?:name|title|subject|label|slug|code|username|first_name|last_name|email)$|name$|title$/i

function draftQuery(shown: readonly DeclaredColumn[], { indexes }: DeclaredTable['state']): object {
  const isIndexed = ({ column }: DeclaredColumn) =>
    Object.values(indexes).some(({ columns: [first] }) => first === column || first === `-${column}`)
  const fieldName = ({ field }: DeclaredColumn) => field?.name
  const free = shown.filter(({ name }) => !parameters.has(name.toLowerCase()))
  const filters = free.flatMap((column): (readonly [string, unknown])[] => {
    const field = fieldName(column)
    if (field === undefined || field === 'boolean' || field === 'choice') return [[column.name, true]]
    if (field === 'date' || field === 'dateTime') return [[column.name, ['gte', 'lt']]]
    return isIndexed(column) && field !== 'json' && column.code !== undefined ? [[column.name, true]] : []
  })
  const texts = shown.filter(column => fieldName(column) === 'text' && column.key === undefined)
  const named = texts.filter(({ column }) => nameWords.test(column))
  const search = (named.length > 0 ? named : texts.slice(0, 1)).slice(0, 3).map(({ name }) => name)
  const ordering = shown
    .filter(column => ['date', 'dateTime', 'decimal'].includes(fieldName(column) ?? ''))
    .map(({ name }) => name)
  const list = (names: readonly string[]) => (names.length === 0 ? undefined : names)
  return {
    filters: filters.length === 0 ? undefined : Object.fromEntries(filters),
    searchFields: list(search),
    orderingFields: list([...search.slice(0, 1), ...ordering].slice(0, 6)),
  }
}

/** The parameters that lists have already. */
const parameters = new Set([
  'page',
  'page_size',
  'limit',
  'offset',
  'cursor',
  'search',
  'ordering',
  'format',
  'fields',
  'expand',
])
