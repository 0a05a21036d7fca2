// The head of one part of a form (RFC 7578 §4). Anything malformed is rejected, not skipped.

import { isUtf8 } from 'node:buffer'
import { parseMediaType } from '../negotiation/media-type.ts'
import { createMultipartError } from './multipart-error.ts'

export interface PartHead {
  readonly name: string
  /** The name of the file, without directories; undefined if the part is not a file. */
  readonly filename: string | undefined
  readonly mediaType: string
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const headerField = new RegExp(`^(${token}):[ \\t]*((?:[^\\p{Cc}]|\\t)*)$`, 'u')
const parameter = new RegExp(`;[ \\t]*(${token})=(?:(${token})|"([^"]*)")[ \\t]*`, 'y')

/** Parses the lines before the blank line. Throws ParseError. */
export function parsePartHead(bytes: Buffer): PartHead {
  if (!isUtf8(bytes)) throw createMultipartError('the head of a part is not valid UTF-8')
  const fields = parseFields(bytes.toString('utf8'))
  const parameters = parseDisposition(fields.get('content-disposition'))
  const name = parameters.get('name')
  if (name === undefined) throw createMultipartError('a part has no name')
  checkTransferEncoding(fields.get('content-transfer-encoding'))
  const filename = parameters.get('filename')
  return {
    name,
    filename: filename === undefined ? undefined : baseName(filename),
    mediaType: parseType(fields.get('content-type')),
  }
}

function parseFields(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const line of text.split('\r\n')) {
    const [, name = '', value = ''] = headerField.exec(line) ?? []
    if (name === '') throw createMultipartError('the head of a part is malformed')
    add(fields, name, value.trim())
  }
  return fields
}

function parseDisposition(header = ''): ReadonlyMap<string, string> {
  const [type = ''] = /^form-data[ \t]*/i.exec(header) ?? []
  if (type === '') throw createMultipartError('a part is not form-data')
  const parameters = new Map<string, string>()
  parameter.lastIndex = type.length
  while (parameter.lastIndex < header.length) {
    const [, name, unquoted, quoted = ''] = parameter.exec(header) ?? []
    if (name === undefined) throw createMultipartError('the head of a part is malformed')
    add(parameters, name, unquoted ?? unquote(quoted))
  }
  return checkExtendedFilename(parameters)
}

// If a field were repeated, a proxy and this parser might use different values.
function add(entries: Map<string, string>, name: string, value: string): void {
  const key = name.toLowerCase()
  if (entries.has(key)) throw createMultipartError(`a part repeats "${key}"`)
  entries.set(key, value)
}

// `filename*` is not allowed (RFC 7578 §4.2). Some clients send it in addition to `filename`; then it is ignored.
function checkExtendedFilename(parameters: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (parameters.has('filename*') && !parameters.has('filename'))
    throw createMultipartError('"filename*" is not allowed')
  return parameters
}

// Browsers escape these characters inside quotes (HTML, multipart/form-data encoding algorithm). A backslash has no
// special meaning.
const unquote = (quoted: string): string => quoted.replace(/%(?:22|0d|0a)/gi, decodeURIComponent)

// An encoded part is rejected: it would not be decoded, so the handler would receive encoded bytes (RFC 7578 §4.7).
function checkTransferEncoding(header = 'binary'): void {
  if (!/^(?:7bit|8bit|binary)$/i.test(header)) throw createMultipartError('a part has a transfer encoding')
}

function baseName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  return name === '.' || name === '..' ? '' : name
}

function parseType(header = 'text/plain'): string {
  const mediaType = parseMediaType(header)
  if (mediaType === undefined) throw createMultipartError('a part has a malformed media type')
  return `${mediaType.type}/${mediaType.subtype}`
}
