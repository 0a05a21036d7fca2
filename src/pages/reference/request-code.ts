// A request as code: a curl command, and a call of the typed client.

import { formatFunctionName } from '#core'

/** The request of an operation. */
export interface ReferenceRequest {
  readonly method: string
  readonly url: string
  /** The path in the document: `/orders/{key}/`. */
  readonly path: string
  /** The values of its parameters. */
  readonly parameters: Readonly<Record<string, string>>
  readonly operationId: string
  /** The tag: `admin/users`. */
  readonly tag: string
  readonly body: unknown
  /** Whether the body is a form with files. */
  readonly isForm: boolean
  /** The keyword before the token in `Authorization`; undefined if the caller needs no token. */
  readonly tokenKeyword: string | undefined
  /** The header field with the token; default: `Authorization`. */
  readonly tokenHeader: string | undefined
  /** The value of `If-Match`; undefined if it is unknown, or not needed. */
  readonly ifMatch?: string | undefined
  /** Whether the request needs the ETag of the object in `If-Match`. */
  readonly hasTag: boolean
}

/** Code, and the name of its language. */
export interface RequestCode {
  readonly name: string
  readonly code: string
}

export const createRequestCode = (request: ReferenceRequest): readonly RequestCode[] => [
  { name: 'curl', code: formatCurl(request) },
  { name: 'TypeScript', code: formatClient(request) },
]

/** A command line for a POSIX shell. */
export function formatCurl(request: ReferenceRequest): string {
  const { method, url, ifMatch, hasTag, tokenKeyword, tokenHeader = 'Authorization' } = request
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`}`,
    "-H 'Accept: application/json'",
    ...(tokenKeyword === undefined ? [] : [`-H "${tokenHeader}: ${`${tokenKeyword} $TOKEN`.trim()}"`]),
    ...(ifMatch !== undefined ? [`-H ${quoteShell(`If-Match: ${ifMatch}`)}`] : hasTag ? ['-H "If-Match: $ETAG"'] : []),
    ...listCurlBody(request),
    quoteShell(url),
  ].join(' \\\n  ')
}

// A form consists of texts and files.
function listCurlBody({ body, isForm }: ReferenceRequest): readonly string[] {
  if (body === undefined) return []
  if (!isForm) return ["-H 'Content-Type: application/json'", `-d ${quoteShell(JSON.stringify(body, null, 2))}`]
  return Object.entries(Object(body)).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `-F ${quoteShell(`${name}=${value === '(the file)' ? '@file.txt' : text}`)}`
  })
}

/** A call of the typed client (`resource-api/client`). */
export function formatClient(request: ReferenceRequest): string {
  const { path, body, tag, hasTag } = request
  const prefix = tag.split('/').slice(0, -1)
  const segments = path.split('/').filter(Boolean).slice(prefix.length)
  const call = findClientCall(request, segments, prefix.join('/'))
  const values = [...(body === undefined ? [] : [formatLiteral(body)]), ...(hasTag ? ['{ ifMatch: object }'] : [])]
  const read = hasTag ? `const object = await client${call.replace(/\.\w+$/, '.retrieve')}()\n` : ''
  const result = request.method === 'DELETE' ? '' : 'const result = '
  return `${read}${result}await client${call}(${values.join(', ')})`
}

const verbs: Readonly<Record<string, string>> = {
  list: 'list',
  create: 'create',
  retrieve: 'retrieve',
  replace: 'replace',
  update: 'update',
  delete: 'destroy',
}

const methodsOfVerbs: Readonly<Record<string, string>> = {
  list: 'GET',
  create: 'POST',
  retrieve: 'GET',
  replace: 'PUT',
  update: 'PATCH',
  delete: 'DELETE',
}

function findClientCall(
  { method, operationId, tag, parameters }: ReferenceRequest,
  segments: readonly string[],
  prefix: string,
) {
  const start = prefix === '' ? '' : formatFunctionName(prefix)
  const id = operationId.startsWith(start) ? operationId.slice(start.length) : operationId
  const verb = /^(list|create|retrieve|replace|update|delete)(?=[A-Z])/i.exec(id)?.[0].toLowerCase()
  const toChain = (parts: readonly string[]) => parts.map(part => formatStep(part, parameters)).join('')
  const at = segments.lastIndexOf(tag.split('/').at(-1)!)
  // The object is part of the chain, and a view follows it.
  const end = at < 0 ? 0 : isParameter(segments[at + 1] ?? '') ? at + 2 : at + 1
  const view = segments.slice(end)
  if (verb !== undefined && methodsOfVerbs[verb] === method && at >= 0 && !view.some(isParameter))
    return `${toChain(segments)}.${verbs[verb]}`
  const call = method === 'POST' ? '' : `.${method.toLowerCase()}`
  if (at >= 0 && view.length === 1 && !isParameter(view[0]!)) return `${toChain(segments)}${call}`
  const viewPath = (at < 0 ? `/${segments.join('/')}/` : view.join('/')).replaceAll(/\{([^}]*)\}/g, ':$1')
  const names = (at < 0 ? segments : view).filter(isParameter).map(part => part.slice(1, -1))
  const values = Object.fromEntries(names.map(name => [name, parameters[name] ?? '']))
  const viewArguments = [
    quoteScript(viewPath),
    ...(names.length === 0 ? [] : [formatLiteral(values, { isInline: true })]),
  ]
  return `${toChain(segments.slice(0, end))}.view(${viewArguments.join(', ')}).${method.toLowerCase()}`
}

const isParameter = (segment: string): boolean => segment.startsWith('{')

const reserved: ReadonlySet<string> = new Set([...Object.values(verbs), 'all', 'view', 'resource', 'fetch', 'then'])

function formatStep(segment: string, parameters: Readonly<Record<string, string>>): string {
  if (isParameter(segment)) {
    const value = parameters[segment.slice(1, -1)] ?? ''
    return `(${/^[1-9]\d{0,14}$/.test(value) ? value : quoteScript(value)})`
  }
  if (reserved.has(segment)) return `.resource(${quoteScript(segment)})`
  return isName(segment) ? `.${segment}` : `[${quoteScript(segment)}]`
}

const isName = (text: string): boolean => /^[A-Za-z_$][\w$]*$/.test(text)

interface LiteralOptions {
  /** Whether objects are on one line. */
  readonly isInline?: boolean
}

function formatLiteral(value: unknown, options: LiteralOptions = {}): string {
  if (typeof value === 'string') return quoteScript(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value))
    return formatMembers(
      ['[', ']'],
      value.map(item => formatLiteral(item, options)),
      options,
    )
  const members = Object.entries(value).map(
    ([name, member]) =>
      `${isName(name) && name !== '__proto__' ? name : quoteScript(name)}: ${formatLiteral(member, options)}`,
  )
  return formatMembers(['{', '}'], members, options)
}

function formatMembers(
  [open, close]: readonly [string, string],
  members: readonly string[],
  { isInline = false }: LiteralOptions,
): string {
  if (members.length === 0) return `${open}${close}`
  if (isInline) return `${open} ${members.join(', ')} ${close}`
  return `${open}\n${members.map(member => `  ${member.replaceAll('\n', '\n  ')},\n`).join('')}${close}`
}

/** A word of a command line. */
const quoteShell = (text: string): string => `'${quoteInShell(text)}'`

/** Text inside the quotation marks of a word. */
export const quoteInShell = (text: string): string => text.replaceAll("'", `'\\''`)

const quoteScript = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
