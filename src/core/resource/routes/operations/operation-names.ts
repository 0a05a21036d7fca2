// How the operations of a resource are named: `listOrders`, `createOrder`, and `listCustomerOrders` below a parent.

import { documentMessages } from '../../../messages/document-messages.ts'
import type { MessageText } from '../../../messages/english.ts'
import { formatSingularTitle, formatTitle } from '../../../messages/title.ts'
import { formatFunctionName } from '../../../view/describe/names.ts'
import type { ResourceLocation } from '../../bind/resource-location.ts'

/** A name of a resource at one of its paths. */
export interface LocatedName {
  /** `Customer Orders` */
  readonly name: string
  /** The name on pages, which may be translated. */
  readonly shown: MessageText
}

/** The names of a resource at one of its paths: of one object, and of the objects of a list. */
export type LocatedNames = Readonly<Record<'one' | 'many', LocatedName>>

export function findNames({ bound: { resource }, list }: ResourceLocation): LocatedNames {
  const parents = list.parents.map(({ resource: parent }) => formatSingularTitle(parent.name)).reverse()
  const own = formatTitle(resource.name)
  const create = (name: string, shown: MessageText | undefined): LocatedName => {
    const located = [...parents, name].join(' ')
    return { name: located, shown: shown ?? capitalize(located.toLowerCase()) }
  }
  return {
    one: create(resource.singleton === undefined ? resource.title : own, resource.pages?.names?.one),
    many: create(own, resource.pages?.names?.many),
  }
}

const summaries = {
  list: 'reference.list',
  create: 'reference.create',
  retrieve: 'reference.retrieve',
  replace: 'reference.replace',
  update: 'reference.update',
  delete: 'reference.delete',
  download: 'reference.download',
} as const

/** The name and the summary of an operation: `listOrders`, and `List orders`. */
export const nameOperation = (
  verb: keyof typeof summaries,
  { name, shown }: LocatedName,
): { readonly id: string; readonly summary: MessageText } => ({
  id: formatFunctionName(verb, name),
  summary: {
    ...documentMessages(summaries[verb], { name: shown }),
    message: `${capitalize(verb)} ${name.toLowerCase()}`,
  },
})

/** The name of a part of what a resource contains, such as a file of an object, or a further list. `name`: of both. */
export const namePart = (name: string, { shown }: LocatedName, part: string): LocatedName => ({
  name,
  shown: documentMessages('document.part', { name: shown, part }),
})

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
