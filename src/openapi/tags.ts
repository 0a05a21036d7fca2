// The tags of operations: those of a resource belong together, and those of the views whose paths begin with the same segment.

import { documentMessages, draftText, type MessageText, type PathItem, type Tag, type View } from '#core'

/** The name of the tag of a view. `below`: the path of its API below that of the document. */
export function formatTag({ resource, path }: View, below: string): string {
  const name = resource?.name ?? path.split('/')[1]!
  const tag = [...below.split('/'), name].filter(part => part !== '').join('/')
  return tag === '' ? 'root' : tag
}

/** Describes the tag of a view. */
export const createTag = ({ resource, description, name }: View, tag: string): Tag => ({
  name: tag,
  ...(resource?.pages?.names && { 'x-displayName': resource.pages.names.many }),
  description: draftText(description || describeTag(resource?.name, name)),
})

const describeTag = (resource: string | undefined, view: string): MessageText =>
  resource === undefined ? `${view}.` : documentMessages('document.resource', { name: resource })

/** The tags that the operations have, in their order, then further ones of the application. */
export function listTags(
  paths: Readonly<Record<string, PathItem>>,
  generated: ReadonlyMap<string, Tag>,
  given: readonly Tag[] = [],
): readonly Tag[] {
  const used = Object.values(paths).flatMap(item => Object.values(item).flatMap(({ tags }) => tags))
  const found = new Map(used.map(name => [name, generated.get(name) ?? { name, description: `${name}.` }]))
  for (const tag of given) found.set(tag.name, tag)
  return [...found.values()]
}
