import { sql } from 'kysely'
import type { Sql } from '../../database/dialect.ts'
import { type ChoiceGrid, checkGrid } from '../choices/choice-grid.ts'
import type { ChoiceOf, DeclaredChoices } from '../choices/choices.ts'
import { defineField, type FieldOptions } from '../define-field.ts'
import type { Field, JoinTable } from '../field.ts'
import type { KnownOptions, TraitOf } from '../field-types.ts'
import { choice } from './choice.ts'
import { list, listKind } from './list.ts'
import { createTextRows } from './text-rows.ts'

export interface MultipleChoiceOptions<Choice = string> extends Omit<FieldOptions<readonly Choice[]>, 'column'> {
  /** The table of the selected choices: `own` is the column with this object's key, `other` the column with a choice. */
  readonly rows: JoinTable
  /** Shows the choices as a table; default: a list. */
  readonly grid?: ChoiceGrid
}

type ManyOf<Choice, Options> = Field<readonly Choice[], readonly Choice[], readonly Choice[], TraitOf<Options> | 'many'>

/**
 * Any number of choices, without duplicates, stored as rows of a separate table and sorted by value. The choices are
 * strings, with or without labels, as those of {@link choice}. Rows with other values are neither shown nor removed,
 * because the choices may depend on the configuration.
 */
export function multipleChoice<
  const Choices extends DeclaredChoices<string>,
  Options extends MultipleChoiceOptions<ChoiceOf<Choices>>,
>(
  choices: Choices,
  { rows, grid, ...options }: KnownOptions<Options, MultipleChoiceOptions<ChoiceOf<Choices>>>,
): ManyOf<ChoiceOf<Choices>, Options> {
  const texts = list({ of: choice(choices) })
  const allowed = [...texts.child!.choices!.keys()]
  const values = allowed.map(value => sql.lit(value))
  if (allowed.some(value => typeof value === 'number'))
    throw new Error('multipleChoice(): the values must be strings, because they are stored as texts')
  if (grid) checkGrid(texts.child!.choices!, grid, 'multipleChoice()')
  const isOwn = (value: Sql) => (values.length === 0 ? sql`1 = 0` : sql`${value} in (${sql.join(values)})`)
  return defineField<readonly ChoiceOf<Choices>[]>(options, {
    kind: listKind,
    child: texts.child!,
    ...(grid && { choiceGrid: grid }),
    describeTaken: texts.describeTaken!,
    parse: async (input, context) => [...new Set(await texts.parse(input, context))],
    ...createTextRows(rows, isOwn),
  })
}
