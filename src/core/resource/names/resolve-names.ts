// Resolves the relations that name their targets: `related('customers')` is the resource "customers" of the same API. Two
// resources can so refer to each other, and one to itself.

import { nearestName } from '../../base/nearest-name.ts'
import { checkDefault } from '../../fields/check-field.ts'
import { completeField } from '../../fields/complete-field.ts'
import type { Field, Fields, RelationTarget } from '../../fields/field.ts'
import { isSchema } from '../../fields/schema-fields/zod-field.ts'
import type { Resource } from '../declare/resource.ts'
import { listDeclaredViews, mapFields, type SchemaView } from './view-fields.ts'

const declarations = new WeakMap<object, object>()

/** Whether two resources come from the same declaration. */
export const isSameDeclaration = (resource: object, other: object): boolean =>
  (declarations.get(resource) ?? resource) === (declarations.get(other) ?? other)

/**
 * Returns the resources with all their relations resolved; the same resources if none names its target. Throws for a name
 * that no resource has, and for an object that contains itself.
 */
export function resolveNames(resources: readonly Resource[]): readonly Resource[] {
  if (!resources.some(hasNames)) return resources
  const copies = new Map<RelationTarget, Copy<RelationTarget>>()
  const find: Find = (target, where) => {
    const found = typeof target === 'string' ? resources.find(({ name }) => name === target) : target
    if (found === undefined)
      throw new Error(`createApi(): ${where} refers to "${target}"${explainUnknown(target as string, resources)}`)
    const copied = copies.get(found)
    if (copied !== undefined) return copied
    const copy: Copy<RelationTarget> = { ...found }
    copies.set(found, copy)
    declarations.set(copy, declarations.get(found) ?? found)
    copy.fields = createLazyFields(found, isOwn(found) ? find : findForOther(found, find))
    return copy
  }
  const isOwn = (target: RelationTarget) =>
    resources.some(({ name, table }) => name === target.name && table === target.table)
  const resolved = resources.map(resource => find(resource, 'resources') as Copy<Resource>)
  for (const [index, resource] of resources.entries()) completeResource(resource, resolved[index]!, find)
  return resolved
}

// The names in a resource of another API are those of that API, which may not exist yet.
const findForOther =
  ({ name: other }: RelationTarget, find: Find): Find =>
  (target, where) => {
    if (typeof target !== 'string') return find(target, where)
    throw new Error(
      `createApi(): ${where} refers to "${target}", which only the API of "${other}" resolves: give the resource itself`,
    )
  }

function explainUnknown(name: string, resources: readonly Resource[]): string {
  const nearest = nearestName(
    name,
    resources.map(resource => resource.name),
  )
  return `, which is not in "resources": ${nearest === undefined ? 'add it, or give the resource itself' : `write "${nearest}"`}`
}

const hasNames = (resource: Resource): boolean =>
  [resource.fields, ...listDeclaredViews(resource).map(([, fields]) => fields)].some(fields =>
    Object.values(fields).some(field => (field as Field).targetName !== undefined),
  ) || resource.nestedUnder.some(({ parent }) => typeof parent === 'string')

type Find = (target: RelationTarget | string, where: string) => RelationTarget
type Copy<Target> = { -readonly [Name in keyof Target]: Target[Name] }

// A field that shows fields of another resource needs those to be resolved, so each is resolved when it is first read.
function createLazyFields({ name: resource, fields }: RelationTarget, find: Find): Fields {
  const running = new Set<string>()
  const resolved = new Map<string, Field>()
  const resolveOnce = (name: string, field: Field): Field => {
    const where = `field "${name}" of "${resource}"`
    if (running.has(name)) throw new Error(`createApi(): ${where} contains itself: name the fields that it shows`)
    running.add(name)
    const found = resolved.get(name) ?? resolveField(field, where, find)
    running.delete(name)
    resolved.set(name, found)
    return found
  }
  const lazy = {}
  for (const [name, field] of Object.entries(fields))
    Object.defineProperty(lazy, name, { enumerable: true, get: () => resolveOnce(name, field) })
  return lazy
}

function completeResource(resource: Resource, copy: Copy<Resource>, find: Find): void {
  copy.fields = Object.freeze({ ...copy.fields })
  copy.nestedUnder = resource.nestedUnder.map(nesting => ({
    ...nesting,
    parent: find(nesting.parent, `"nestedUnder" of "${resource.name}"`),
  }))
  if (resource.listMethods) copy.listMethods = resolveView('listMethods', resource.listMethods, resource, find)
  if (resource.objectMethods) copy.objectMethods = resolveView('objectMethods', resource.objectMethods, resource, find)
  if (resource.listViews) copy.listViews = resolveViews(resource.listViews, resource, find)
  if (resource.objectViews) copy.objectViews = resolveViews(resource.objectViews, resource, find)
  Object.freeze(copy)
}

function resolveField(field: Field, where: string, find: Find): Field {
  const resolved: Field = completeField(field, 'forTargets', target => find(target, where))
  if (resolved === field) return field
  const checking = checkDefault(resolved)
  if (checking instanceof Promise) checking.catch(() => undefined)
  return resolved
}

const resolveViews = <View extends SchemaView>(
  views: Readonly<Record<string, View>>,
  resource: Resource,
  find: Find,
): Record<string, View> =>
  Object.fromEntries(Object.entries(views).map(([name, view]) => [name, resolveView(name, view, resource, find)]))

function resolveView<View extends SchemaView>(name: string, view: View, resource: Resource, find: Find): View {
  const where = (field: string) => `field "${field}" of view "${name}" of "${resource.name}"`
  return mapFields(view, fields =>
    Object.fromEntries(
      Object.entries(fields).map(([field, declared]) => [
        field,
        isSchema(declared) ? declared : resolveField(declared, where(field), find),
      ]),
    ),
  )
}
