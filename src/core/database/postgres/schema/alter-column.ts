// Changes the definition of a column on PostgreSQL, in an order in which each statement fits the values.

import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql } from 'kysely'
import { quote } from '../../catalogue.ts'
import { quoteText } from '../../editors/definitions.ts'
import { refuseNulls, refuseValues } from '../../editors/rows.ts'
import type { AlterColumn, Change } from '../../schema/change.ts'
import type { ColumnState } from '../../schema/schema-state.ts'
import { addReference, type Editing, findFreeName, findSource, formatPlainType } from './editing.ts'
import { definitions } from './postgres-definitions.ts'
import { normalizeColumn } from './postgres-state.ts'

export async function alterColumn(editing: Editing, change: AlterColumn): Promise<void> {
  const { execute } = editing
  const { table, alterColumn: name, fill, using, ...next } = change
  const current = await editing.findColumn(table, name)
  if (current === undefined) throw new Error(`table "${table}": column "${name}" does not exist`)
  const alter = (text: string) => execute(`alter table ${quote(table)} alter column ${quote(name)} ${text}`)
  const [before, after] = [normalizeColumn(current), normalizeColumn(next)]
  const isReplaced = !isDeepStrictEqual(before.references, after.references)
  if (isReplaced && current.references !== undefined) await dropReference(editing, table, name)
  await changeGenerated(alter, `table "${table}": column "${name}"`, current, next)
  const changesType = !isDeepStrictEqual(before.type, after.type)
  if (changesType && next.generated === undefined) await changeType(editing, change, current)
  if (fill !== undefined)
    await execute(
      `update ${quote(table)} set ${quote(name)} = ${definitions.formatDefault(fill)} where ${quote(name)} is null`,
    )
  if (changesType || !isDeepStrictEqual(before.default, after.default)) await changeDefault(alter, current, next)
  if (next.nullable && !current.nullable) await alter('drop not null')
  if (!next.nullable && current.nullable) await forbidNull(editing, table, name)
  if (isReplaced && next.references !== undefined) await addReference(editing, table, name, next.references)
}

type Alter = (text: string) => Promise<void>

async function changeGenerated(alter: Alter, place: string, current: ColumnState, next: ColumnState): Promise<void> {
  if (current.generated !== undefined && next.generated === undefined) await alter('drop expression')
  if (next.generated === undefined) return
  if (current.generated === undefined)
    throw new Error(`${place}: PostgreSQL cannot compute a column that has values: drop the column and add it again`)
  await alter(`set expression as (${definitions.pick(next.generated)})`)
}

async function changeDefault(alter: Alter, current: ColumnState, next: ColumnState): Promise<void> {
  if (next.default !== undefined) await alter(`set default ${definitions.formatDefault(next.default)}`)
  else if (current.default !== undefined) await alter('drop default')
}

async function changeType({ kysely, execute }: Editing, change: AlterColumn, current: ColumnState): Promise<void> {
  const { table, alterColumn: name, type, using } = change
  const text = formatPlainType(type)
  if (using === undefined) await refuseLoss(kysely, change, formatPlainType(current.type))
  const alter = `alter table ${quote(table)} alter column ${quote(name)}`
  if (current.default !== undefined) await execute(`${alter} drop default`)
  const value =
    using === undefined ? formatCast(quote(name), formatPlainType(current.type), text) : definitions.pick(using)
  await execute(`${alter} type ${text} using (${value})`)
}

// PostgreSQL has no cast between some types, but texts of all.
function formatCast(column: string, from: string, to: string): string {
  const [before, after] = [findFamily(from), findFamily(to)]
  const isFlag = before === 'boolean' && after === 'number'
  const source = before === after ? column : `${column}::${isFlag ? 'integer' : 'text'}`
  return `${source}::${withoutCollation(to)}`
}

function findFamily(type: string): string {
  if (/^(?:smallint|integer|bigint|numeric|real|double precision)/.test(type)) return 'number'
  return /^(?:text|character)/.test(type) ? 'text' : type
}

const withoutCollation = (type: string): string => type.replace(/ collate .*/, '')

/** Before PostgreSQL 16, nothing tells which values a type takes. */
const firstWithValidation = 160_000

// A value survives if it can be converted, and back. Texts may be written in several ways, so only their conversion counts.
async function refuseLoss(kysely: Kysely<unknown>, change: AlterColumn, currentType: string): Promise<void> {
  const { table, alterColumn: name, type } = change
  const { rows } = await sql<{ version: string }>`select current_setting('server_version_num') as version`.execute(
    kysely,
  )
  // Without a database, nothing answers.
  if (Number(rows[0]?.version ?? 0) < firstWithValidation) return
  const [column, next, before] = [quote(name), withoutCollation(formatPlainType(type)), withoutCollation(currentType)]
  const [family, target] = [findFamily(before), findFamily(next)]
  if (family === 'boolean' && target === 'number') return
  const areNumbers = family === 'number' && target === 'number'
  const text = areNumbers && !/^(?:num|real|double)/.test(next) ? `trunc(${column}::numeric)` : column
  const isInvalid = `not pg_input_is_valid(${text}::text, ${quoteText(next)})`
  const isText = [family, target].some(each => each === 'text' || each.startsWith('json'))
  const copy = areNumbers ? `${column}::${next}` : `${column}::text::${next}::text`
  const differs = isText ? 'false' : `${copy}::${before} <> ${column}`
  const named = typeof type === 'string' ? type : `"${next}"`
  const condition = `${column} is not null and case when ${isInvalid} then true else ${differs} end`
  await refuseValues(await findSource(kysely, table), name, named, condition)
}

async function forbidNull(editing: Editing, table: string, column: string): Promise<void> {
  const { kysely, execute, later, canWait } = editing
  await refuseNulls(await findSource(kysely, table), column)
  const replaces = (later: Change) =>
    'table' in later &&
    later.table === table &&
    (('renameColumn' in later && later.renameColumn === column) ||
      ('alterColumn' in later && later.alterColumn === column) ||
      ('dropColumn' in later && later.dropColumn === column))
  if (!canWait(table, replaces))
    return execute(`alter table ${quote(table)} alter column ${quote(column)} set not null`)
  const constraint = await findFreeName(kysely, table, `${table}_${column}_filled`)
  await execute(
    `alter table ${quote(table)} add constraint ${quote(constraint)} check (${quote(column)} is not null) not valid`,
  )
  later.push({ kind: 'not null', table, column, constraint })
}

async function dropReference({ kysely, execute, isListed }: Editing, table: string, column: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select n.conname as name from pg_constraint n join pg_attribute a on a.attrelid = n.conrelid and a.attnum = n.conkey[1]
    where n.conrelid = to_regclass(${quote(table)}) and n.contype = 'f' and cardinality(n.conkey) = 1 and a.attname = ${column}`.execute(
    kysely,
  )
  const names = isListed ? [`${table}_${column}_fkey`] : rows.map(({ name }) => name)
  for (const name of names) await execute(`alter table ${quote(table)} drop constraint ${quote(name)}`)
}
