// The response to a GET of a file's URL: whole or in part, with a strong ETag. A key never gets another content, so it is the
// tag.

import type { IncomingHttpHeaders } from 'node:http'
import { checkReadPreconditions, formatTag, isNotModified } from '../conditional/preconditions.ts'
import { type ApiResponse, FileContent } from '../response.ts'
import { formatDisposition } from './content-disposition.ts'
import type { FileStore } from './file-store.ts'
import { readRange } from './range.ts'
import type { StoredFile } from './stored-file.ts'

export interface FileRequest {
  readonly headers: IncomingHttpHeaders
  /** True for HEAD: the file is not opened. */
  readonly isHead: boolean
  /** The field Cache-Control of the response. */
  readonly cacheControl: string
}

/** Creates the response. Rejects with MissingFile, or with PreconditionFailed. */
export async function createFileResponse(
  { key, name, size, type }: StoredFile,
  store: FileStore,
  { headers, isHead, cacheControl }: FileRequest,
): Promise<ApiResponse> {
  const etag = formatTag(key)
  const caching = { etag, 'cache-control': cacheControl }
  const validators = { tag: key, lastModified: undefined }
  checkReadPreconditions(headers, validators)
  if (isNotModified(headers, validators)) return { status: 304, headers: caching }
  const disposition = formatDisposition(name, type)
  // The URL of the service is signed for GET alone.
  if (store.createUrl !== undefined && !isHead) {
    const location = await store.createUrl(key, { disposition, type })
    return { status: 302, headers: { location, 'cache-control': 'no-store' } }
  }
  // HEAD has no ranges (RFC 9110 §14.2).
  const range = isHead ? undefined : readRange(headers, { size, etag })
  if (range === 'unsatisfiable') return { status: 416, headers: { ...caching, 'content-range': `bytes */${size}` } }
  const fields = {
    ...caching,
    ...safety,
    'accept-ranges': 'bytes',
    'content-type': type.startsWith('text/') ? `${type}; charset=utf-8` : type,
    'content-disposition': disposition,
    'content-length': String(range === undefined ? size : range.last - range.first + 1),
    ...(range && { 'content-range': `bytes ${range.first}-${range.last}/${size}` }),
  }
  const status = range === undefined ? 200 : 206
  return { status, headers: fields, ...(!isHead && { body: new FileContent(await store.read(key, range)) }) }
}

// A file is data of a user: it must not run as a page of this origin.
const safety = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
}
