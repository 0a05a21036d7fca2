// Writes the declarations of existing tables: TypeScript that asks for the same tables, and drafts of their resources.

import type { ExistingState } from '#core'
import { code, formatLines, formatText, listFunctions } from '../code/format-code.ts'
import { type DeclaredTable, declareTables, type InspectOptions } from './declare-tables.ts'
import { describeSql } from './describe-column.ts'
import { draftResources } from './draft-resources.ts'

export interface FormatOptions extends InspectOptions {
  /** The owner of the tables. */
  readonly owner: string
  /** Whether the module also drafts resources. */
  readonly resources?: boolean | undefined
}

/** The text of a module that declares the tables, with a comment for each thing that a declaration cannot say. */
export function formatTables(state: ExistingState, { owner, resources = false, ...options }: FormatOptions): string {
  const declared = declareTables(state, options)
  const omitted = Object.keys(state.tables).filter(name => state.tables[name]!.key.length === 0)
  const tables = declared.map(describeTable)
  const drafts = resources ? draftResources(declared, options) : []
  const schema = {
    owner,
    tables: declared.map(({ constant }) => code(constant)),
    migrations: code("import.meta.dirname + '/migrations'"),
  }
  const own = new Set(declared.map(({ constant }) => constant))
  const called = listFunctions([tables, drafts.map(({ options: each }) => each)]).filter(name => !own.has(name))
  return [
    formatImports(new Set(['table', 'tables', ...(resources ? ['resource'] : []), ...called])),
    ...omitted.map(name =>
      formatComment(
        `The table "${name}" has no primary key, so it is not declared: a resource can still name it as a text.`,
      ),
    ),
    ...Object.keys(state.views).map(name =>
      formatComment(`The view "${name}" is not declared: a resource can still name it as a text.`),
    ),
    ...(options.django?.notes ?? []).map(note => formatComment(`Not declared: ${note}.`)),
    ...declared.map(({ name, constant, notes }, index) => {
      const comments = notes.map(note => formatComment(`Not declared: ${note}.`))
      return `${comments.join('')}export const ${constant} = table(${formatText(name)}, ${formatLines(tables[index]!)})\n`
    }),
    `export const schema = tables(${formatLines(schema)})\n`,
    ...(resources ? formatResources(drafts) : []),
  ].join('\n')
}

type Drafts = ReturnType<typeof draftResources>

function formatResources(drafts: Drafts): readonly string[] {
  const blocks = drafts.map(({ name, comments, options }) => {
    const text = comments.map(formatComment).join('')
    return options === undefined
      ? text
      : `${text}const ${nameResource(name)} = resource(${formatText(name)}, ${formatLines(options)})\n`
  })
  const names = drafts.filter(({ options }) => options !== undefined).map(({ name }) => code(nameResource(name)))
  return [
    formatComment('Drafts of resources. Choose what is public and who may write it, before you serve them.'),
    ...blocks,
    `export const resources = ${names.length === 0 ? '[]' : formatLines(names)}\n`,
  ]
}

const nameResource = (name: string): string =>
  `${name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())}Resource`

/** The options of the call `table(name, options)`. */
function describeTable({ name, state, columns, key, isManaged }: DeclaredTable): object {
  const { indexes, checks } = state
  const names = new Map(columns.map(({ column, name }) => [column, name]))
  const list = (property: 'code' | 'type' | 'default') =>
    columns.flatMap(each => {
      const value = property === 'default' ? each.state.default : each[property]
      return value === undefined ? [] : [[each.name, value] as const]
    })
  const toName = (column: string) => names.get(column) ?? `-${names.get(column.slice(1))}`
  return {
    key: key === undefined ? state.key.map(toName) : columns.find(each => each.key)?.key,
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
    checks: toOption(
      Object.entries(checks).map(([check, text]) => [
        check,
        check.startsWith(`${name}_`) && Buffer.byteLength(check) <= 63
          ? describeSql(text)
          : { name: check, condition: describeSql(text) },
      ]),
    ),
    managed: isManaged ? undefined : false,
  }
}

const toOption = (entries: readonly (readonly [string, unknown])[]): object | undefined =>
  entries.length === 0 ? undefined : Object.fromEntries(entries)

const formatComment = (text: string): string => `// ${text.replaceAll(/\s*[\n\r\u2028\u2029]\s*/g, ' ')}\n`

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
