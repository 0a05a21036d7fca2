import type { PageLink } from './browsable-page.ts'

/** The parts of a page that no JSON shows, such as a page of the reference. Only `browsable()` can render it. */
export class PageBody {
  readonly heading: string
  readonly mainHtml: string
  /** The links between the home page and this page. */
  readonly above: readonly PageLink[]
  constructor({ heading, mainHtml, above }: Pick<PageBody, 'heading' | 'mainHtml' | 'above'>) {
    this.heading = heading
    this.mainHtml = mainHtml
    this.above = above
  }
}
