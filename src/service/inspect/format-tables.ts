// Writes the declarations of existing tables: TypeScript that asks for the same tables.

import type { ColumnType, ExistingState } from '#core'
import { code, formatLines, formatText, listFunctions } from '../code/format-code.ts'
import { describeColumn, describeSql } from './describe-column.ts'
import { nameConstants } from './name-constants.ts'

type TableState = ExistingState['tables'][string]

export interface FormatOptions {
  /** The owner of the tables. */
  readonly owner: string
}

/** The text of a module that declares the tables, with a comment for each thing that a declaration cannot say. */
export function formatTables({ tables, notes }: ExistingState, { owner }: FormatOptions): string {
  const hasKey = (name: string) => tables[name]!.key.length > 0
  const declared = Object.keys(tables).filter(hasKey)
  const omitted = Object.keys(tables).filter(name => !hasKey(name))
  const constants = nameConstants(declared)
  const options = declared.map(name => describeTable(tables[name]!, tables))
  const blocks = declared.map((name, index) => {
    const comments = [...notes[name]!, ...noteChecks(name, tables[name]!)].map(note =>
      formatComment(`Not declared: ${note}.`),
    )
    return `${comments.join('')}export const ${constants.get(name)} = table(${formatText(name)}, ${formatLines(options[index]!)})\n`
  })
  const schema = {
    owner,
    tables: declared.map(name => code(constants.get(name)!)),
    migrations: code("import.meta.dirname + '/migrations'"),
  }
  return [
    formatImports(new Set(['table', 'tables', ...listFunctions(options)])),
    ...omitted.map(name =>
      formatComment(
        `The table "${name}" has no primary key, so it is not declared: a resource can still name it as a text.`,
      ),
    ),
    ...blocks,
    `export const schema = tables(${formatLines(schema)})\n`,
  ].join('\n')
}

/** The options of the call `table(name, options)`. */
function describeTable({ columns, key, indexes, checks }: TableState, tables: ExistingState['tables']): object {
  // The field key() says neither that a key has several columns nor that it refers to a table.
  const onlyKey = key.length === 1 && columns[key[0]!]!.references === undefined ? key[0]! : undefined
  const names = nameColumns(columns)
  const declared = Object.entries(columns).map(([column, state]) => {
    const name = names.get(column)!
    const place = { isKey: column === onlyKey, name, referredType: findReferredType(tables, state) }
    return { name, default: state.default, ...describeColumn(column, state, place) }
  })
  const list = (property: 'code' | 'type' | 'default') =>
    declared.flatMap(each => (each[property] === undefined ? [] : [[each.name, each[property]] as const]))
  const toName = (column: string) => names.get(column) ?? `-${names.get(column.slice(1))}`
  return {
    key: onlyKey === undefined ? key.map(toName) : declared.find(each => each.key)?.key,
    columns: Object.fromEntries(list('code')),
    types: toOption(list('type')),
    defaults: toOption(list('default')),
    indexes:
      Object.keys(indexes).length === 0
        ? undefined
        : Object.entries(indexes).map(([name, { columns: indexed, unique, where }]) => ({
            name,
            columns: indexed.map(toName),
            unique,
            where: where && describeSql(where),
          })),
    checks: toOption(Object.entries(checks).map(([check, text]) => [check, describeSql(text)])),
  }
}

const toOption = (entries: readonly (readonly [string, unknown])[]): object | undefined =>
  entries.length === 0 ? undefined : Object.fromEntries(entries)

const noteChecks = (table: string, { checks }: TableState): readonly string[] =>
  Object.keys(checks)
    .filter(check => !check.startsWith(`${table}_`))
    .map(check => `the name of the check "${check}": a declared one begins with "${table}_"`)

const formatComment = (text: string): string => `// ${text.replaceAll(/\s*[\n\r\u2028\u2029]\s*/g, ' ')}\n`

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

function formatImports(used: ReadonlySet<string>): string {
  const modules = Map.groupBy([...used].toSorted(), findModule)
  const lines = [...modules].toSorted().map(([module, names]) => {
    const line = `import { ${names.join(', ')} } from '${module}'\n`
    return line.length <= 121 ? line : `import {\n${names.map(name => `  ${name},\n`).join('')}} from '${module}'\n`
  })
  return lines.join('')
}

const ofTables = new Set(['table', 'tables', 'reference', 'generated'])

const findModule = (name: string): string => {
  if (name === 'sql') return 'kysely'
  return ofTables.has(name) ? 'resource-api/tables' : 'resource-api'
}
