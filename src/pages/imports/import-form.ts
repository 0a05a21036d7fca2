// The forms of an import. Each is a POST to the list, and responds with the next page: the preview, or the result. Between two requests,
// the rows of the file are in the page.

import type { FastifyRequest } from 'fastify'
import {
  type ApiResponse,
  csrfField,
  formParser,
  type Handler,
  type HandlerContext,
  multipartParser,
  NotFound,
  PayloadTooLarge,
  splitQuery,
  type View,
} from '#core'
import { listBulkActions } from '../bulk/bulk-actions.ts'
import { createBreadcrumbs } from '../frame/breadcrumbs.ts'
import { importParameter } from '../gateway/bulk-names.ts'
import { isFromPage } from '../gateway/page-form.ts'
import { createWords, type Words } from '../html/words.ts'
import { PageBody } from '../page/page-body.ts'
import { formatImportHeading, importFields, previewPage, resultPage, uploadPage } from './import-pages.ts'
import { type ImportOutcome, progressPage, runPart, runsInParts } from './import-parts.ts'
import { ImportProblem, maxColumns, maxFileSize } from './import-problem.ts'
import {
  findChoiceProblem,
  findImportSource,
  guessChoice,
  hasErrors,
  type ImportChoice,
  type ImportSource,
  runImport,
} from './import-run.ts'
import { type ImportTable, readTable, unpackTable } from './read-table.ts'

/** The request that such a form stands for. */
export interface ImportForm {
  readonly view: View
  readonly request: FastifyRequest
}

const limits = { limit: 2 * maxFileSize, maxFields: maxColumns + 20 }
// The handler says how large a file may be, so the parser lets a larger one begin.
const parsers = [formParser(limits), multipartParser(limits).withFiles!({ maxFiles: 1, maxSize: 2 * maxFileSize })]

/** Reads the form; undefined for other requests. Callers who may create objects may send it. */
export function readImportForm(list: View, request: FastifyRequest): ImportForm | undefined {
  if (!request.url.includes(importParameter) || list.listMetadata === undefined) return undefined
  const [path, query] = splitQuery(request.url)
  if (!new URLSearchParams(query).has(importParameter) || !isFromPage(list, request)) return undefined
  if (list.forms.POST === undefined || list.listMetadata.imported === undefined) return undefined
  const run: Handler = context => respondToForm(list, context)
  const view: View = {
    ...list.forMethod('POST'),
    handlers: new Map([['POST', run]]),
    parsers,
    auditEvent: null,
    forMethod: () => view,
  }
  return { view, request: Object.create(request, { url: { value: path } }) }
}

async function respondToForm(list: View, context: HandlerContext): Promise<ApiResponse> {
  const { request } = context
  const words = createWords(list, request)
  const page = { view: list, request, words }
  const above = await createBreadcrumbs({ ...page, requestContext: context, status: 200 }, undefined, '')
  const show = (status: number, mainHtml: string): ApiResponse => ({
    status,
    headers: { 'cache-control': 'no-store' },
    body: new PageBody({ heading: formatImportHeading(page), above: above.slice(1), mainHtml }),
  })
  const source = await findImportSource(list, context, words)
  let form = new URLSearchParams()
  try {
    const input = await readInput(context, list.listMetadata!.imported!.maxRows)
    form = input.form
    return show(...(await runForm(input, source, page)))
  } catch (error) {
    if (!(error instanceof ImportProblem)) throw error
    const token = form.get(csrfField) ?? readToken(context)
    return show(400, uploadPage(page, token, words(error.key, error.values)))
  }
}

const readToken = ({ requestBody: body }: HandlerContext): string | undefined =>
  body.kind === 'form' || body.kind === 'upload' ? (body.form.get(csrfField) ?? undefined) : undefined

interface ImportInput {
  readonly form: URLSearchParams
  readonly table: ImportTable
  /** Whether the table is that of a file which has just arrived. */
  readonly isNew: boolean
}

async function readInput({ requestBody: body }: HandlerContext, maxRows: number): Promise<ImportInput> {
  if (body.kind === 'upload') {
    for await (const part of body.files) {
      if (part.filename === '') continue
      const bytes = await readBytes(part.content)
      return { form: body.form, table: await readTable(bytes, part.filename, maxRows), isNew: true }
    }
  }
  if (body.kind !== 'form' && body.kind !== 'upload') throw new ImportProblem('page.import_choose')
  const rows = body.form.get(importFields.rows)
  if (rows === null) throw new ImportProblem('page.import_choose')
  const table = unpackTable(rows, maxRows)
  if (table === undefined) throw new ImportProblem('page.import_lost')
  return { form: body.form, table, isNew: false }
}

async function readBytes(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  const tooLarge = () => new ImportProblem('page.import_size', { max: maxFileSize / 1024 / 1024 })
  try {
    for await (const chunk of content) {
      size += chunk.length
      if (size > maxFileSize) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof PayloadTooLarge ? tooLarge() : error
  }
  return Buffer.concat(chunks)
}

type ListPage = Parameters<typeof uploadPage>[0] & { readonly words: Words }

async function runForm(
  { form, table, isNew }: ImportInput,
  source: ImportSource,
  page: ListPage,
): Promise<readonly [status: number, mainHtml: string]> {
  const { list, context, words } = source
  const csrfToken = form.get(csrfField) ?? undefined
  const choice = isNew ? guessChoice(table, source) : readChoice(form, table, source)
  const problem = findChoiceProblem(choice, words)
  if (problem !== undefined)
    return [400, previewPage({ table, choice, report: undefined, problem }, source, page, csrfToken)]
  const mode = form.get(importFields.run)
  if (isNew || (mode !== 'all' && mode !== 'good')) {
    const report = await runImport(table, choice, 'check', source)
    return [200, previewPage({ table, choice, report }, source, page, csrfToken)]
  }
  const actions = await listBulkActions(list, context, words)
  const canDelete = actions.some(({ name }) => name === 'delete')
  const showResult = (outcome: ImportOutcome): string =>
    resultPage(outcome, table, choice, { canDelete, csrfToken }, page)
  if (runsInParts(form, table)) {
    const part = await runPart(form, table, choice, source)
    return [200, part.progress ? progressPage(part, choice, page, csrfToken) : showResult(part.outcome)]
  }
  const report = await runImport(table, choice, mode, source)
  const isWritten = report.created.length + report.changed > 0
  if (!isWritten) return [400, previewPage({ table, choice, report }, source, page, csrfToken)]
  return [200, showResult({ ...report, unwritten: report.rows.filter(hasErrors) })]
}

function readChoice(form: URLSearchParams, { headers }: ImportTable, { targets, key }: ImportSource): ImportChoice {
  const columns = headers.map((_, index) => {
    const name = form.get(`${importFields.column}${index}`) ?? ''
    const target = targets.find(each => each.name === name)
    // A field that the caller does not see does not exist.
    if (target === undefined && name !== '') throw new NotFound()
    return target
  })
  return { columns, changes: form.get(importFields.changes) === '1' && key !== undefined && columns.includes(key) }
}
