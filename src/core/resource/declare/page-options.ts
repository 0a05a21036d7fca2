// The option `pages` of a resource: what pages for people show beside its data.

import type { FieldGroups } from '../../fields/field-groups.ts'
import type { ResourceTitles } from '../../messages/title.ts'
import type { PageActions } from '../../view/page-action.ts'

export interface PageOptions<FieldName extends string = string> {
  /**
   * The names of one object and of the list: `{ one: 'Order item', many: 'Order items' }`. They may be messages of a catalogue.
   * Default: `title`, and the resource's name.
   */
  readonly names?: ResourceTitles
  /** The columns of lists, after the name of the object. Default: up to five fields with short values. */
  readonly columns?: readonly FieldName[]
  /**
   * The groups of fields in forms and on the pages of objects, by their headings; fields without a group come first. A group
   * `{ title, fields }` may have a message of a catalogue as its title. Default: no groups.
   */
  readonly groups?: FieldGroups<FieldName>
  /** Changes by name: `{ deactivate: { values: { is_active: false } } }`. Views of `objectViews` are actions already. */
  readonly actions?: PageActions
}
