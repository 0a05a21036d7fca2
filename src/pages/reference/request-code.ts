// A request as code: a curl command, fetch, the typed client, and Python.

import { formatFunctionName } from '#core'
import { formatCurl, formatFetch, quoteScript, quoteShell } from '../html/curl-and-fetch.ts'

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
  readonly tokenKeyword: string | undefined
  readonly tokenHeader: string | undefined
  /** Whether the request needs the ETag of the object in `If-Match`. */
  readonly hasTag: boolean
}

/** Code, and the name of its language. */
export interface RequestCode {
  readonly name: string
  readonly code: string
}

export const createRequestCode = (request: ReferenceRequest): readonly RequestCode[] => [
  { name: 'curl', code: request.isForm ? formatCurlForm(request) : formatCurl(request, { isMultiline: true }) },
  { name: 'fetch', code: request.isForm ? formatFetchForm(request) : formatFetch(request, { isMultiline: true }) },
  { name: 'TypeScript', code: formatClient(request) },
  { name: 'Python', code: formatPython(request) },
]

// A form consists of texts and files.
const listParts = (body: unknown): readonly (readonly [name: string, value: string])[] =>
  Object.entries(Object(body)).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])

const fileText = '(the file)'

function formatCurlForm(request: ReferenceRequest): string {
  const [start, ...rest] = formatCurl({ ...request, body: undefined }, { isMultiline: true }).split(' \\\n  ')
  const parts = listParts(request.body).map(
    ([name, value]) => `-F ${quoteShell(value === fileText ? `${name}=@file.txt` : `${name}=${value}`)}`,
  )
  return [start, ...rest.slice(0, -1), ...parts, rest.at(-1)].join(' \\\n  ')
}

function formatFetchForm(request: ReferenceRequest): string {
  const parts = listParts(request.body).map(
    ([name, value]) => `form.set(${quoteScript(name)}, ${value === fileText ? 'file' : quoteScript(value)})\n`,
  )
  const call = formatFetch({ ...request, body: undefined }, { isMultiline: true })
  return `const form = new FormData()\n${parts.join('')}${call.replace(/\}\)$/, '  body: form,\n})')}`
}

/** A call of the typed client (`resource-api/client`). */
export function formatClient(request: ReferenceRequest): string {
  const { path, body, tag, hasTag } = request
  const prefix = tag.split('/').slice(0, -1)
  const segments = path.split('/').filter(Boolean).slice(prefix.length)
  const call = findClientCall(request, segments, prefix.join('/'))
  const values = [
    ...(body === undefined ? [] : [formatLiteral(body, script)]),
    ...(hasTag ? ['{ ifMatch: object }'] : []),
  ]
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
    ...(names.length === 0 ? [] : [formatLiteral(values, { ...script, line: true })]),
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

function formatPython(request: ReferenceRequest): string {
  const { method, url, body, isForm, hasTag, tokenKeyword, tokenHeader = 'Authorization' } = request
  const fields = [
    ...(tokenKeyword === undefined
      ? []
      : [`${JSON.stringify(tokenHeader)}: f${JSON.stringify(`${tokenKeyword} {token}`.trim())}`]),
    ...(hasTag ? ['"If-Match": etag'] : []),
  ]
  const headers = fields.length === 0 ? [] : [`headers={${fields.join(', ')}},`]
  const parts = listParts(body)
  const files = parts.filter(([, value]) => value === fileText)
  const bodyLines = isForm
    ? [
        `data=${formatLiteral(Object.fromEntries(parts.filter(([, value]) => value !== fileText)), python)},`,
        ...(files.length === 0
          ? []
          : [`files={${files.map(([name]) => `${JSON.stringify(name)}: open("file.txt", "rb")`).join(', ')}},`]),
      ]
    : body === undefined
      ? []
      : [`json=${formatLiteral(body, python)},`]
  const lines = [`${JSON.stringify(url)},`, ...headers, ...bodyLines].map(
    line => `    ${line.replaceAll('\n', '\n    ')}`,
  )
  return `import requests

response = requests.${method.toLowerCase()}(
${lines.join('\n')}
)
response.raise_for_status()`
}

interface Dialect {
  readonly true: string
  readonly false: string
  readonly null: string
  readonly indent: string
  readonly name: (name: string) => string
  readonly text: (text: string) => string
  /** Whether objects are on one line. */
  readonly line?: boolean
}

const script: Dialect = {
  ...{ true: 'true', false: 'false', null: 'null', indent: '  ' },
  name: name => (isName(name) && name !== '__proto__' ? name : quoteScript(name)),
  text: quoteScript,
}

const python: Dialect = {
  ...{ true: 'True', false: 'False', null: 'None', indent: '    ' },
  name: name => JSON.stringify(name),
  text: text => JSON.stringify(text),
}

function formatLiteral(value: unknown, dialect: Dialect): string {
  if (typeof value === 'string') return dialect.text(value)
  if (Array.isArray(value))
    return formatMembers(
      '[]',
      value.map(item => formatLiteral(item, dialect)),
      dialect,
    )
  if (value === null || value === undefined) return dialect.null
  if (typeof value === 'boolean') return value ? dialect.true : dialect.false
  if (typeof value !== 'object') return String(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${dialect.name(name)}: ${formatLiteral(member, dialect)}`,
  )
  return formatMembers('{}', members, dialect)
}

function formatMembers([open, close]: string, members: readonly string[], { indent, line = false }: Dialect): string {
  if (members.length === 0) return `${open}${close}`
  if (line) return `${open} ${members.join(', ')} ${close}`
  return `${open}\n${members.map(member => `${indent}${member.replaceAll('\n', `\n${indent}`)},\n`).join('')}${close}`
}
