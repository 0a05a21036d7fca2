import type { Words } from '../html/words.ts'
import type { Pickers } from './pickers.ts'

/** The form of a control, and the words of its page. */
export interface ControlContext {
  /** Prefix of the ids, unique per form of a page. */
  readonly idPrefix: string
  /** The options of relations. */
  readonly pickers: Pickers
  /** The URL to which a form without the script is sent to search related objects; undefined if it cannot. */
  readonly searchAction: string | undefined
  /** The URL at which the script searches them, if it is not that of the page. */
  readonly searchUrl?: string
  readonly words: Words
  /** Begins the names of the controls of a child, such as `lines[0]`; undefined outside of rows. */
  readonly namePrefix?: string
  /** True: the controls are of a row that may stay empty. */
  readonly isNewRow?: boolean
}
