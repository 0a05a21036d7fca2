// The pages of the reference: `/docs/`, and a page per tag, such as `/docs/orders/`. The HTML of the latter is kept per document and language.

import {
  type BoundedMap,
  createBoundedMap,
  type DocumentPage,
  endUrl,
  type FindDocument,
  NotFound,
  type OpenApiDocument,
  type RequestContext,
  splitQuery,
  type View,
} from '#core'
import { createWords, type Words } from '../html/words.ts'
import { PageBody } from '../page/page-body.ts'
import { referenceId, referencePath } from '../page/reference-path.ts'
import type { Sample } from './operation-example.ts'
import { readSample } from './read-sample.ts'
import { findReference, type ReferencePage } from './reference.ts'
import { introductionPage, type ReferenceUrls, searchPage } from './reference-pages.ts'
import { referenceTree } from './reference-tree.ts'
import { findListOperation, findObjectOperation } from './resource-fields.ts'
import { tagPage } from './tag-page.ts'

export const documentPages: readonly DocumentPage[] = [
  { path: referencePath, name: 'Reference', id: referenceId, render: renderIntroduction },
  { path: `${referencePath}:tag/`, name: 'Reference Of A Resource', id: 'reference-page', render: renderTag },
]

/** In UTF-16 units, for one document in one language. */
const maxCached = 8 * 1024 * 1024
const maxText = 200

// A document for one caller is made for each request, and its pages are dropped with it.
const pagesOfDocuments = new WeakMap<OpenApiDocument, Map<Words, BoundedMap<string, string>>>()

function getOrCreate(document: OpenApiDocument, words: Words, key: string, create: () => string): string {
  const pages = findPages(document, words)
  const cachedPage = pages.get(key)
  if (cachedPage !== undefined) return cachedPage
  const html = create()
  pages.set(key, html)
  return html
}

function findPages(document: OpenApiDocument, words: Words): BoundedMap<string, string> {
  const byWords = pagesOfDocuments.get(document) ?? new Map<Words, BoundedMap<string, string>>()
  pagesOfDocuments.set(document, byWords)
  const pages =
    byWords.get(words) ??
    createBoundedMap<string, string>({ maxSize: maxCached, sizeOf: (name, html) => name.length + html.length })
  byWords.set(words, pages)
  return pages
}

const formatTitle = ({ info: { title } }: OpenApiDocument, words: Words): string => words('reference.title', { title })

const findWords = ({ view, request }: RequestContext): Words => createWords(view as View, request)

function createUrls({ baseUrl, view }: RequestContext): ReferenceUrls {
  const toUrl = (path: string) => endUrl(view.root + path, view.urlEnd)
  return { baseUrl, apiRoot: view.root, root: toUrl(referencePath), toPage: slug => toUrl(`${referencePath}${slug}/`) }
}

async function renderIntroduction(context: RequestContext, findDocument: FindDocument): Promise<PageBody> {
  const urls = createUrls(context)
  const words = findWords(context)
  const document = await findDocument(words.text)
  const reference = findReference(document, words)
  const [, query] = splitQuery(context.request.url)
  const text = new URLSearchParams(query).get('q')?.trim().slice(0, maxText) ?? ''
  const heading = formatTitle(document, words)
  const railHtml = referenceTree(reference, urls, words, undefined)
  if (text === '')
    return new PageBody({ heading, above: [], mainHtml: introductionPage(reference, urls, words), railHtml })
  const above = [{ text: heading, href: urls.root }]
  return new PageBody({
    heading: words('reference.search_title', { text }),
    above,
    mainHtml: searchPage(reference, urls, words, text),
    railHtml,
  })
}

async function renderTag(context: RequestContext, findDocument: FindDocument): Promise<PageBody> {
  const { tag } = context.request.params as { readonly tag: string }
  const words = findWords(context)
  const document = await findDocument(words.text)
  const reference = findReference(document, words)
  const page = reference.pages.find(({ slug }) => slug === tag)
  if (page === undefined) throw new NotFound()
  const urls = createUrls(context)
  const sample = await findSample(context, page)
  const key = JSON.stringify([urls.baseUrl, page.slug, sample])
  const mainHtml = getOrCreate(document, words, key, () => tagPage(page, { reference, urls, words, sample }))
  return new PageBody({
    heading: page.title,
    above: [{ text: formatTitle(document, words), href: urls.root }],
    mainHtml,
    railHtml: referenceTree(reference, urls, words, page),
  })
}

async function findSample(context: RequestContext, page: ReferencePage): Promise<Sample> {
  const path = (findListOperation(page) ?? findObjectOperation(page))?.path
  return path === undefined || path.includes('{') ? {} : readSample(context, path)
}
