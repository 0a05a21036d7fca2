// What can be wrong with an API as a whole: each mistake is an error at start that says what to write.

import { METHODS } from './http.ts'
import { checkPageSize, type Paginator } from './pagination/paginator.ts'
import type { Resource } from './resources/resource.ts'
import { isLongEnough, type Secret } from './secret.ts'
import type { ViewOptions } from './view.ts'

/** The part of an API's options that is looked at. */
export interface CheckedOptions {
  readonly resources?: readonly Resource[]
  readonly views?: Readonly<Record<string, ViewOptions>>
  readonly root?: ViewOptions | null
  readonly pageSize?: number
  readonly pagination?: Paginator
  readonly secret?: Secret
}

/** Throws for the first mistake. */
export function checkOptions({ resources = [], views = {}, root, ...options }: CheckedOptions): void {
  checkPageSize('createApi(): pageSize', options.pageSize)
  checkSecret(options, resources)
  checkNames(resources)
  for (const resource of resources) checkLinks(resource, resources)
  for (const [path, { name }] of Object.entries(views)) checkPath(path, name)
  for (const view of [...Object.values(views), ...(root ? [root] : [])]) checkMethods(view)
}

function checkSecret({ secret, pagination }: CheckedOptions, resources: readonly Resource[]): void {
  if (secret !== undefined && !isLongEnough(secret))
    throw new Error('createApi(): secret must have 32 characters or more')
  const paginators = [pagination, ...resources.map(resource => resource.pagination)]
  if (secret === undefined && paginators.some(paginator => paginator?.needsSecret))
    throw new Error('createApi(): cursor() needs a secret: give createApi() or cursor() the option "secret"')
}

function checkNames(resources: readonly Resource[]): void {
  const names = new Set<string>()
  for (const { name } of resources) {
    if (names.has(name)) throw new Error(`createApi(): there are two resources named "${name}": rename one`)
    names.add(name)
  }
}

// The URL of a resource that this API does not have leads nowhere, and none that is sent matches.
function checkLinks({ name, fields }: Resource, resources: readonly Resource[]): void {
  for (const [field, { relation }] of Object.entries(fields)) {
    if (!relation?.linked || resources.some(resource => resource.name === relation.target.name)) continue
    const target = relation.target.name
    throw new Error(`createApi(): field "${field}" of "${name}" links to "${target}": add it to "resources"`)
  }
}

function checkPath(path: string, name: string): void {
  const which = `createApi(): the path "${path}" of view "${name}"`
  if (!/^\/(?:.*\/)?$/.test(path)) throw new Error(`${which} must begin and end with a slash`)
  const parameters: readonly string[] = path.match(/(?<=\/:)\w+(?=\/)/g) ?? []
  const twice = parameters.find((parameter, index) => parameters.indexOf(parameter) < index)
  if (twice !== undefined) throw new Error(`${which} has two parameters named "${twice}": rename one`)
}

function checkMethods({ name, handlers }: ViewOptions): void {
  const wrong = Object.keys(handlers).find(method => !METHODS.includes(method))
  if (wrong !== undefined)
    throw new Error(`view "${name}": "${wrong}" is no method; write it in upper case, such as GET`)
}
