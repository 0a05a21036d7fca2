import type { MaybePromise } from '../base/maybe-promise.ts'
import type { RequestContext } from '../http/context.ts'
import type { MessageText } from '../messages/english.ts'

/** The request of a page, and its language. */
export interface ViewPageContext {
  readonly context: RequestContext
  /** A language tag. */
  readonly language: string
  /** The text in that language. */
  readonly text: (text: MessageText) => string
}

/** Renders the middle of a page as HTML; it has to escape every value that it inserts. */
export type ViewPage = (page: ViewPageContext) => MaybePromise<string>
