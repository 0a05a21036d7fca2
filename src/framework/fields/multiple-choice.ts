import { sql } from 'kysely'
import { choice } from './choice.ts'
import { columnOf, defineField, type Field, type FieldOptions, type Through, throughUses } from './field.ts'
import { list } from './list.ts'

export interface MultipleChoiceOptions extends Omit<FieldOptions<readonly string[]>, 'column'> {
  /** The table that keeps them: the column of this object's key, and that of a choice. */
  readonly rows: Through
}

/** Several of a fixed set of texts, each at most once: rows of a table of their own, shown in their order. */
export function multipleChoice(
  choices: Iterable<string>,
  { rows, ...options }: MultipleChoiceOptions,
): Field<readonly string[]> {
  const texts = list({ of: choice(choices) })
  return defineField<readonly string[]>(options, {
    type: 'list',
    child: texts.child!,
    storage: { kind: 'rows', of: 'texts', ...rows },
    uses: throughUses('rows', rows),
    parse: async (input, context) => [...new Set(await texts.parse(input, context))],
    show: place => {
      const [own, other] = [sql.ref(`${rows.table}.${rows.own}`), sql.ref(`${rows.table}.${rows.other}`)]
      return place.dialect.array(
        sql`select ${other} as value from ${sql.table(rows.table)} where ${own} = ${columnOf(place, place.key)} order by ${other}`,
      )
    },
  })
}
