// The options of controls for related objects and choices. A control lists all of them if they are few; otherwise the selected ones,
// and those that a search found.

import type { Field, RelatedOption } from '#core'
import type { Words } from '../html/words.ts'
import type { PageContext } from '../page/page-context.ts'

/** The options of one control. */
export interface Picker {
  readonly options: readonly RelatedOption[]
  /** Whether these are all options. */
  readonly isComplete: boolean
  /** Whether the script loads all options at once, because they are choices. */
  readonly isLoadedOnce: boolean
  /** The text that was searched; undefined if none was. */
  readonly searched: string | undefined
}

/** The controls of a page, by field. A caller who may not list the objects has none. */
export type Pickers = ReadonlyMap<Field, Picker>

/** A control that offers related objects or choices. */
export interface PickerRequest {
  readonly field: Field
  /** The selected values. */
  readonly values: readonly string[]
  /** The text to search, if the options are many. */
  readonly search?: string | undefined
  /** The most options that it lists at once; default: 200 objects, or 100 choices. */
  readonly maxListed?: number
}

const maxListedObjects = 200
const maxListedChoices = 100
/** The most objects that a search finds. */
const maxFound = 50
/** The most choices that a search finds. */
const maxFoundChoices = 1000
/** The most selected objects whose names are read. */
const maxSelected = 1000

/** Finds the options of all controls. */
export async function findPickers(requests: readonly PickerRequest[], context: PickerContext): Promise<Pickers> {
  const pickers = await Promise.all(
    requests.map(async request => [request.field, await findPicker(request, context)] as const),
  )
  return new Map(pickers.flatMap(([field, picker]) => (picker === undefined ? [] : [[field, picker] as const])))
}

/** The page, and its caller. */
export type PickerContext = Pick<PageContext, 'view' | 'requestContext' | 'words'>

/** Finds the options whose names contain all words of a text; undefined if the caller may not list the related objects. */
export async function searchOptions(
  field: Field,
  search: string,
  { view, requestContext, words }: PickerContext,
): Promise<readonly RelatedOption[] | undefined> {
  const choices = listChoices(field, words)
  if (choices !== undefined) return searchChoices(choices, search)
  return requestContext && view.findRelatedOptions(field, { search, limit: maxFound }, requestContext)
}

/** The choices of a field, or of its items, as options; undefined if it has none. */
export function listChoices({ choices, child }: Field, words: Words): readonly RelatedOption[] | undefined {
  const listed = choices ?? child?.choices
  return listed && [...listed].map(([value, label]) => ({ value: String(value), name: words.text(label) }))
}

// Those that begin with the text come first: people type `c` for the language C.
function searchChoices(choices: readonly RelatedOption[], search: string): readonly RelatedOption[] {
  const text = search.trim().toLowerCase()
  const parts = text.split(/\s+/)
  const matches = choices.flatMap(option => {
    const name = `${option.name} ${option.value}`.toLowerCase()
    if (!parts.every(part => name.includes(part))) return []
    const isExact = [option.name, option.value].some(each => each.toLowerCase() === text)
    return [{ option, rank: isExact ? 0 : name.startsWith(text) ? 1 : 2 }]
  })
  return matches
    .toSorted((left, right) => left.rank - right.rank)
    .slice(0, maxFoundChoices)
    .map(({ option }) => option)
}

async function findPicker(request: PickerRequest, context: PickerContext): Promise<Picker | undefined> {
  const { view, requestContext, words } = context
  if (requestContext === undefined) return undefined
  const { field, values, search } = request
  const choices = listChoices(field, words)
  const { maxListed = choices === undefined ? maxListedObjects : maxListedChoices } = request
  const all = choices ?? (await view.findRelatedOptions(field, { limit: maxListed + 1 }, requestContext))
  if (all === undefined) return undefined
  const isComplete = all.length <= maxListed
  const listed = !isComplete ? [] : (choices ?? sort(all, words.language))
  const others = values.filter(value => value !== '' && !listed.some(option => option.value === value))
  const selected =
    others.length === 0
      ? []
      : (choices?.filter(({ value }) => others.includes(value)) ??
        (await view.findRelatedOptions(field, { values: others, limit: maxSelected }, requestContext)) ??
        [])
  const searched = isComplete || search === undefined || search.trim() === '' ? undefined : search.trim()
  const matches = searched === undefined ? [] : ((await searchOptions(field, searched, context)) ?? [])
  const options = selected.length + matches.length === 0 ? listed : joinOptions([...selected, ...listed, ...matches])
  return { options, isComplete, isLoadedOnce: choices !== undefined && choices.length <= maxFoundChoices, searched }
}

const joinOptions = (options: readonly RelatedOption[]): readonly RelatedOption[] => [
  ...new Map(options.map(option => [option.value, option])).values(),
]

const sort = (options: readonly RelatedOption[], language: string): readonly RelatedOption[] =>
  options.toSorted((a, b) => findCollator(language).compare(a.name, b.name))

const collators = new Map<string, Intl.Collator>()

function findCollator(language: string): Intl.Collator {
  const collator = collators.get(language) ?? new Intl.Collator(language, { numeric: true })
  collators.set(language, collator)
  return collator
}
