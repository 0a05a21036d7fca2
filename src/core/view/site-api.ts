import type { UrlEnd } from '../http/urls/trailing-slash.ts'
import type { MessageText } from '../messages/english.ts'
import type { NamedResource } from '../messages/title.ts'

/** An API of the server, as a page of one of its APIs links to it. */
export interface SiteApi<View> {
  /** The heading of its resources; null if pages do not list them. */
  readonly title: string | null
  /** Whether its pages are for staff, who work with the data. */
  readonly isAdministration: boolean
  /** Whether this is the API of the page. */
  readonly isOwn: boolean
  /** Its path on the server, without a trailing slash. */
  readonly prefix: string
  /** Its path as clients see it, or its URL if its public URL differs; without a trailing slash. */
  readonly root: string
  readonly urlEnd: UrlEnd
  readonly resources: readonly (NamedResource & { readonly description: MessageText })[]
  readonly findView: (path: string) => View | undefined
  /** The base URL of this API, if `baseUrl` is the one of the page's API. */
  readonly toBaseUrl: (baseUrl: string) => string
}
