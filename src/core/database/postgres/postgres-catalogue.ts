// Reads the catalogue of PostgreSQL, with one query for all tables. Names without a schema are resolved with the search
// path, as in SQL statements.

import {
  type Catalogue,
  type Column,
  type Constraint,
  createIndex,
  createTable,
  type IndexedColumn,
  quoteTable,
  type Table,
} from '../catalogue.ts'
import type { PostgresPool } from './postgres-pool.ts'

/** The catalogue of the database to which a pool connects. */
export function postgresCatalogue(pool: PostgresPool): Catalogue {
  const query = async (text: string, values?: readonly unknown[]) =>
    (await pool.use(client => pool.query(client, values ? { text, values: [...values] } : { text }))).rows
  return {
    async tables(names) {
      const rows = (await query(tablesQuery, [names, names.map(quoteTable)])) as readonly TableRow[]
      return new Map(rows.map(row => [row.requested, toTable(row)]))
    },
    async indexes(names) {
      const rows = (await query(indexesQuery, [names, names.map(quoteTable)])) as readonly IndexesRow[]
      return new Map(rows.map(({ requested, indexes }) => [requested, indexes.map(createIndex)]))
    },
    async names() {
      const rows = (await query(namesQuery)) as readonly { readonly name: string }[]
      return rows.map(({ name }) => name)
    },
    // PREPARE and DEALLOCATE share one round trip, so this works behind a pooler and leaves no prepared statement.
    async compile(statements) {
      if (statements.length === 0) return
      await query(statements.map(({ sql }) => `prepare ${probe} as ${sql}; deallocate ${probe}`).join('; '))
    },
  }
}

const probe = '"resource-api check"'

interface TableRow {
  readonly requested: string
  readonly kind: string
  readonly columns: readonly Column[]
  readonly constraints: readonly Constraint[]
  readonly primaryKey: readonly string[]
}

interface IndexesRow {
  readonly requested: string
  readonly indexes: readonly (readonly (IndexedColumn | null)[])[]
}

const toTable = ({ requested, kind, columns, constraints, primaryKey }: TableRow): Table =>
  createTable(
    {
      name: requested,
      isView: kind === 'v' || kind === 'm' || kind === 'f',
      columns,
      primaryKey,
      constraints: [...constraints, ...columns.filter(({ notNull }) => notNull).map(createNotNull)],
    },
    Object.is,
  )

const createNotNull = ({ name }: Column): Constraint => ({ kind: 'not null', label: name, columns: [name] })

// The sequence of an identity column depends on it, and a default depends on its sequence. A sequence may count downwards, or start
// again, and a default may be any other expression.
const countsUpQuery = `
  select bool_and(s.seqincrement > 0 and not s.seqcycle) from pg_sequence s where s.seqrelid in (
    select d.objid from pg_depend d
    where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass
      and d.refobjid = c.oid and d.refobjsubid = a.attnum and d.deptype = 'i'
    union all
    select d.refobjid from pg_attrdef f join pg_depend d on d.classid = 'pg_attrdef'::regclass and d.objid = f.oid
    where f.adrelid = c.oid and f.adnum = a.attnum and d.refclassid = 'pg_class'::regclass
      and pg_get_expr(f.adbin, f.adrelid) ~ '^nextval\\(''([^'']|'''')+''::regclass\\)$')`

// A domain has a base type, and may itself have a default and be NOT NULL.
const columnsQuery = `
  select coalesce(json_agg(json_build_object(
    'name', a.attname,
    'type', format_type(a.atttypid, a.atttypmod),
    'plainType', format_type(a.atttypid, -1),
    'kind', case
      when coalesce(nullif(t.typbasetype, 0), t.oid) in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) then 'integer'
      when coalesce(nullif(t.typbasetype, 0), t.oid) = 'uuid'::regtype then 'uuid'
      when coalesce(nullif(t.typbasetype, 0), t.oid) = 'numeric'::regtype then 'decimal'
      when coalesce(nullif(t.typbasetype, 0), t.oid) in ('float4'::regtype, 'float8'::regtype) then 'float'
      when coalesce(nullif(t.typbasetype, 0), t.oid) = 'date'::regtype then 'date'
      when coalesce(nullif(t.typbasetype, 0), t.oid) = 'time'::regtype then 'time'
      when coalesce(nullif(t.typbasetype, 0), t.oid) in ('timestamp'::regtype, 'timestamptz'::regtype) then 'datetime'
      when coalesce(nullif(t.typbasetype, 0), t.oid) in ('json'::regtype, 'jsonb'::regtype) then 'json'
      when t.typcategory = 'B' then 'boolean'
      when t.typcategory = 'S' then 'text'
      when t.typcategory = 'E' then 'enum'
      else 'other'
    end,
    'labels', (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e where e.enumtypid = coalesce(nullif(t.typbasetype, 0), t.oid)),
    'notNull', a.attnotnull or t.typnotnull,
    'hasDefault', a.atthasdef or a.attidentity <> '' or t.typdefault is not null,
    'countsUp', coalesce((${countsUpQuery}), false),
    'isGenerated', a.attgenerated <> '' or a.attidentity = 'a'
  ) order by a.attnum), '[]')
  from pg_attribute a join pg_type t on t.oid = a.atttypid
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped`

const selectColumnNames = (numbers: string): string => `array(
  select a.attname from unnest(${numbers}) with ordinality k(number, place)
  join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number order by k.place)`

// In a unique index, an expression has column number 0; pg_depend then lists all columns that the index uses.
const constraintsQuery = `
  select coalesce(json_agg(json_build_object('kind', kind, 'label', label, 'columns', columns, 'isPartial', partial)), '[]')
  from (
    select 'unique' as kind, i.relname as label, ${selectColumnNames(`case
      when 0 = any(x.indkey::int2[]) then array(
        select distinct d.refobjsubid::int2 from pg_depend d
        where d.classid = 'pg_class'::regclass and d.objid = x.indexrelid and d.refobjid = c.oid and d.refobjsubid > 0)
      else (x.indkey::int2[])[0:x.indnkeyatts - 1] end`)} as columns,
      x.indpred is not null and not exists (
        select 1 from pg_attribute a where a.attrelid = c.oid and a.attnum = any(x.indkey::int2[])
          and pg_get_expr(x.indpred, c.oid) = format('(%I IS NOT NULL)', a.attname)) as partial
    from pg_index x join pg_class i on i.oid = x.indexrelid
    where x.indrelid = c.oid and x.indisunique
    union all
    select case n.contype when 'f' then 'foreign key' else 'check' end, n.conname, ${selectColumnNames('n.conkey')}, null
    from pg_constraint n where n.conrelid = c.oid and n.contype in ('f', 'c', 'x')
  ) as found`

const primaryKeyQuery = `
  select coalesce(json_agg(a.attname order by k.place), '[]') from pg_index x
  cross join unnest(x.indkey::int2[]) with ordinality k(number, place)
  join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
  where x.indrelid = c.oid and x.indisprimary`

const tablesQuery = `
  select requested.name as requested, c.relkind as kind, (${columnsQuery}) as columns, (${constraintsQuery}) as constraints, (${primaryKeyQuery}) as "primaryKey"
  from unnest($1::text[], $2::text[]) as requested(name, quoted)
  join pg_class c on c.oid = to_regclass(requested.quoted) and c.relkind in ('r', 'p', 'v', 'm', 'f')`

// An expression has no attribute, and the columns after `indnkeyatts` are only included. An operator class that is not the
// default, such as text_pattern_ops, compares differently. The first bit of indoption is that of DESC.
const indexesQuery = `
  select requested.name as requested, (
    select coalesce(json_agg((
      select json_agg(
        case when a.attname is not null and o.opcdefault and k.collated in (0, a.attcollation)
          then json_build_object('name', a.attname, 'descending', k.option & 1 = 1) end
        order by k.place)
      from unnest((x.indkey::int2[])[0:x.indnkeyatts - 1], x.indclass::oid[], x.indcollation::oid[], x.indoption::int2[])
        with ordinality k(number, class, collated, option, place)
      join pg_opclass o on o.oid = k.class
      left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number)), '[]')
    from pg_index x join pg_class i on i.oid = x.indexrelid join pg_am m on m.oid = i.relam
    where x.indrelid = c.oid and x.indisvalid and x.indpred is null and m.amname = 'btree') as indexes
  from unnest($1::text[], $2::text[]) as requested(name, quoted)
  join pg_class c on c.oid = to_regclass(requested.quoted) and c.relkind in ('r', 'p', 'm')`

const namesQuery = `
  select relname as name from pg_class
  where relkind in ('r', 'p', 'v', 'm', 'f') and pg_table_is_visible(oid)
    and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`
