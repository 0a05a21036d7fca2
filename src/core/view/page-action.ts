import type { RequestContext } from '../http/context.ts'
import type { MessageText } from '../messages/english.ts'
import type { Condition } from '../tables/condition.ts'

/** A change that pages offer by name: it sets values, or asks for some fields, or adds a related object. */
export interface PageAction {
  /** The text of its button; default: its name, such as `Deactivate`. */
  readonly label?: MessageText
  /** Further effects of the action, which its page names when it asks for confirmation. Default: the action does not ask. */
  readonly description?: MessageText
  /** The sentence on the object's page after the action: `{name} was deactivated.` Default: the label of the action and the name of the object. */
  readonly done?: MessageText
  /** The values that it sets, by field. Objects that have all of them do not offer it. */
  readonly values?: Readonly<Record<string, string | number | boolean>>
  /** The fields that its page asks for. The form of the object leaves them out; secrets are asked for twice. */
  readonly fields?: readonly string[]
  /** A relation with several objects, to which it adds one. Lists offer it for the selected objects. */
  readonly adds?: string
  /**
   * Whether lists offer it for several objects. Default: true for `values` and `adds`; false for a view, whose responses nobody would
   * see.
   */
  readonly bulk?: boolean
  /** True for a rare or dangerous action: the page of an object has it in the menu *More*, and not as a button. Default: false. */
  readonly menu?: boolean
  /**
   * The objects that it applies to, as a condition on the rows of a declared table: `{ status: 'open' }`. Pages do not offer it for
   * others. It does not refuse requests. Default: all.
   */
  readonly when?: Condition
}

/** An action as pages offer it. */
export interface OfferedPageAction extends Omit<PageAction, 'when'> {
  /** Whether it applies to the object of the request; undefined if it applies to all. */
  readonly applies?: (context: RequestContext) => Promise<boolean>
}

/** Actions by name. */
export type PageActions = Readonly<Record<string, PageAction>>
