// The APIs of a server as pages name them, and their own pages. They are the same for every request.

import { endUrl, type SiteApi, type View } from '#core'

/** The own page of an API. */
export interface SiteRoot {
  readonly href: string
  readonly isOwn: boolean
}

interface Site {
  /** The own pages of all APIs, the one with the shortest prefix first. */
  readonly roots: readonly SiteRoot[]
  /** The title of the page's API; undefined if it has none. */
  readonly ownTitle: string | undefined
  /** Whether the pages of the page's API are for staff. */
  readonly isAdministration: boolean
  /** Whether pages list the resources of several APIs. */
  readonly hasSections: boolean
  /** The path of the API from which all pages load their files, so that browsers load them once; of the page's API, if no other has them. */
  readonly assetRoot: string
}

const sites = new WeakMap<readonly SiteApi<View>[], Site>()

/** Describes the server from the view of a page. */
export function describeSite({ listApis, renderers, root }: View): Site {
  const apis = listApis()
  const cachedSite = sites.get(apis)
  if (cachedSite !== undefined) return cachedSite
  const own = apis.find(({ isOwn }) => isOwn)
  const site = {
    roots: listRoots(apis),
    ownTitle: own?.title ?? undefined,
    isAdministration: own?.isAdministration ?? false,
    assetRoot: findAssetRoot(apis, renderers) ?? root,
    hasSections: apis.filter(({ title, resources }) => title !== null && resources.length > 0).length > 1,
  }
  sites.set(apis, site)
  return site
}

// An API with a URL of its own, which is another origin, is no place for files of this one.
function findAssetRoot(apis: readonly SiteApi<View>[], renderers: View['renderers']): string | undefined {
  const names = listAssetNames(renderers)
  return apis
    .toSorted((left, right) => left.prefix.length - right.prefix.length)
    .find(({ root, findView }) => {
      const own = new Set(listAssetNames(findView('/')?.renderers ?? []))
      return !/^https?:/.test(root) && names.every(name => own.has(name))
    })?.root
}

const listAssetNames = (renderers: View['renderers']): readonly string[] =>
  renderers.flatMap(({ assets = [] }) => assets.map(({ name }) => name))

const listRoots = (apis: readonly SiteApi<View>[]): readonly SiteRoot[] =>
  apis
    .filter(({ findView }) => findView('/')?.renderers.some(({ mediaType }) => mediaType === 'text/html'))
    .toSorted((left, right) => left.prefix.length - right.prefix.length)
    .map(({ root, urlEnd, isOwn }) => ({ href: endUrl(`${root}/`, urlEnd), isOwn }))
