import { hash } from 'node:crypto'
import { formatJson, formatSortedJson } from '../../base/exact-json.ts'
import { BadRequest } from '../../errors/exceptions.ts'
import { frameworkMessages } from '../../messages/english.ts'
import type { HandlerContext } from '../context.ts'
import { UploadedFile } from '../files/stored-file.ts'
import { listHeaderLines } from '../header-lines.ts'
import type { FormBody, RequestBody } from '../parsers/request-body.ts'

/** The identity of a request that may be repeated. */
export interface IdempotentRequest {
  /** A digest of the `Idempotency-Key`, the caller, the method and the URL: callers never see each other's responses. */
  readonly key: string
  /** A digest of the body: of its values, whatever the order of its members or fields. */
  readonly body: string
}

const maxLength = 255

/** Identifies a request by its `Idempotency-Key`, which is `text`. Throws BadRequest. */
export function readIdempotentRequest(
  { request, user, version, method, requestBody }: HandlerContext,
  text: string | readonly string[],
): IdempotentRequest {
  if (typeof text !== 'string' || listHeaderLines(request.raw, 'idempotency-key').length > 1)
    throw new BadRequest(frameworkMessages('bad_request.idempotency_keys'))
  if (text.length === 0 || text.length > maxLength)
    throw new BadRequest(frameworkMessages('bad_request.idempotency_key', { limit: maxLength }))
  const caller = user.isAuthenticated ? [user.id, user.username] : null
  return {
    key: digest([caller, method, request.url, text, ...(version === undefined ? [] : [version])]),
    body: digestBody(requestBody),
  }
}

function digestBody(body: RequestBody): string {
  switch (body.kind) {
    case 'empty':
      return digest([body.kind])
    case 'data':
      return digest([body.kind, formatSortedJson(body.data)])
    case 'form':
      return digest([body.kind, formatSortedForm(body.form), ...describeFiles(body)])
    case 'parts':
    case 'upload':
      throw new BadRequest(frameworkMessages('bad_request.idempotent_upload'))
  }
}

// Sorting keeps the order of fields with the same name.
function formatSortedForm(form: URLSearchParams): string {
  const sorted = new URLSearchParams(form)
  sorted.sort()
  return sorted.toString()
}

// The contents are not compared.
const describeFiles = ({ files = new Map() }: FormBody): readonly unknown[] =>
  [...files]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([field, found]) => [found].flat().map(each => [field, each] as const))
    .map(([field, found]) => {
      if (!(found instanceof UploadedFile)) return [field]
      const { name, type, size } = found.file
      return [field, name, type, size]
    })

const digest = (parts: readonly unknown[]): string => hash('sha256', formatJson(parts), 'base64url')
