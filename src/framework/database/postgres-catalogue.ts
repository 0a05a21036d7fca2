// The catalogue of PostgreSQL, in one query. Names without a schema are found along the search path, as statements find
// them.

import { type Catalogue, type Column, type Constraint, createTable, splitName, type Table } from './catalogue.ts'
import type { PostgresPool } from './postgres-pool.ts'

/** The catalogue of the database behind a pool. */
export function postgresCatalogue(pool: PostgresPool): Catalogue {
  const ask = async (text: string, values?: readonly unknown[]) =>
    (await pool.use(client => pool.ask(client, values ? { text, values: [...values] } : { text }))).rows
  return {
    async tables(names) {
      const rows = (await ask(tablesQuery, [names, names.map(quoted)])) as readonly TableRow[]
      return new Map(rows.map(row => [row.asked, tableOf(row)]))
    },
    async names() {
      const rows = (await ask(namesQuery)) as readonly { readonly name: string }[]
      return rows.map(({ name }) => name)
    },
    // Prepared and given up in one round trip, so that a pooler need not keep the connection, and a mistake leaves nothing.
    async compile(statements) {
      if (statements.length === 0) return
      await ask(statements.map(({ sql }) => `prepare ${probe} as ${sql}; deallocate ${probe}`).join('; '))
    },
  }
}

const probe = '"resource-api check"'

const quoted = (name: string): string =>
  splitName(name)
    .filter(part => part !== undefined)
    .map(part => `"${part.replaceAll('"', '""')}"`)
    .join('.')

interface TableRow {
  readonly asked: string
  readonly kind: string
  readonly columns: readonly Column[]
  readonly constraints: readonly Constraint[]
}

const tableOf = ({ asked, kind, columns, constraints }: TableRow): Table =>
  createTable(
    {
      name: asked,
      isView: kind === 'v' || kind === 'm' || kind === 'f',
      columns,
      constraints: [...constraints, ...columns.filter(({ notNull }) => notNull).map(notNullConstraint)],
    },
    Object.is,
  )

const notNullConstraint = ({ name }: Column): Constraint => ({ kind: 'not null', label: name, columns: [name] })

// A domain has a base type, and may have a default and refuse null itself.
const columnsQuery = `
  select coalesce(json_agg(json_build_object(
    'name', a.attname,
    'type', format_type(a.atttypid, a.atttypmod),
    'isInteger', coalesce(nullif(t.typbasetype, 0), t.oid) in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype),
    'notNull', a.attnotnull or t.typnotnull,
    'hasDefault', a.atthasdef or a.attidentity <> '' or t.typdefault is not null,
    'isGenerated', a.attgenerated <> '' or a.attidentity = 'a'
  ) order by a.attnum), '[]')
  from pg_attribute a join pg_type t on t.oid = a.atttypid
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped`

const namesOf = (numbers: string): string => `array(
  select a.attname from unnest(${numbers}) with ordinality k(number, place)
  join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number order by k.place)`

// A unique index over an expression looks at the columns that it depends on.
const constraintsQuery = `
  select coalesce(json_agg(json_build_object('kind', kind, 'label', label, 'columns', columns)), '[]')
  from (
    select 'unique' as kind, i.relname as label, ${namesOf(`case
      when 0 = any(x.indkey::int2[]) then array(
        select distinct d.refobjsubid::int2 from pg_depend d
        where d.classid = 'pg_class'::regclass and d.objid = x.indexrelid and d.refobjid = c.oid and d.refobjsubid > 0)
      else (x.indkey::int2[])[0:x.indnkeyatts - 1] end`)} as columns
    from pg_index x join pg_class i on i.oid = x.indexrelid
    where x.indrelid = c.oid and x.indisunique
    union all
    select case n.contype when 'f' then 'foreign key' else 'check' end, n.conname, ${namesOf('n.conkey')}
    from pg_constraint n where n.conrelid = c.oid and n.contype in ('f', 'c', 'x')
  ) as found`

const tablesQuery = `
  select asked.name as asked, c.relkind as kind, (${columnsQuery}) as columns, (${constraintsQuery}) as constraints
  from unnest($1::text[], $2::text[]) as asked(name, quoted)
  join pg_class c on c.oid = to_regclass(asked.quoted) and c.relkind in ('r', 'p', 'v', 'm', 'f')`

const namesQuery = `
  select relname as name from pg_class
  where relkind in ('r', 'p', 'v', 'm', 'f') and pg_table_is_visible(oid)
    and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`
