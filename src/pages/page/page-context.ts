import type { RenderContext, RequestContext, View } from '#core'
import type { Words } from '../html/words.ts'

/** The request and the response that a page shows. */
export interface PageContext extends RenderContext<View> {
  /** The words of the page, in the caller's language. */
  readonly words: Words
  /**
   * The caller to whom the frame of the page belongs. It differs from `requestContext` if the view has no schemes, such as that of
   * unknown URLs; undefined if nobody could be identified.
   */
  readonly frameContext: RequestContext | undefined
}
