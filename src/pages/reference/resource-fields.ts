// The fields of a resource, as its operations take and show them.

import type { Content, JsonSchema } from '#core'
import { isJson, resolveReference, type SchemaReader } from '#openapi'
import { findMembers } from './describe-value.ts'
import type { ReferenceOperation, ReferencePage } from './reference.ts'
import type { MemberRow, ReferenceReader } from './reference-reader.ts'

/** The schema of JSON among the media types of a body. */
export function findJson(content: Content | undefined): JsonSchema | undefined {
  const [, found] = Object.entries(content ?? {}).find(([type]) => isJson(type)) ?? []
  return found?.schema
}

/** The schema of an operation's success; undefined if it has no JSON body. */
export function findSuccess({ operation }: ReferenceOperation, { document }: SchemaReader): JsonSchema | undefined {
  for (const [status, response] of Object.entries(operation.responses))
    if (/^2\d\d$/.test(status)) {
      const schema = findJson(resolveReference(document, response).content)
      if (schema !== undefined) return schema
    }
  return undefined
}

/** The id of a field on a page that describes it. */
export const formatFieldAnchor = (name: string): string => `field-${encodeURIComponent(name).replaceAll('%', '.')}`

/** Lists the fields: those that an object shows, then those that are only written. */
export function listFields(page: ReferencePage, reader: ReferenceReader): readonly MemberRow[] {
  const { words } = reader
  const shown = findShown(page, reader)
  const create: JsonSchema | undefined = findBody(page, 'POST', reader)
  const changes = ['PUT', 'PATCH'].map(method => findBody(page, method, reader)).filter(isDefined)
  const bodies = [create, ...changes].filter(isDefined)
  const shownMembers = readMembers(shown)
  const names = new Set([...Object.keys(shownMembers), ...bodies.flatMap(body => Object.keys(readMembers(body)))])
  const required = new Set(((create ?? changes[0])?.required ?? []) as readonly string[])
  return [...names].map(name => {
    const taken = bodies.map(body => findOwn(readMembers(body), name)).find(schema => schema !== undefined)
    const inShown = findOwn(shownMembers, name)
    const isFixed =
      changes.length > 0 && taken !== undefined && changes.every(body => !Object.hasOwn(readMembers(body), name))
    return {
      name,
      schema: inShown ?? taken ?? {},
      written: taken,
      anchor: formatFieldAnchor(name),
      flags: [
        ...(required.has(name) ? [words('page.required')] : []),
        ...(taken === undefined && bodies.length > 0 ? [words('page.read_only')] : []),
        ...(inShown === undefined && shown !== undefined ? [words('page.write_only')] : []),
        ...(isFixed ? [words('page.only_created')] : []),
      ],
    }
  })
}

const isDefined = <Value>(value: Value | undefined): value is Value => value !== undefined

const readMembers = (schema: JsonSchema | undefined): Readonly<Record<string, JsonSchema>> =>
  (schema?.properties ?? {}) as Readonly<Record<string, JsonSchema>>

const findOwn = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** The operation that shows one object. */
export const findObjectOperation = ({ operations }: ReferencePage): ReferenceOperation | undefined =>
  operations.find(({ operation, method }) => method === 'GET' && /retrieve/i.test(operation.operationId))

/** The operation that lists the objects. */
export const findListOperation = ({ operations }: ReferencePage): ReferenceOperation | undefined =>
  operations.find(
    ({ operation, method, path }) => method === 'GET' && /list/i.test(operation.operationId) && !path.includes('{'),
  )

function findShown(page: ReferencePage, reader: SchemaReader): JsonSchema | undefined {
  const one = findObjectOperation(page)
  if (one !== undefined) return findObject(findSuccess(one, reader), reader)
  const list = page.operations.find(({ operation, method }) => method === 'GET' && /list/i.test(operation.operationId))
  const items = list && findItems(findSuccess(list, reader), reader)
  return items && findObject(items, reader)
}

const findObject = (schema: JsonSchema | undefined, reader: SchemaReader): JsonSchema | undefined =>
  schema && findMembers(schema, reader)

// The items of a list, alone or in a page.
function findItems(schema: JsonSchema | undefined, reader: SchemaReader): JsonSchema | undefined {
  const { items, properties = {} } = schema === undefined ? {} : reader.resolve(schema)
  if (items !== undefined) return items as JsonSchema
  const lists = Object.values(properties as Readonly<Record<string, JsonSchema>>).map(reader.resolve)
  return lists.find(member => member.items !== undefined)?.items as JsonSchema | undefined
}

// The body of the main object, and not that of a view below it.
function findBody({ operations }: ReferencePage, method: string, reader: SchemaReader): JsonSchema | undefined {
  const verbs: Readonly<Record<string, RegExp>> = { POST: /create/i, PUT: /replace/i, PATCH: /update/i }
  const found = operations.filter(one => one.method === method && verbs[method]!.test(one.operation.operationId)).at(-1)
  const content = found?.operation.requestBody?.content
  const multipart = content?.['multipart/form-data']?.schema
  const schema = findJson(content) ?? multipart
  const [json, form] = [schema, multipart].map(each => each && findObject(each, reader))
  if (json === undefined) return undefined
  // Files are in the form alone.
  return {
    ...json,
    properties: { ...readMembers(form), ...readMembers(json) },
    required: form?.required ?? json.required,
  }
}
