// The head of one part of a form (RFC 7578 §4), strictly: what cannot be understood is refused, not skipped.

import { isUtf8 } from 'node:buffer'
import { parseMediaType } from '../negotiation/media-type.ts'
import { multipartError } from './multipart.ts'

export interface PartHead {
  readonly name: string
  /** The part is a file when it has one; without the folders that it may come with. */
  readonly filename: string | undefined
  readonly mediaType: string
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const headerField = new RegExp(`^(${token}):[ \\t]*((?:[^\\p{Cc}]|\\t)*)$`, 'u')
const parameter = new RegExp(`;[ \\t]*(${token})=(?:(${token})|"([^"]*)")[ \\t]*`, 'y')

/** Reads the lines before the blank line. Throws ParseError. */
export function parsePartHead(bytes: Buffer): PartHead {
  if (!isUtf8(bytes)) throw multipartError('the head of a part is not valid UTF-8')
  const fields = parseFields(bytes.toString('utf8'))
  const parameters = parseDisposition(fields.get('content-disposition'))
  const name = parameters.get('name')
  if (name === undefined) throw multipartError('a part has no name')
  checkTransferEncoding(fields.get('content-transfer-encoding'))
  const filename = parameters.get('filename')
  return {
    name,
    filename: filename === undefined ? undefined : baseName(filename),
    mediaType: essence(fields.get('content-type')),
  }
}

function parseFields(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const line of text.split('\r\n')) {
    const [, name = '', value = ''] = headerField.exec(line) ?? []
    if (name === '') throw multipartError('the head of a part is malformed')
    add(fields, name, value.trim())
  }
  return fields
}

function parseDisposition(header = ''): ReadonlyMap<string, string> {
  const [type = ''] = /^form-data[ \t]*/i.exec(header) ?? []
  if (type === '') throw multipartError('a part is no form data')
  const parameters = new Map<string, string>()
  parameter.lastIndex = type.length
  while (parameter.lastIndex < header.length) {
    const [, name, plain, quoted = ''] = parameter.exec(header) ?? []
    if (name === undefined) throw multipartError('the head of a part is malformed')
    add(parameters, name, plain ?? unquote(quoted))
  }
  return checkExtended(parameters)
}

// Of two, readers along the way might each believe another.
function add(entries: Map<string, string>, name: string, value: string): void {
  const key = name.toLowerCase()
  if (entries.has(key)) throw multipartError(`a part has two of "${key}"`)
  entries.set(key, value)
}

// `filename*` is not allowed (RFC 7578 §4.2). Beside `filename`, where some clients send it, it says nothing more.
function checkExtended(parameters: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (parameters.has('filename*') && !parameters.has('filename')) throw multipartError('"filename*" is not allowed')
  return parameters
}

// What browsers escape inside quotes (HTML, multipart/form-data encoding algorithm); a backslash is a backslash.
const unquote = (quoted: string): string => quoted.replace(/%(?:22|0d|0a)/gi, decodeURIComponent)

// No transfer coding is taken apart: bytes of another meaning than their own would be handed over (RFC 7578 §4.7).
function checkTransferEncoding(header = 'binary'): void {
  if (!/^(?:7bit|8bit|binary)$/i.test(header)) throw multipartError('a part has a transfer encoding')
}

function baseName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  return name === '.' || name === '..' ? '' : name
}

function essence(header = 'text/plain'): string {
  const mediaType = parseMediaType(header)
  if (mediaType === undefined) throw multipartError('a part has a malformed media type')
  return `${mediaType.type}/${mediaType.subtype}`
}
