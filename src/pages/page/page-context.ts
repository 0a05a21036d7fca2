import type { RenderContext, RequestContext, View } from '#core'
import type { Words } from '../html/words.ts'
import type { ResponseData } from './response-data.ts'

/** The request and the response that a page shows. */
export interface PageContext extends RenderContext<View> {
  /** The words of the page, in the caller's language. */
  readonly words: Words
  /**
   * The caller to whom the frame of the page belongs. It differs from `requestContext` if the view has no schemes, such as that of
   * unknown URLs; undefined if nobody could be identified.
   */
  readonly frameContext: RequestContext | undefined
  /** The form whose rejection the page explains. Then the request of the page is usually a GET of the object or the list. */
  readonly rejection?: Rejection
}

/** A form that was rejected. */
export interface Rejection {
  /** The request that the form stands for, and its error. */
  readonly context: PageContext
  readonly data: ResponseData
  /** Whether a form of the page shows what was typed, and the errors; otherwise a notice says why. */
  readonly isInForm: boolean
}
