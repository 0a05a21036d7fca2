import type { Resource } from '../declare/resource.ts'
import type { ListView, ObjectView } from '../declare/views.ts'

/** Lists the views below a list and below its objects. Both may have views with the same name. */
export const listExtraViews = ({
  listViews = {},
  objectViews = {},
}: Pick<Resource, 'listViews' | 'objectViews'>): readonly (readonly [name: string, view: ListView | ObjectView])[] => [
  ...Object.entries(listViews),
  ...Object.entries(objectViews),
]
