// The parts of a page, as values.

import type { Words } from '../html/words.ts'

/** A link in the header or the breadcrumbs. */
export interface PageLink {
  readonly text: string
  readonly href: string
}

/** The parts of a page. Parts whose names end in `Html` are HTML; all others are text, which a layout must escape. */
export interface BrowsablePage {
  /** The name of the site. */
  readonly site: string
  /** The URL of the logo. */
  readonly logo: string | undefined
  /** The URL that the name of the site links to. */
  readonly home: string
  readonly links: readonly PageLink[]
  /** The title of the document: `Users · Administration`. */
  readonly title: string
  /** The visible heading. */
  readonly heading: string
  /** A sentence below the heading; empty for none. */
  readonly description: string
  /** Short facts beside the heading, such as the number of objects. */
  readonly tagsHtml: string
  /** Links and buttons at the end of the heading. */
  readonly actionsHtml: string
  /** Links from the home page to this page. */
  readonly breadcrumbs: readonly PageLink[]
  /** Undefined if the view does not use sessions. */
  readonly account: Account | undefined
  /** The URL that searches pages and objects, and the text that was searched; undefined if there is no such page. */
  readonly find: { readonly href: string; readonly text: string; readonly script?: string } | undefined
  /** The links to the lists that the caller may open. */
  readonly railHtml: string
  readonly mainHtml: string
  /** The request of the page, for programmers; empty for none. */
  readonly panelHtml: string
  /** Whether the request is closed until somebody opens it, because the content needs the room. */
  readonly isPanelClosed: boolean
  /** The words of the pages in the caller's language. */
  readonly words: Words
  /** The URLs of the stylesheets and the scripts that the page needs. */
  readonly styles: readonly string[]
  readonly scripts: readonly string[]
  /** The URL of the icon of the tab. */
  readonly icon: string
}

/** A link below the login form. */
export interface LoginLink extends PageLink {
  readonly isButton?: boolean
}

/** The user who is logged in, and the URLs to log in and out. */
export interface Account {
  /** Undefined if the caller is anonymous. */
  readonly username: string | undefined
  readonly loginUrl: string
  readonly logoutUrl: string
  /** The CSRF token of the page's forms; undefined if the caller has no session. */
  readonly token: string | undefined
  /** Path and query of this page; a login or logout redirects to it. */
  readonly returnUrl: string
  /** Pages of the user's own account. */
  readonly links: readonly PageLink[]
  /** Links below the login form. */
  readonly formLinks: readonly LoginLink[]
}
