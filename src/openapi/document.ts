// Makes the OpenAPI document of the views of one or more APIs.

import {
  type Caller,
  createComponents,
  createOperationNames,
  type DescribedOperation,
  type DescriptionContext,
  type DocumentOptions,
  describedMethods,
  describeViewOperation,
  documentMessages,
  type ExampleObjects,
  endUrl,
  findGivenName,
  formatFunctionName,
  listVisibleFields,
  type MessageText,
  mergePatch,
  type OpenApiDocument,
  type Operation,
  type PathItem,
  type RegisteredResource,
  readEnglish,
  type Tag,
  translateTexts,
  type View,
} from '#core'
import { createOperation, type DocumentParts } from './create-operation.ts'
import { addExamples, type ResourceComponent } from './examples.ts'
import { createSecuritySchemes } from './security.ts'
import { createTag, formatTag, listTags } from './tags.ts'
import { keepUsedComponents } from './used-components.ts'

/** The APIs that a document describes. */
export interface DescribedApis {
  /** The path below which the document is, without a trailing slash. */
  readonly prefix: string
  /** The same path as clients see it. */
  readonly root: string
  readonly views: readonly View[]
  /** Paths that are not those of views, such as health checks. */
  readonly paths: Readonly<Record<string, PathItem>>
  /** Objects of resources, by the path of their API below the document. */
  readonly examples?: ReadonlyMap<string, ExampleObjects>
}

/** For whom a document is made. */
export interface DocumentReader {
  readonly caller: Caller | undefined
  /** Whether the document contains a method of a view. */
  includes(view: View, method: string): boolean
}

/** The reader who sees everything. */
export const everyone: DocumentReader = { caller: undefined, includes: () => true }

/** The reader and the language of one document; documents of the same APIs differ in nothing else. */
export interface DocumentVariant {
  readonly reader?: DocumentReader
  /** Returns a text in the language of the document; default: English. */
  readonly translate?: (text: MessageText) => string
}

/** Makes a document. */
export function createDocument(
  { prefix, root, views, paths, examples }: DescribedApis,
  options: DocumentOptions,
  { reader = everyone, translate = readEnglish }: DocumentVariant = {},
): OpenApiDocument {
  const parts: DocumentParts = {
    components: createComponents(),
    security: createSecuritySchemes(),
    names: createOperationNames([...listGivenNames(views), ...listPathNames(paths)]),
  }
  const tags = new Map<string, Tag>()
  const viewPaths = views.flatMap((view): readonly (readonly [string, PathItem])[] => {
    const item = createPathItem(view, prefix, { parts, tags, reader })
    return Object.keys(item).length === 0 ? [] : [[formatPath(view, prefix), item]]
  })
  const { info, givenTags, added } = splitOptions(options)
  const allPaths = { ...Object.fromEntries(viewPaths), ...paths }
  const document: OpenApiDocument = {
    openapi: '3.1.1',
    info,
    servers: [{ url: root === '' ? '/' : root }],
    tags: [],
    paths: allPaths,
    components: {
      ...keepUsedComponents([allPaths, added], parts.components.components),
      securitySchemes: parts.security.all,
    },
  }
  const merged = translateTexts(mergePatch(document, added) as OpenApiDocument, translate)
  const withExamples = addExamples(merged, parts.components.resources.flatMap(findExample(examples)))
  return { ...withExamples, tags: translateTexts(listTags(merged.paths, tags, givenTags), translate) }
}

const findExample =
  (examples: DescribedApis['examples']) =>
  ({ component, prefix, resource, form }: RegisteredResource): readonly ResourceComponent[] => {
    // Below a parent, the name is a path.
    const name = resource.split('/').at(-1)!
    const objects = examples?.get(prefix) ?? {}
    return form === 'Errors' || form.endsWith('Form')
      ? []
      : [
          {
            name: component,
            object: Object.hasOwn(objects, name) ? objects[name] : undefined,
            isPage: form.endsWith('List'),
          },
        ]
  }

/** The options as the member `info`, the tags, and the members that are merged into the document. */
function splitOptions({
  permissions: _permissions,
  schemaFor: _schemaFor,
  docs: _docs,
  examples: _examples,
  title = 'API',
  version = '1.0.0',
  description,
  summary,
  termsOfService,
  contact,
  license,
  tags: givenTags,
  ...added
}: DocumentOptions) {
  const info = { title, version, ...omitUndefined({ summary, description, termsOfService, contact, license }) }
  return { info, givenTags, added }
}

const omitUndefined = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined))

/** The names of operations that the application gave. */
const listGivenNames = (views: readonly Pick<View, 'openapi'>[]): readonly string[] =>
  views.flatMap(({ openapi }) => [...openapi.values()].flatMap(options => findGivenName(options) ?? []))

const listPathNames = (paths: DescribedApis['paths']): readonly string[] =>
  Object.values(paths).flatMap(item => Object.values(item).map(({ operationId }) => operationId))

/** The path of a view below that of the document, in which a parameter is written as `{key}` instead of `:key`. */
export function formatPath(view: View, prefix: string): string {
  const path = endUrl(view.prefix.slice(prefix.length) + view.path, view.urlEnd)
  return (path === '' ? '/' : path).replace(/:([^/]+)/g, '{$1}')
}

// Every path of a document begins with a slash, but the URL of this view ends before it.
const addRedirect = (described: DescribedOperation): DescribedOperation => ({
  ...described,
  responses: {
    ...described.responses,
    301: { description: documentMessages('document.no_slash'), headers: ['Location'] },
  },
})

interface PathParts {
  readonly parts: DocumentParts
  readonly tags: Map<string, Tag>
  readonly reader: DocumentReader
}

function createPathItem(view: View, prefix: string, { parts, tags, reader }: PathParts): PathItem {
  const below = view.prefix.slice(prefix.length)
  const isRedirected = formatPath(view, prefix) === '/' && view.urlEnd === '' && prefix !== ''
  const tag = formatTag(view, below)
  const operations = [...view.handlers.keys()].flatMap((method): readonly (readonly [string, Operation])[] => {
    const options = view.openapi.get(method)
    if (!describedMethods.includes(method) || options === false || !reader.includes(view, method)) return []
    const forMethod = view.forMethod(method)
    const found = describe(forMethod, method, { below, prefix, parts, reader })
    const described = isRedirected ? addRedirect(found) : found
    if (!tags.has(tag)) tags.set(tag, createTag(view, tag))
    return [
      [method.toLowerCase(), createOperation(forMethod, method, described, { ...parts, tag, options: options ?? {} })],
    ]
  })
  return Object.fromEntries(operations)
}

interface DescribingParts extends Pick<PathParts, 'parts' | 'reader'> {
  readonly prefix: string
  /** The path of the view's API below that of the document. */
  readonly below: string
}

function describe(view: View, method: string, describing: DescribingParts): DescribedOperation {
  const { below, prefix, parts, reader } = describing
  const { components } = parts
  const context: DescriptionContext = {
    refer: components.refer,
    referTo: (resource, form, create) => components.referTo(below, resource, form, create),
    caller: reader.caller,
    nonFieldErrorsKey: view.nonFieldErrorsKey,
    listFields: fields => (reader.caller === undefined ? fields : listVisibleFields(fields, reader.caller)),
    describe: (other, otherMethod) =>
      describe(other as View, otherMethod, { ...describing, below: other.prefix.slice(prefix.length) }),
  }
  const described = view.operations[method]?.(context) ?? describeViewOperation(view, method, context)
  return below === '' ? described : { ...described, id: formatFunctionName(below, described.id) }
}
