// The two ways to store a relation to many objects.

import { type ColumnUse, createJoinTableUses, type JoinTable, type RelationTarget, type Reverse } from '../field.ts'

/** The columns that the option `many` uses. */
export const createRelatedUses = (to: RelationTarget, many: JoinTable | Reverse): readonly ColumnUse[] =>
  'reverse' in many
    ? [{ option: 'many.reverse', table: to.table, column: many.reverse }]
    : createJoinTableUses('many', many)
