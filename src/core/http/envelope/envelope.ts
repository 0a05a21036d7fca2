// The names around the objects and lists in bodies: `{"article": {…}}` and `{"articles": […], "articlesCount": 3}`.

import { checkOptionNames, type OptionNames } from '../../base/option-names.ts'

/** The names in the bodies of a resource. Without a name, an object or a list is the whole body. */
export interface Envelope {
  /**
   * The name of an object: in responses, and in the JSON bodies of creates, updates and the resource's views with fields, which
   * are 400 without it. A form has its fields at the top.
   */
  readonly one?: string
  /** The name of the items of a list, or the names of the members of its pages. */
  readonly many?: string | PageNames
  /**
   * The name of a member of lists with the objects of expanded relations, each once, by the relation and the key. The items then show keys
   * as ever. Default: the items show the objects.
   */
  readonly expanded?: string | ExpandedMember
}

/** The member with the objects of expanded relations. */
export interface ExpandedMember {
  readonly name: string
  /** True: responses to a single object have the member too. Default: the object shows the objects. */
  readonly objects?: boolean
  /** True: the member is also there if nothing is expanded. Default: false. */
  readonly always?: boolean
}

/** The names of the members of pages; null leaves a member out. Default: the names that the paginator gives. */
export interface PageNames {
  readonly results?: string
  readonly count?: string | null
  readonly count_is_exact?: string | null
  readonly next?: string | null
  readonly previous?: string | null
}

const optionNames: OptionNames<Envelope> = { one: true, many: true, expanded: true }
const expandedNames: OptionNames<ExpandedMember> = { name: true, objects: true, always: true }
const memberNames: OptionNames<PageNames> = {
  results: true,
  count: true,
  count_is_exact: true,
  next: true,
  previous: true,
}

/** The names of the members of pages. */
export const findPageNames = ({ many }: Envelope): PageNames =>
  typeof many === 'string' ? { results: many } : { ...many }

/** The member with the objects of expanded relations; undefined if the items show the objects. */
export const findExpandedMember = (envelope: Envelope | undefined): Required<ExpandedMember> | undefined => {
  const { expanded } = envelope ?? {}
  if (expanded === undefined) return undefined
  return { objects: false, always: false, ...(typeof expanded === 'string' ? { name: expanded } : expanded) }
}

/** Throws for a wrong name. `label` begins the message. */
export function checkEnvelope(label: string, envelope: Envelope | undefined): void {
  if (envelope === undefined) return
  checkOptionNames(label, envelope, optionNames)
  const { one, many } = envelope
  const names = findPageNames(envelope)
  if (typeof many === 'object') checkOptionNames(`${label}.many`, names, memberNames)
  checkName(`${label}.one`, one, 'article')
  if (typeof many === 'object') checkName(`${label}.many.results`, names.results, 'articles')
  else checkName(`${label}.many`, many, 'articles')
  for (const [member, name] of Object.entries(names))
    if (name !== null) checkName(`${label}.many.${member}`, name, member)
  if (typeof envelope.expanded === 'object') checkOptionNames(`${label}.expanded`, envelope.expanded, expandedNames)
  const expanded = findExpandedMember(envelope)
  if (expanded !== undefined) checkName(`${label}.expanded`, expanded.name, 'included')
  if (expanded?.objects && expanded.name === one)
    throw new Error(`${label}.expanded: the object is called "${one}" too: rename one`)
  const used = Object.keys(memberNames).map(member => names[member as keyof PageNames] ?? member)
  if (expanded !== undefined) used.push(expanded.name)
  const duplicate = used.find((name, index) => used.indexOf(name) < index)
  if (duplicate !== undefined) throw new Error(`${label}.many: two members are called "${duplicate}": rename one`)
}

// Node runs TypeScript without checking types.
function checkName(label: string, name: unknown, example: string): void {
  if (name !== undefined && (typeof name !== 'string' || name === ''))
    throw new Error(`${label} must be a name, such as "${example}"`)
}
