// Completes the parts of a page with those that all pages have, and renders them with the layout.

import { endUrl, type View } from '#core'
import { formatAssetUrls, formatFindScript, formatLogoUrl, formatPanelScript } from '../page/assets.ts'
import type { BrowsableOptions } from '../page/browsable-options.ts'
import type { BrowsablePage, PageLink } from '../page/browsable-page.ts'
import type { PageContext } from '../page/page-context.ts'
import { formatTitle, unknownPath } from '../page/page-title.ts'
import { pagePath, pageUrl } from '../page/page-url.ts'
import { describeSite } from '../page/site-roots.ts'
import { countViews } from '../saved-views/count-views.ts'
import { findOpenView } from '../saved-views/saved-views.ts'
import { railHtml } from './frame-html.ts'
import { layout } from './layout.ts'
import { findRail, type Rail } from './rail.ts'

/** The parts that differ by page; those that are left out are empty. */
export interface FrameParts extends Partial<BrowsablePage> {
  readonly heading: string
  readonly mainHtml: string
  /** The text that the page has searched. */
  readonly findText?: string
  readonly rail?: Rail | undefined
}

/** Renders the page as an HTML document. */
export async function renderFrame(context: PageContext, parts: FrameParts, options: BrowsableOptions): Promise<string> {
  const page = await completePage(context, parts, options)
  return (options.layout ?? layout)(page)
}

/** Adds the parts that all pages have. */
async function completePage(
  context: PageContext,
  parts: FrameParts,
  options: BrowsableOptions,
): Promise<BrowsablePage> {
  const { title: site = 'Resource API', links = [] } = options
  const { view, words, frameContext } = context
  const home = findHome(view, options)
  const { heading, findText = '', rail: givenRail, title, panelHtml = '', ...given } = parts
  const rail =
    givenRail ?? (given.railHtml === undefined && frameContext ? await findRail(frameContext, view) : undefined)
  const find = findFindUrl(view, home)
  const { assetRoot } = describeSite(view)
  return {
    ...{ site, home, links, words, heading },
    logo: formatLogoUrl(assetRoot, options),
    title: formatTitle(context, title ?? heading, site),
    description: '',
    tagsHtml: '',
    actionsHtml: '',
    panelHtml: panelHtml + formatPanelScript(assetRoot, panelHtml),
    isPanelClosed: false,
    account: undefined,
    breadcrumbs: [{ text: words('page.home'), href: home }],
    find: find && { ...find, text: findText, script: formatFindScript(assetRoot) },
    railHtml: rail === undefined ? '' : await findRailHtml(rail, context),
    ...formatAssetUrls(assetRoot, options, given.mainHtml + panelHtml),
    ...given,
  }
}

/** The URL of the home page: by default, the root of the API with the shortest prefix. */
export function findHome(view: View, { home }: Pick<BrowsableOptions, 'home'>): string {
  if (home !== undefined) return home
  return describeSite(view).roots[0]?.href ?? endUrl(`${view.root}/`, view.urlEnd)
}

/** The page that finds anything: the home page, if an API has it, or the root of the page's API. */
export function findFindUrl(view: View, home: string): { readonly href: string } | undefined {
  const { roots } = describeSite(view)
  return roots.find(({ href }) => href === home) ?? roots.find(({ isOwn }) => isOwn) ?? roots[0]
}

async function findRailHtml(rail: Rail, context: PageContext): Promise<string> {
  const { view, words, frameContext } = context
  // An unknown URL belongs to no list.
  const current = view.path === unknownPath ? undefined : findCurrent(rail, pagePath(context))
  const list = rail.sections
    .flatMap(({ api, entries }) => entries.map(entry => ({ ...entry, api })))
    .find(entry => entry.href === pagePath(context))
  const openView = list && findOpenView(list.savedViews, pageUrl(context), view)?.id
  const totals = list && frameContext ? await countViews(frameContext, list) : new Map()
  return railHtml(rail, { current, openView, totals }, words)
}

// The list of the page, or the list that its object belongs to.
function findCurrent({ sections, documents }: Rail, path: string): string | undefined {
  const entries = sections.flatMap(section => section.entries as readonly PageLink[])
  const lists = [...entries, ...documents].map(({ href }) => href)
  const root = sections.find(({ href }) => href === path)?.href
  return root ?? lists.find(href => path === href || path.startsWith(href.endsWith('/') ? href : `${href}/`))
}
