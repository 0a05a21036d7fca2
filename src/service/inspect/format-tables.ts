// Writes the declarations of existing tables: TypeScript that asks for the same tables.

import type { ColumnType, ExistingState } from '#core'
import { type Declared, describeColumn } from './describe-column.ts'
import { type Code, type CodeObject, code, formatCode, formatText, nameConstants } from './format-code.ts'

type TableState = ExistingState['tables'][string]

export interface FormatOptions {
  /** The owner of the tables. */
  readonly owner: string
}

/** The text of a module that declares the tables, with a comment for each thing that a declaration cannot say. */
export function formatTables({ tables, notes }: ExistingState, { owner }: FormatOptions): string {
  const declared = Object.keys(tables).filter(name => tables[name]!.key.length > 0)
  const constants = nameConstants(declared)
  const used = new Set<string>()
  const blocks = declared.map(name => formatTable(name, tables, notes[name] ?? [], constants.get(name)!, used))
  const omitted = Object.keys(tables)
    .filter(name => !declared.includes(name))
    .map(
      name =>
        `// The table "${name}" has no primary key, so it is not declared: a resource can still name it as a text.\n`,
    )
  const list = declared.map(name => constants.get(name)).join(', ')
  return [
    formatImports(used),
    ...omitted,
    ...blocks,
    `export const schema = tables({\n  owner: ${formatText(owner)},\n  tables: [${list}],\n  migrations: import.meta.dirname + '/migrations',\n})\n`,
  ].join('\n')
}

function formatTable(
  name: string,
  tables: ExistingState['tables'],
  notes: readonly string[],
  constant: string,
  used: Set<string>,
): string {
  const { columns, key, indexes, checks } = tables[name]!
  const columnsInCode: Record<string, Code> = {}
  const [types, defaults]: readonly [Record<string, ColumnType>, Record<string, unknown>] = [{}, {}]
  const onlyKey = key.length === 1 ? key[0]! : undefined
  const names = nameColumns(columns)
  let keyCode: Code | undefined
  for (const [column, state] of Object.entries(columns)) {
    const declared: Declared = describeColumn(column, state, {
      isKey: column === onlyKey,
      name: names.get(column)!,
      referredType: findReferredType(tables, state),
    })
    columnsInCode[names.get(column)!] = declared.code
    for (const each of declared.imports) used.add(each)
    if (declared.key !== undefined) keyCode = declared.key
    if (declared.type !== undefined) types[names.get(column)!] = declared.type
    if (state.default !== undefined) defaults[names.get(column)!] = state.default
  }
  const toName = (column: string) =>
    column.startsWith('-') ? `-${names.get(column.slice(1))}` : (names.get(column) ?? column)
  const options: CodeObject = {
    ...(keyCode && { key: keyCode }),
    ...(onlyKey === undefined && { key: key.map(toName) }),
    columns: columnsInCode,
    ...(Object.keys(types).length > 0 && { types }),
    ...(Object.keys(defaults).length > 0 && { defaults }),
    ...(Object.keys(indexes).length > 0 && {
      indexes: Object.entries(indexes).map(([index, { columns: indexed, unique, where }]) => ({
        name: index,
        columns: indexed.map(toName),
        ...(unique && { unique }),
        ...(where !== undefined && { where: formatSql(where, used) }),
      })),
    }),
    ...(Object.keys(checks).length > 0 && {
      checks: Object.fromEntries(Object.entries(checks).map(([check, text]) => [check, formatSql(text, used)])),
    }),
  }
  const renamed = Object.keys(checks).filter(check => !check.startsWith(`${name}_`))
  const checkNotes = renamed.map(check => `the name of the check "${check}": a declared one begins with "${name}_"`)
  const comments = [...notes, ...checkNotes].map(note => `// Not declared: ${note}.\n`).join('')
  return `${comments}export const ${constant} = table(${formatText(name)}, ${formatCode(options, '')})\n`
}

function findReferredType(
  tables: ExistingState['tables'],
  { references }: TableState['columns'][string],
): ColumnType | undefined {
  const target = references && tables[references.table]
  const type = target?.columns[references!.column ?? 'id']?.type
  return type === 'key' ? 'integer' : type
}

/** `author` for the reference `author_id`, unless another column has this name. */
function nameColumns(columns: TableState['columns']): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(columns).map(([column, { references }]) => {
      const short = column.replace(/_id$/, '')
      const isFree = short !== '' && (short === column || !Object.hasOwn(columns, short))
      return [column, references !== undefined && isFree ? short : column]
    }),
  )
}

function formatSql(text: unknown, used: Set<string>): Code {
  used.add('sql')
  return code(`() => sql.raw(${formatText(typeof text === 'string' ? text : Object.values(text as object)[0])})`)
}

const ofTables = new Set(['reference', 'generated'])

function formatImports(used: ReadonlySet<string>): string {
  const [own, others] = [['table', 'tables'], [] as string[]]
  for (const name of used) if (name !== 'sql') (ofTables.has(name) ? own : others).push(name)
  return [
    ...(used.has('sql') ? ["import { sql } from 'kysely'"] : []),
    ...(others.length > 0 ? [`import { ${others.toSorted().join(', ')} } from 'resource-api'`] : []),
    `import { ${own.toSorted().join(', ')} } from 'resource-api/tables'`,
    '',
  ].join('\n')
}
