import { type ErrorDetail, type ErrorTree, ValidationError } from '../errors/exceptions.ts'
import { replaceMessages } from '../messages/field-messages.ts'
import { defineField, type FieldOf, type FieldOptions } from './define-field.ts'
import type { Field, FieldDefinition, ParseContext } from './field.ts'
import type { FieldTrait, KnownOptions } from './field-types.ts'
import { formatTypeName, invalid } from './invalid.ts'
import { checkJsonPart, jsonStorage } from './json.ts'
import { readPresent } from './read-fields.ts'

export interface ListOptions<Item> extends FieldOptions<readonly Item[]> {
  /** The field of each item. */
  readonly of: FieldDefinition<Item>
  /** The minimum number of items; default 0. */
  readonly min?: number
  /** The maximum number of items; default 1000. */
  readonly max?: number
  /** Whether the list may be empty; default true. */
  readonly empty?: boolean
}

/** A list in a `json` column; each item is a value of the field `of`. Errors of items are keyed by index. */
export function list<Item, Shown, Taken, Options extends ListOptions<Item>>(
  options: KnownOptions<Options, ListOptions<Item>> & { readonly of: Field<Item, Shown, Taken, FieldTrait> },
): FieldOf<readonly Item[], Options, readonly Shown[], readonly Taken[]> {
  const { of, min, max = 1000, empty = true } = options
  checkJsonPart(of, 'list(): an item')
  return defineField<readonly Item[]>(options, {
    type: 'list',
    child: of,
    bounds: { max_length: max, ...(min !== undefined && { min_length: min }) },
    async parse(input, context) {
      if (!Array.isArray(input)) {
        throw invalid('not_a_list', { type: formatTypeName(input) })
      }
      if (input.length === 0 && !empty) throw invalid('empty')
      if (input.length > max) throw invalid('max_length.list', { max })
      if (min !== undefined && input.length < min) throw invalid('min_length.list', { min })
      return readItems(of, input, context)
    },
    ...jsonStorage,
  })
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
