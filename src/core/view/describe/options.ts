// The options of a document.

import { checkOptionNames, type OptionNames } from '../../base/option-names.ts'
import type { Info, MergePatch, OpenApiDocument, OperationOptions } from '../../describe/openapi-types.ts'
import type { Permission } from '../../policy/permissions/permission.ts'

/** An object of each resource, by the name of the resource; with the names on the wire. */
export type ExampleObjects = Readonly<Record<string, object>>

/** The members of `info`, members that are merged into the document (RFC 7396), and the readers of the document. */
export interface DocumentOptions
  extends Partial<Info>,
    Partial<Pick<OpenApiDocument, 'servers' | 'tags' | 'externalDocs'>> {
  /** Further paths and components. */
  readonly paths?: MergePatch<OpenApiDocument['paths']>
  readonly components?: MergePatch<OpenApiDocument['components']>
  /** Who may read the document; default: everyone. */
  readonly permissions?: readonly Permission[]
  /**
   * `everyone`: the document is the same for all callers. `caller`: it contains the methods that the caller may call, and the
   * fields that the caller sees. Default: `everyone`.
   */
  readonly schemaFor?: 'everyone' | 'caller'
  /**
   * The reference at `docs/`, if the API has pages. `permissions`: its readers need them besides those of the document. False:
   * there is no reference.
   */
  readonly docs?: { readonly permissions?: readonly Permission[] } | false
  /**
   * Objects of resources that examples show, by the names of the resources; with the names on the wire. Members that a schema does not
   * accept, or that are absent, are made up.
   */
  readonly examples?: ExampleObjects
}

const optionNames: OptionNames<Omit<DocumentOptions, `x-${string}`>> = {
  title: true,
  version: true,
  summary: true,
  description: true,
  termsOfService: true,
  contact: true,
  license: true,
  servers: true,
  tags: true,
  externalDocs: true,
  paths: true,
  components: true,
  permissions: true,
  schemaFor: true,
  docs: true,
  examples: true,
}

/** Throws for a wrong option. */
export function checkDocumentOptions(where: string, options: DocumentOptions | false | undefined): void {
  if (options === undefined || options === false) return
  checkOptionNames(where, withoutExtensions(options), optionNames)
  const { schemaFor = 'everyone' } = options
  if (schemaFor !== 'everyone' && schemaFor !== 'caller')
    throw new Error(`${where}: schemaFor must be "everyone" or "caller"`)
  if (options.docs !== undefined && options.docs !== false)
    checkOptionNames(`${where}: docs`, options.docs, { permissions: true })
}

const operationNames: OptionNames<Omit<OperationOptions, `x-${string}`>> = {
  operationId: true,
  summary: true,
  description: true,
  tags: true,
  deprecated: true,
  externalDocs: true,
  parameters: true,
  requestBody: true,
  responses: true,
  security: true,
  servers: true,
}

/** Throws for an option that is not a part of an operation. */
export function checkOperationOptions(where: string, options: OperationOptions | false | undefined): void {
  if (options === undefined || options === false) return
  checkOptionNames(where, withoutExtensions(options), operationNames)
}

const withoutExtensions = (options: object): object =>
  Object.fromEntries(Object.entries(options).filter(([name]) => !name.startsWith('x-')))
