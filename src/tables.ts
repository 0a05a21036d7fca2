// The public door 'resource-api/tables': tables that are declared once.

export {
  count,
  type DefineLatest,
  type DefineRelated,
  type DefineSum,
  exists,
  latest,
  product,
  sum,
} from './core/resource/related/related-values.ts'
export { type DefineWhere, where } from './core/resource/related/where.ts'
export {
  created,
  deleted,
  generated,
  owner,
  reference,
  type TableColumn,
  tenant,
  updated,
} from './core/tables/column.ts'
export { type Condition, caller, now, type Placeholder, stored, value } from './core/tables/condition.ts'
export type { TablesOf } from './core/tables/row-types.ts'
export { type Table, table, through } from './core/tables/table.ts'
export { type Schema, tables } from './core/tables/tables.ts'
