// The queries of tables and views in the catalogue of PostgreSQL.

import { quoteText } from '../../editors/definitions.ts'

export interface CatalogueTable {
  readonly name: string
  /** `p`: partitioned. */
  readonly kind: string
  readonly isPartition: boolean
  readonly columns: readonly CatalogueColumn[]
  readonly key: readonly string[]
  readonly indexes: readonly CatalogueIndex[]
  readonly checks: readonly { readonly name: string; readonly sql: string; readonly isValid: boolean }[]
  readonly references: readonly CatalogueReference[]
  readonly triggers: readonly string[]
  readonly exclusions: readonly string[]
}

export interface CatalogueColumn {
  readonly name: string
  readonly type: string
  /** `b`: a base type, `e`: an enum, `d`: a domain. */
  readonly typeKind: string
  /** Null: the type has none, or the column has the default one of the database. */
  readonly collation: string | null
  readonly notNull: boolean
  readonly isIdentity: boolean
  readonly default: string | null
  readonly generated: string | null
  readonly isVirtual: boolean
  /** The sequence of the default belongs to the column. */
  readonly ownsSequence: boolean
}

export interface CatalogueIndex {
  readonly name: string
  readonly unique: boolean
  readonly method: string
  readonly where: string | null
  readonly isValid: boolean
  /** `name` is null for an expression. */
  readonly columns: readonly { readonly name: string | null; readonly descending: boolean; readonly isUsual: boolean }[]
}

export interface CatalogueReference {
  readonly name: string
  readonly columns: readonly string[]
  readonly table: string
  readonly targets: readonly string[]
  readonly onDelete: string
  readonly onUpdate: string
  readonly isDeferrable: boolean
}

// Extensions have tables of their own.
const selection = (names: readonly string[] | undefined, kinds: string): string => `
  c.relkind in (${kinds}) and pg_table_is_visible(c.oid)
  and c.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
  and not exists (select 1 from pg_depend e where e.classid = 'pg_class'::regclass and e.objid = c.oid and e.deptype = 'e')
  ${names === undefined ? '' : `and c.relname in (${[...names.map(quoteText), 'null'].join(', ')})`}
  order by c.relname`

export const viewsQuery = (names: readonly string[] | undefined): string =>
  `select c.relname as name, pg_get_viewdef(c.oid) as sql from pg_class c where ${selection(names, "'v'")}`

export const tablesQuery = (names: readonly string[] | undefined): string => `
  select c.relname as name, c.relkind as kind, c.relispartition as "isPartition", (${columns}) as columns,
    array_to_json(array(${key})) as key, (${indexes}) as indexes, (${checks}) as checks, (${references}) as references,
    array_to_json(array(select t.tgname from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal order by 1)) as triggers,
    array_to_json(array(select n.conname from pg_constraint n where n.conrelid = c.oid and n.contype = 'x' order by 1)) as exclusions
  from pg_class c where ${selection(names, "'r', 'p'")}`

const columns = `
  select coalesce(json_agg(json_build_object(
    'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'typeKind', t.typtype,
    'collation', case when a.attcollation <> 0 and l.collname <> 'default' then l.collname end,
    'notNull', a.attnotnull, 'isIdentity', a.attidentity <> '',
    'default', case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end,
    'generated', case when a.attgenerated <> '' then pg_get_expr(d.adbin, d.adrelid) end,
    'isVirtual', a.attgenerated = 'v',
    'ownsSequence', pg_get_serial_sequence(quote_ident(n.nspname) || '.' || quote_ident(c.relname), a.attname) is not null
  ) order by a.attnum), '[]')
  from pg_attribute a join pg_type t on t.oid = a.atttypid join pg_namespace n on n.oid = c.relnamespace
  left join pg_collation l on l.oid = a.attcollation
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped`

const key = `
  select a.attname from pg_index x cross join unnest(x.indkey::int2[]) with ordinality k(number, place)
  join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
  where x.indrelid = c.oid and x.indisprimary order by k.place`

const indexes = `
  select coalesce(json_agg(json_build_object(
    'name', i.relname, 'unique', x.indisunique, 'method', m.amname, 'isValid', x.indisvalid,
    'where', pg_get_expr(x.indpred, x.indrelid),
    'columns', (
      select json_agg(json_build_object('name', a.attname, 'descending', k.option & 1 = 1,
        'isUsual', k.place <= x.indnkeyatts and o.opcdefault and k.collated in (0, a.attcollation)
          and (k.option & 2 = 2) = (k.option & 1 = 1)) order by k.place)
      from unnest(x.indkey::int2[], x.indclass::oid[], x.indcollation::oid[], x.indoption::int2[])
        with ordinality k(number, class, collated, option, place)
      left join pg_opclass o on o.oid = k.class
      left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number and k.number > 0)
  ) order by i.relname), '[]')
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_am m on m.oid = i.relam
  where x.indrelid = c.oid and not x.indisprimary
    and not exists (select 1 from pg_constraint n where n.conindid = x.indexrelid and n.contype = 'x')`

const checks = `
  select coalesce(json_agg(json_build_object(
    'name', n.conname, 'sql', pg_get_expr(n.conbin, n.conrelid), 'isValid', n.convalidated) order by n.conname), '[]')
  from pg_constraint n where n.conrelid = c.oid and n.contype = 'c'`

const names = (table: string, numbers: string): string => `array_to_json(array(
  select a.attname from unnest(n.${numbers}) with ordinality k(number, place)
  join pg_attribute a on a.attrelid = n.${table} and a.attnum = k.number order by k.place))`

const references = `
  select coalesce(json_agg(json_build_object(
    'name', n.conname, 'columns', ${names('conrelid', 'conkey')}, 'table', o.relname, 'targets', ${names('confrelid', 'confkey')},
    'onDelete', n.confdeltype, 'onUpdate', n.confupdtype, 'isDeferrable', n.condeferrable) order by n.conname), '[]')
  from pg_constraint n join pg_class o on o.oid = n.confrelid
  where n.conrelid = c.oid and n.contype = 'f' and n.conparentid = 0`
