// Inserts a new object together with its new children, if one statement can do that.

import type { Statement } from '../../../database/database.ts'
import { compileFamilyInsert, type FamilyMember } from '../../sql/family-insert.ts'
import type { InsertedRow } from '../../sql/many.ts'
import type { ChildrenWriter } from '../../validate/children.ts'
import { rowsPerStatement } from '../rows/row-writer.ts'
import { needsTransaction } from '../write.ts'
import type { ChildForm } from './child-form.ts'
import type { WrittenChildren } from './save-children.ts'

/** Creates the `insertFamily` of the children of one field. */
export function createFamilyInsert(form: ChildForm): ChildrenWriter['insertFamily'] {
  const { bound, statements, storage } = form
  const { reverse, position } = storage
  const byParent = new WeakMap<FamilyMember, { readonly statement: Statement<InsertedRow> | undefined }>()
  const findStatement = (parent: FamilyMember, name: string) => {
    const known = byParent.get(parent) ?? {
      statement: statements.insertsTogether()
        ? compileFamilyInsert({ parent, child: bound, name, columns: statements.columns, reverse: storage.reverse! })
        : undefined,
    }
    byParent.set(parent, known)
    return known.statement
  }
  return async (parent, write, values) => {
    const { children, field } = write as WrittenChildren
    const isLarge = children.length > rowsPerStatement
    if (reverse === undefined || isLarge || children.some(({ row }) => needsTransaction(bound, row))) return undefined
    const statement = findStatement(parent, field.name)
    if (statement === undefined) return undefined
    const rows = children.map(({ row }, index) =>
      statements.listValues(row.values, {
        ...row.prepared,
        [reverse]: null,
        ...(position !== undefined && { [position]: index }),
      }),
    )
    const [inserted] = await bound.database.write(statement, {
      ...values,
      ...bound.database.dialect.insertedRows.bind(rows),
    })
    // The statement inserts nothing if there are triggers.
    if (inserted === undefined) byParent.set(parent, { statement: undefined })
    return inserted
  }
}
