// What the tables of Django tell about its models: their names, and the forms in which SQLite stores their values.

import type { Kysely } from 'kysely'
import type { Database, ExistingState } from '#core'
import type { FoundField } from './find-field.ts'
import { toPlural } from './name-constants.ts'

type AnyTables = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface Django {
  /** The name of the constant of a table, from its model: `articles` for `blog_article`. */
  nameTable(table: string): string
  /** Whether Django's own applications have the table. */
  isOwn(table: string): boolean
  /** The fields that the types of columns do not tell, by `table.column`. */
  readonly fields: ReadonlyMap<string, FoundField>
  /** What else there is to know, as sentences. */
  readonly notes: readonly string[]
}

/** The tables with which Django records what it did: no program needs them. */
export const djangoBookkeeping = ['django_migrations']

/** Throws an Error if the database is not one of Django. */
export async function readDjango({ kysely, dialect }: Database, { tables }: ExistingState): Promise<Django> {
  const models = await readModels(kysely, tables)
  const fields = dialect.hasTypedColumns ? [] : await findStoredForms(kysely, tables)
  return {
    nameTable: table => toPlural(models.get(table) ?? table.replace(/^(?:django|auth)_/, '')),
    isOwn: table => /^(?:django|auth|authtoken)_/.test(table),
    fields: new Map(fields),
    notes: await notePasswords(kysely, tables),
  }
}

/** The name of the model of each table. A table with a name of its own has none. */
async function readModels(
  kysely: Kysely<AnyTables>,
  tables: ExistingState['tables'],
): Promise<ReadonlyMap<string, string>> {
  if (!Object.hasOwn(tables, 'django_content_type')) return new Map()
  const rows = (await kysely
    .selectFrom('django_content_type')
    .select(['app_label', 'model'])
    .orderBy('id')
    .execute()) as readonly { readonly app_label: string; readonly model: string }[]
  const all = rows.map(({ app_label, model }) => [`${app_label}_${model}`, model] as const)
  const joins = Object.keys(tables).flatMap(table => {
    const [start] = all
      .filter(([name]) => table.startsWith(`${name}_`))
      .toSorted(([one], [other]) => other.length - one.length)
    return start === undefined ? [] : [[table, start[1] + table.slice(start[0].length)] as const]
  })
  return new Map([...joins, ...all])
}

/** The columns of SQLite whose types say less than the models: UUIDs, JSON and decimals. */
async function findStoredForms(
  kysely: Kysely<AnyTables>,
  tables: ExistingState['tables'],
): Promise<readonly (readonly [string, FoundField])[]> {
  const found: (readonly [string, FoundField])[] = []
  for (const [table, { columns, checks }] of Object.entries(tables))
    for (const [column, { type }] of Object.entries(columns)) {
      const name = `${table}.${column}`
      const text = typeof type === 'object' ? type.sqlite.toLowerCase() : type
      if (text === 'char(32)') found.push([name, { name: 'uuid', options: { stored: 'hex' } }])
      if (text === 'decimal') found.push([name, await guessDecimal(kysely, table, column)])
      const hasJson = Object.values(checks).some(check => String(check).includes(`JSON_VALID("${column}")`))
      if (hasJson) found.push([name, { name: 'json' }])
    }
  return found
}

/** SQLite keeps neither the digits nor the places of Django's decimals, so the rows tell how many places they need. */
async function guessDecimal(kysely: Kysely<AnyTables>, table: string, column: string): Promise<FoundField> {
  const rows = (await kysely
    .selectFrom(table)
    .select(column)
    .where(column, 'is not', null)
    .limit(10_000)
    .execute()) as readonly Readonly<Record<string, unknown>>[]
  const places = rows.map(row => String(row[column]).split('.')[1]?.length ?? 0)
  return {
    name: 'decimal',
    options: {
      maxDigits: 15,
      decimalPlaces: Math.min(
        Math.max(
          places.reduce((most, each) => Math.max(most, each), 0),
          2,
        ),
        15,
      ),
    },
    isGuess: true,
  }
}

/** Names the hashers whose passwords cannot be verified here. */
async function notePasswords(kysely: Kysely<AnyTables>, tables: ExistingState['tables']): Promise<readonly string[]> {
  if (tables.auth_user?.columns.password === undefined) return []
  const rows = (await kysely.selectFrom('auth_user').select('password').execute()) as readonly { password: string }[]
  const counts = new Map<string, number>()
  for (const { password } of rows) {
    const [, name] = /^([a-z\d_]+)\$/.exec(password) ?? []
    if (name !== undefined && !verified.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(
    ([name, users]) =>
      `the passwords of ${users} ${users === 1 ? 'user' : 'users'}, which Django hashed with ${name}: verifyPassword refuses them, so these users need a new password`,
  )
}

const verified = new Set(['pbkdf2_sha256', 'scrypt', 'argon2'])
