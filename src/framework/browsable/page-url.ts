// The URL of a page, as the client sees it.

export { clientPath as pagePath, clientUrl as pageUrl } from '../urls/client-url.ts'
