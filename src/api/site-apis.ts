// Lists the APIs of one server for the pages of each of them.

import { formatTitle, type MountedApi, type SiteApi, toBaseUrl, type View } from '#core'

/** Creates the function that lists all APIs of the server. They are known when Fastify is ready. `root`: the path of `own`. */
export function createSiteApis(
  own: MountedApi,
  apis: readonly MountedApi[],
  root: string,
): () => readonly SiteApi<View>[] {
  let listed: readonly SiteApi<View>[] | undefined
  return () => {
    if (listed?.length !== apis.length) listed = apis.map(api => toSiteApi(api, own, root))
    return listed
  }
}

function toSiteApi(api: MountedApi, own: MountedApi, root: string): SiteApi<View> {
  const { prefix, urlEnd, resources, findView } = api
  return {
    title: api.title === undefined ? titlePrefix(prefix) : api.title,
    isAdministration: api.isAdministration ?? false,
    isOwn: api === own,
    prefix,
    root: toBaseUrl(api, own, root),
    urlEnd,
    resources,
    findView,
    toBaseUrl: baseUrl => toBaseUrl(api, own, baseUrl),
  }
}

// `/shop` becomes "Shop".
const titlePrefix = (prefix: string): string => formatTitle(prefix.split('/').at(-1)!) || 'API'
