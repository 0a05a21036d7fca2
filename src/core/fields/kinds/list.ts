import { type ErrorDetail, type ErrorTree, ValidationError } from '../../errors/exceptions.ts'
import { replaceMessages } from '../../errors/field-messages.ts'
import { formatTypeName, invalid } from '../../errors/invalid.ts'
import { checkIsField } from '../check-is-field.ts'
import { type ChoiceGrid, checkGrid } from '../choices/choice-grid.ts'
import { defineField, type FieldOptions } from '../define-field.ts'
import type { Field, FieldDefinition, JoinTable, ParseContext } from '../field.ts'
import type { FieldLink, FieldTrait, KnownOptions, NullOf, TraitOf } from '../field-types.ts'
import { readPresent } from '../read-fields.ts'
import { checkJsonPart, jsonKind } from './json.ts'
import { type FieldKind, isText } from './kind.ts'
import { createTextRows } from './text-rows.ts'

export interface ListOptions<Item> extends FieldOptions<readonly Item[]> {
  /** The field of each item. */
  readonly of: FieldDefinition<Item>
  /** The minimum number of items; default 0. */
  readonly min?: number
  /** The maximum number of items; default 1000. */
  readonly max?: number
  /** Whether the list may be empty; default true. */
  readonly empty?: boolean
  /**
   * The table with a row for each item, which must be a text: `own` is the column with this object's key, `other` the column
   * with the item. The items are then distinct and sorted. Default: a `json` column of the resource's own table.
   */
  readonly rows?: JoinTable
  /** Pages show a list of choices as a table; default: a list. */
  readonly grid?: ChoiceGrid
}

export const listKind = Object.freeze<FieldKind>({
  ...jsonKind,
  name: 'list',
  schema: { type: 'array' },
  hasItems: true,
  isJson: false,
})

/**
 * A list in a `json` column, or a list of texts in the rows of another table; each item is a value of the field `of`. Errors
 * of items are keyed by index.
 *
 * @example
 * const tags = list({ of: text({ max: 50 }), rows: { table: 'article_tags', own: 'article_id', other: 'tag' }, default: [] })
 */
export function list<Item, Shown, Taken, Options extends ListOptions<Item>>(
  options: KnownOptions<Options, ListOptions<Item>> & { readonly of: Field<Item, Shown, Taken, FieldTrait, FieldLink> },
): ListOf<Item, Options, Shown, Taken> {
  const { of, min, max = 1000, empty = true, rows, grid } = options
  checkIsField(of, 'list(): "of"')
  if (of.file === undefined) checkJsonPart(of, 'list(): an item')
  else if (options.max === undefined)
    throw new Error('list(): a list of files is limited by the number of files: give "max"')
  if (rows !== undefined) checkRows(options)
  if (grid !== undefined) checkListGrid(of, grid)
  return defineField<readonly Item[]>(options, {
    kind: listKind,
    child: of,
    ...(grid && { choiceGrid: grid }),
    bounds: { max_length: max, ...(min !== undefined && { min_length: min }) },
    async parse(input, context) {
      if (!Array.isArray(input)) {
        throw invalid('not_a_list', { type: formatTypeName(input) })
      }
      if (input.length === 0 && !empty) throw invalid('empty')
      if (input.length > max) throw invalid('max_length.list', { max })
      if (min !== undefined && input.length < min) throw invalid('min_length.list', { min })
      const items = await readItems(of, input, context)
      return rows === undefined ? items : [...new Set(items)]
    },
    describeTaken: builder => {
      const minItems = Math.max(min ?? 0, empty ? 0 : 1)
      return { type: 'array', items: builder.taken(of), ...(minItems > 0 && { minItems }), maxItems: max }
    },
    describeShown: builder => ({ type: 'array', items: builder.shown(of) }),
    ...(rows && createTextRows(rows)),
  }) as ListOf<Item, Options, Shown, Taken>
}

type ListOf<Item, Options, Shown, Taken> = Field<
  readonly Item[] | NullOf<Options>,
  readonly Shown[] | NullOf<Options>,
  readonly Taken[] | NullOf<Options>,
  TraitOf<Options> | (Options extends { readonly rows: JoinTable } ? 'many' : never)
>

interface RowsOptions extends Pick<FieldOptions<unknown>, 'column' | 'nullable'> {
  readonly of: Pick<Field, 'kind'>
}

function checkRows({ of, column, nullable }: RowsOptions): void {
  if (!isText(of.kind)) throw new Error('list(): rows store texts: write of: text(), or remove "rows"')
  if (column !== undefined) throw new Error('list(): a list has rows or a column: remove one of "rows" and "column"')
  if (nullable) throw new Error('list(): rows cannot store null: remove "nullable"; no rows are the empty list')
}

function checkListGrid({ choices }: Pick<Field, 'choices'>, grid: ChoiceGrid): void {
  if (choices === undefined) throw new Error('list(): "grid" arranges choices: write of: choice(), or remove "grid"')
  checkGrid(choices, grid, 'list()')
}

async function readItems<Item>(
  of: FieldDefinition<Item>,
  input: readonly unknown[],
  context: ParseContext,
): Promise<Item[]> {
  const errors: Record<string, ErrorTree<ErrorDetail>> = {}
  const items: Item[] = []
  for (const [index, item] of input.entries()) {
    try {
      items.push((await readPresent(of, item, context)) as Item)
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      errors[index] = replaceMessages(error.errors, of.messages)
    }
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors)
  return items
}
