// The page of a tag: its fields and its operations.

import { html } from 'ghtml'
import type { OpenApiDocument } from '#core'
import type { Words } from '../html/words.ts'
import { memberTable } from './member-table.ts'
import { readTokenScheme, type Sample } from './operation-example.ts'
import { errorSection, operationSection, paragraphs } from './operation-section.ts'
import type { Reference, ReferenceOperation, ReferencePage } from './reference.ts'
import { heading, type ReferenceUrls, searchForm } from './reference-pages.ts'
import { createReferenceReader, type ReferenceReader } from './reference-reader.ts'
import { findListOperation, findObjectOperation, findSuccess, listFields } from './resource-fields.ts'
import { findSharedParts } from './shared-parts.ts'

/** The parts of the page of a tag. */
export interface TagPageParts {
  readonly reference: Reference
  readonly urls: ReferenceUrls
  readonly words: Words
  /** Values that the caller may read, for the examples. */
  readonly sample: Sample
}

/** The page of a tag. */
export function tagPage(page: ReferencePage, { reference, urls, words, sample }: TagPageParts): string {
  const whole = createReferenceReader(reference.document, words)
  const rows = listFields(page, whole)
  const shared = findSharedParts(page.operations, rows, whole)
  const reader = { ...whole, shared }
  const said = new Map<string, ReferenceOperation>()
  const one = findObjectOperation(page)
  const parts = {
    ...{ reader, sample, baseUrl: urls.baseUrl, apiRoot: urls.apiRoot, description: page.description },
    ...{ objectOperation: one, listOperation: findListOperation(page) },
    objectSchema: one && findSuccess(one, reader),
  }
  return html`<div class="reference" !${sendTexts(reference.document, words)}>
!${searchForm(urls, words, '')}!${paragraphs(page.description)}
!${
    rows.length === 0
      ? ''
      : html`!${heading('fields', words('page.fields'), words)}
!${memberTable(words('page.fields'), rows, whole)}`
  }!${heading('operations', words('reference.operations'), words)}
!${page.operations.map(operation => operationSection(operation, { ...parts, reader: withSame(operation, reader, said) }))}!${
    shared.rows.size === 0
      ? ''
      : html`!${heading('parameters', words('reference.parameters'), words)}
!${memberTable(words('reference.parameters'), [...shared.rows.values()], whole)}`
  }!${heading('errors', words('page.errors'), words)}
!${errorSection(page.operations, reader, urls.root)}</div>`
}

/** Shorter parts are no longer than a link. */
const minSame = 400

function withSame(
  one: ReferenceOperation,
  reader: ReferenceReader,
  said: Map<string, ReferenceOperation>,
): ReferenceReader {
  const findSame = (partHtml: string) => {
    if (partHtml.length < minSame) return undefined
    const same = said.get(partHtml)
    if (same === undefined) said.set(partHtml, one)
    return same
  }
  return { ...reader, findSame }
}

// What the script needs to send requests: the header field of a token, and the texts of its form.
function sendTexts({ components }: OpenApiDocument, words: Words): string {
  const scheme = Object.values(components.securitySchemes)
    .map(readTokenScheme)
    .find(each => each !== undefined)
  const field = scheme && `${scheme.tokenHeader ?? 'Authorization'}: ${scheme.tokenKeyword}`.trim()
  return html`data-url="${words('reference.url')}" data-body="${words('page.body')}" data-send="${words('page.send')}" data-waiting="${words('page.waiting')}" data-unreachable="${words('page.unreachable')}" data-headers="${words('page.headers')}" !${field === undefined ? '' : html`data-field="${field}" data-token="${words('reference.token')}" data-session="${words('reference.session')}"`}`
}
