// The filters of a resource: `filters: { status: true, total: ['gte', 'in'], 'customer.country': ['in'], late: filter(…) }`.
// Each lookup becomes a parameter of lists, named as in django-filter: `customer__country__in`. A wrong declaration is an
// error at start that names the fix.

import { sql } from 'kysely'
import { noValues } from '../../database/database.ts'
import type { NamedFullTextIndex, Sql } from '../../database/dialect.ts'
import { nameFullTextIndex } from '../../database/full-text.ts'
import { columnReference } from '../../fields/column-reference.ts'
import type { Field, FieldLocation, Fields } from '../../fields/field.ts'
import { combineVisible } from '../../fields/field-visibility.ts'
import { formatLabel } from '../../metadata.ts'
import { compileCondition, findField, findQueriedValue, type QueriedValue } from '../queried-value.ts'
import { findDependence, noDependence, type RequestDependence } from '../request-dependence.ts'
import { storageColumn, toStoredValue } from '../storage.ts'
import { compileLookup, type ParameterName } from './compile-lookup.ts'
import type { CustomFilter } from './custom-filter.ts'
import { type FullTextFilter, fullTextInput, readPhrases } from './full-text-filter.ts'
import {
  type Comparing,
  checkLookup,
  comparisons,
  isText,
  type Lookup,
  type ParsedLookup,
  parseLookup,
} from './lookups.ts'
import { type FilterValues, type ReadOptions, readFlag, readLookupValues, readSingle, takeOne } from './read-values.ts'

/** The lookups of a field (`true`: only `exact`), a filter with its own SQL, or one by words. */
export type FilterDeclaration = true | readonly Lookup[] | CustomFilter | FullTextFilter

/** Filters by the name of a field, by a path through relations, or by any other name for a filter with its own SQL. */
export type FilterDeclarations = Readonly<Record<string, FilterDeclaration>>

/** The bounds of the filters of one query. */
export interface FilterLimits {
  /** The most filters; default 20. */
  readonly filters?: number
  /** The most values of one `in`; default 100. */
  readonly values?: number
  /** The most groups of filters that are joined with `or`; default 0: the list takes none. */
  readonly groups?: number
}

/** The condition of a filter on the row at this location. */
export type CompileFilter = (location: FieldLocation, parameter: (name: ParameterName) => Sql) => Sql

/** A filter: one parameter of a list. */
export interface Filter extends RequestDependence {
  /** The name of the parameter, such as `total__gte`. */
  readonly parameter: string
  /** What it compares; undefined for a filter with its own SQL or by words. */
  readonly comparison: Comparison | undefined
  /** The fields that it reveals. */
  readonly path: readonly Field[]
  /** Describes the values for forms. */
  readonly input: Field
  /** The conditions of its variants; a filter with one condition has the variant ''. */
  readonly conditions: Readonly<Record<string, CompileFilter>>
  /** Reads the texts of the query, at least one. Rejects with ValidationError. */
  read(texts: readonly string[], options: ReadOptions): Promise<ReadFilter>
  /** The full-text index that it needs, by the table and its key column; undefined for other filters. */
  readonly findFullTextIndex?: (table: string, key: string) => NamedFullTextIndex
  /** Follows the error of a database that rejects the SQL. */
  readonly advice?: string
}

/** A lookup, and the value that it compares. */
export interface Comparison extends ParsedLookup {
  readonly lookup: Lookup
  readonly compared: QueriedValue
}

/** The values of a filter in a request. */
export interface ReadFilter {
  /** The name of the condition. */
  readonly variant: string
  readonly values: FilterValues
}

interface FilteredResource {
  readonly fields: Fields
  readonly filters?: FilterDeclarations
}

/**
 * Creates the filters of a resource. Those that lead through relations which are not resolved yet are left out. Throws for
 * the first mistake.
 */
export function createFilters({ fields, filters = {} }: FilteredResource): readonly Filter[] {
  // Node runs TypeScript without checking types.
  if (Array.isArray(filters)) throw new Error(`filters: write an object, such as { ${filters[0] ?? 'name'}: true }`)
  const created = Object.entries(filters).flatMap(([name, declaration]) => {
    try {
      return createFieldFilters(fields, name, declaration)
    } catch (error) {
      throw new Error(`filters: "${name}": ${(error as Error).message}`)
    }
  })
  const names = created.map(({ parameter }) => parameter)
  const duplicate = names.find((name, index) => names.indexOf(name) < index)
  if (duplicate !== undefined) throw new Error(`filters: two filters have the parameter "${duplicate}": remove one`)
  return created
}

function createFieldFilters(fields: Fields, name: string, declaration: FilterDeclaration): readonly Filter[] {
  if (isObject(declaration)) {
    if (!/^[A-Za-z_][\w-]*$/.test(name))
      throw new Error('the name must be that of a parameter: letters, digits, _ and -')
    return [
      'fullText' in declaration
        ? createFullTextFilter(fields, name, declaration)
        : createCustomFilter(fields, name, declaration),
    ]
  }
  if (declaration !== true && !Array.isArray(declaration))
    throw new Error(`write true, a list of lookups such as ["exact"], or filter(…), not ${JSON.stringify(declaration)}`)
  const compared = findQueriedValue(fields, name)
  if (compared === undefined) return []
  const names = declaration === true ? (['exact'] as const) : declaration
  for (const lookup of names)
    checkLookup(lookup, {
      type: compared.type,
      child: compared.field.child,
      isKey: compared.field.relation !== undefined,
    })
  return names.map(lookup => createLookupFilter(name, lookup, compared))
}

const isObject = (declaration: FilterDeclaration): declaration is CustomFilter | FullTextFilter =>
  typeof declaration === 'object' && declaration !== null && !Array.isArray(declaration)

function createCustomFilter(fields: Fields, name: string, custom: CustomFilter): Filter {
  const { field, columns, volatile, requestUses, compile } = custom
  const path = Object.entries(fields).flatMap(([fieldName, each]) =>
    columns.some(column => column === storageColumn(fieldName, each)) ? each : [],
  )
  return {
    parameter: name,
    comparison: undefined,
    path,
    input: { ...field, ...combineVisible(path) },
    conditions: { '': (location, parameter) => compile(location, parameter('value')) },
    async read(texts, { context }) {
      return { variant: '', values: { value: toStoredValue(field, await readSingle(field, texts, context)) } }
    },
    volatile,
    requestUses,
    usesRelations: false,
  }
}

function createFullTextFilter(fields: Fields, name: string, { fullText, index }: FullTextFilter): Filter {
  if (!Array.isArray(fullText))
    throw new Error(`fullText(): the fields must be a list: write [${JSON.stringify(fullText)}]`)
  if (fullText.length === 0) throw new Error('fullText(): name at least one field')
  const texts = fullText.map(field => findTextColumn(fields, field))
  const columns = texts.map(({ column }) => column)
  const findFullTextIndex = (table: string, key: string) =>
    nameFullTextIndex({ table, columns, key, ...(index !== undefined && { name: index }) })
  return {
    parameter: name,
    comparison: undefined,
    path: texts.map(({ field }) => field),
    input: { ...fullTextInput, ...combineVisible(texts.map(({ field }) => field)) },
    conditions: {
      '': (location, parameter) => {
        const { table, key, dialect } = location
        const named = findFullTextIndex(table, key.column)
        return dialect.fullText.matches(named, column => columnReference(location, column), parameter('value'))
      },
    },
    async read(given, { context }) {
      return { variant: '', values: { value: await readPhrases(takeOne(given), context) } }
    },
    ...noDependence,
    findFullTextIndex,
    advice: ': create its index in a migration with createFullTextIndex()',
  }
}

function findTextColumn(fields: Fields, name: string): { readonly field: Field; readonly column: string } {
  const field = findField(fields, name)
  const column = storageColumn(name, field)
  if (column === undefined || !isText(field))
    throw new Error(`fullText(): field "${name}" does not store a text in a column of its own`)
  return { field, column }
}

function createLookupFilter(path: string, lookup: Lookup, compared: QueriedValue): Filter {
  const { field, wirePath: name } = compared
  const parsed = parseLookup(lookup)
  return {
    parameter: lookup === 'exact' ? name : `${name}__${lookup}`,
    comparison: { ...parsed, lookup, compared },
    path: compared.path,
    input: { ...describeInput(path, parsed, field), ...combineVisible(compared.path) },
    ...createParts(parsed, compared),
    ...findDependence(compared),
  }
}

type FilterParts = Pick<Filter, 'conditions' | 'read'>

const createParts = ({ comparing, negated }: ParsedLookup, compared: QueriedValue): FilterParts =>
  comparing === 'isnull' ? createNullParts(compared) : createLookupParts(comparing, compared, negated)

function createLookupParts(
  comparing: Exclude<Comparing, 'isnull'>,
  compared: QueriedValue,
  negated: boolean,
): FilterParts {
  const compile: CompileFilter = (location, parameter) =>
    compileCondition(compared, location, value =>
      compileLookup[comparing]({ value, compared, dialect: location.dialect, parameter }),
    )
  return {
    // The negation of null is true: a row without a value is one that the comparison does not find.
    conditions: {
      '': negated ? (location, parameter) => sql`(${compile(location, parameter)}) is not true` : compile,
    },
    read: async (texts, options) => ({
      variant: '',
      values: await readLookupValues(comparing, compared, texts, options),
    }),
  }
}

// `isnull=true` finds the rows that `isnull=false` does not find: through relations, those without a related value.
function createNullParts(compared: QueriedValue): FilterParts {
  const compileNotNull: CompileFilter = (location, parameter) =>
    compileCondition(compared, location, value =>
      compileLookup.isnull({ value, compared, dialect: location.dialect, parameter }),
    )
  return {
    conditions: {
      false: compileNotNull,
      true: (location, parameter) => sql`(${compileNotNull(location, parameter)}) is not true`,
    },
    read: async (texts, { context }) => ({ variant: String(await readFlag(texts, context)), values: noValues }),
  }
}

const forms: Readonly<Partial<Record<Comparing, Pick<Field, 'type'>>>> = {
  isnull: { type: 'boolean' },
  date: { type: 'date' },
  year: { type: 'integer' },
}

function describeInput(path: string, { comparing, negated }: ParsedLookup, field: Field): Field {
  const comparison = [...(negated ? ['not'] : []), comparisons[comparing].label].filter(word => word !== '').join(' ')
  const label = `${formatLabel(path.replaceAll('.', ' '), field)}${comparison === '' ? '' : `: ${comparison}`}`
  if (comparing === 'exact') return { ...field, label }
  const { choices: _, relation: __, ...described } = field
  return { ...described, type: 'string', ...forms[comparing], label }
}
