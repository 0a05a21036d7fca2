// A filter whose value is a small language: the application parses the text into a condition on the other filters of the list, whose fields
// read the values. So a text reveals no more than the filters that the resource declares, and to a caller only the ones that the caller has.

import { sql } from 'kysely'
import type { SqlValue } from '../../../database/database.ts'
import type { Sql } from '../../../database/dialect.ts'
import { mapErrors } from '../../../errors/error-tree.ts'
import { type ErrorDetail, ValidationError } from '../../../errors/exceptions.ts'
import { invalid, shorten } from '../../../errors/invalid.ts'
import { createUnknownNameError } from '../../../errors/unknown-name.ts'
import { text } from '../../../fields/kinds/text.ts'
import { readValue } from '../../../fields/read-fields.ts'
import { frameworkMessages } from '../../../messages/english.ts'
import type { Condition, ConditionValue } from '../../../tables/condition.ts'
import type { ParsedFilter } from '../../declare/filters.ts'
import { noDependence } from '../request-dependence.ts'
import type { CompileFilter, Filter, FilterOptions } from './filter.ts'
import { takeOne } from './read-values.ts'

/** Creates the filter of a list from its declaration. Throws if it has no function. */
export function createParsedFilter(name: string, { parse, help }: ParsedFilter): Filter {
  if (typeof parse !== 'function')
    throw new Error('"parse" must be a function that returns a condition on the other filters')
  const input = text({ ...(help !== undefined && { help }) })
  return {
    parameter: name,
    lookup: undefined,
    path: [],
    input,
    conditions: {},
    isParsed: true,
    async read(texts, options) {
      const given = (await readValue(input, takeOne(texts), options.context)) as string
      const reader = createReader(options)
      const { shape, compile } = await reader.readAll(parse(given))
      return { variant: shape, values: reader.values, compile, filters: reader.filters }
    },
    ...noDependence,
  }
}

const maxNameLength = 100

/** A part of the condition. Parts with the same shape differ only in their values. */
interface Part {
  readonly shape: string
  readonly compile: CompileFilter
}

type PartOfCondition = Condition[string]

function createReader(options: FilterOptions) {
  const known = new Map(options.filters.flatMap(filter => (filter.isParsed ? [] : [[filter.parameter, filter]])))
  const values: Record<string, SqlValue> = {}
  const filters: Filter[] = []
  let count = 0

  const readAll = async (condition: Condition): Promise<Part> => {
    const parts: Part[] = []
    for (const [name, part] of Object.entries(condition)) parts.push(await readPart(name, part))
    return joinParts('and', parts)
  }
  const readEach = async (joint: 'and' | 'or', conditions: readonly Condition[]): Promise<Part> => {
    const parts: Part[] = []
    for (const each of conditions) parts.push(await readAll(each))
    return joinParts(joint, parts)
  }
  const readPart = async (name: string, part: PartOfCondition): Promise<Part> => {
    // Parts without a comparison count too: they bound the depth.
    if (++count > options.maxFilters) throw invalid('max_filters', { max: options.maxFilters })
    if (name === 'and' || name === 'or') return readEach(name, part as readonly Condition[])
    return name === 'not' ? negate(await readAll(part as Condition)) : readFilter(name, part as ConditionValue)
  }
  const readFilter = async (name: string, value: ConditionValue): Promise<Part> => {
    const filter = known.get(name)
    if (filter === undefined)
      throw new ValidationError(within(name, createUnknownNameError('unknown_parameter', name, known.keys())) as never)
    const prefix = filters.push(filter)
    const { variant, values: read } = await readWithin(name, () => filter.read(formatTexts(name, value), options))
    for (const [each, given] of Object.entries(read)) values[`${prefix} ${each}`] = given
    return {
      shape: `${name}=${variant}`,
      compile: (location, parameter) => filter.conditions[variant]!(location, each => parameter(`${prefix} ${each}`)),
    }
  }
  return { readAll, values, filters }
}

const negate = ({ shape, compile }: Part): Part => ({
  shape: `not(${shape})`,
  compile: (location, parameter) => sql`(${compile(location, parameter)}) is not true`,
})

const joints = { and: sql` and `, or: sql` or ` }
const withoutParts = { and: sql`true`, or: sql`false` }

const joinParts = (joint: 'and' | 'or', parts: readonly Part[]): Part => ({
  shape: `${joint}(${parts.map(({ shape }) => shape).join()})`,
  compile: (location, parameter): Sql =>
    parts.length === 0
      ? withoutParts[joint]
      : sql`(${sql.join(
          parts.map(({ compile }) => compile(location, parameter)),
          joints[joint],
        )})`,
})

/** The value as texts of a query. */
function formatTexts(name: string, value: ConditionValue): readonly string[] {
  if (Array.isArray(value)) return value.map(each => quote(String(each)))
  if (typeof value === 'object')
    throw new Error(`parse: "${name}" must be compared with a text, a number, a boolean or a list of them`)
  return [String(value)]
}

// The texts are those of a list, in which a comma separates values.
const quote = (text: string): string => (/^$|[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

async function readWithin<Read>(name: string, read: () => Promise<Read>): Promise<Read> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    throw new ValidationError(mapErrors(error.errors, each => within(name, each)) as never)
  }
}

/** The error of a filter, as one of the whole text. */
const within = (filter: string, error: ErrorDetail): ErrorDetail => ({
  ...frameworkMessages('within_filter', { filter: shorten(filter, maxNameLength), error }),
  code: error.code,
})
