import type { Csrf, MaybePromise, MessageText } from '#core'
import type { AccentColors } from './accent.ts'
import type { BrowsablePage, PageLink } from './browsable-page.ts'
import type { PageContext } from './page-context.ts'

export interface BrowsableOptions {
  /** The name of the site; default `Resource API`. */
  readonly title?: string
  /**
   * The logo, shown before the title: a file (`new URL('./logo.svg', import.meta.url)`) or the text of an SVG, up to 100 kB; or the URL of an
   * image: a path on this server, or a `data:` URL. An error at start if it is no SVG or PNG.
   */
  readonly logo?: string | URL
  /** The URL that the title links to; default: the root of the API with the shortest prefix. */
  readonly home?: string
  /** Links in the header; default none. */
  readonly links?: readonly PageLink[]
  /**
   * The colour of links, main buttons and the focus, such as `#7a1fa2`, or one for light and one for dark pages. An error at start if
   * texts in it have too little contrast.
   */
  readonly accent?: string | AccentColors
  /**
   * CSS after that of the pages. Its variables are the colours: `:root { --accent: light-dark(#7a1fa2, #d7a4f0) }`.
   */
  readonly css?: string
  /** The login and logout views; default: no link to log in or out. */
  readonly login?: LoginOptions
  /** The most rows of a list that a person can download as a file; 0: none can be downloaded. Default: 100,000. */
  readonly maxDownloadRows?: number
  /** Renders a page as an HTML document; replaces the default layout. */
  readonly layout?: (page: BrowsablePage) => string
  /** Functions that render the main content of a view's pages as HTML, by the view's id (`books-detail`). */
  readonly pages?: Readonly<Record<string, (content: PageContent) => MaybePromise<string>>>
}

export interface LoginOptions {
  /** The paths of the views, from the root of the server. */
  readonly loginPath: string
  readonly logoutPath: string
  readonly csrf: Csrf
  /** Pages of the user's own account, for the account menu; default none. */
  readonly links?: readonly { readonly text: MessageText; readonly href: string }[]
  /** Links below the login form; default none. A button gets the page to go to as `?next=`. */
  readonly formLinks?: readonly { readonly text: MessageText; readonly href: string; readonly isButton?: boolean }[]
}

/** The response that a page shows. */
export interface PageContent {
  readonly context: PageContext
  /** The response body as data; undefined if there is none. */
  readonly body: unknown
  /** Renders the default main content as HTML, with `beforeForms` (HTML) inserted before the forms. */
  renderDefault(beforeForms?: string): Promise<string>
}
