import type { PageLink } from './browsable-page.ts'

/** The parts of a page that no JSON shows, such as a page of the reference. Only `browsable()` can render it. */
export class PageBody {
  readonly heading: string
  readonly mainHtml: string
  /** The links between the home page and this page. */
  readonly above: readonly PageLink[]
  /** The HTML of the rail. If it is undefined, the rail shows the lists of the site. */
  readonly railHtml: string | undefined
  constructor({ heading, mainHtml, above, railHtml }: PageParts) {
    this.railHtml = railHtml
    this.heading = heading
    this.mainHtml = mainHtml
    this.above = above
  }
}

type PageParts = Pick<PageBody, 'heading' | 'mainHtml' | 'above'> & { readonly railHtml?: string }
