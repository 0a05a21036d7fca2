// Derives a resource of the administration from a declared one.

import {
  type AuditEventOption,
  checkOptionNames,
  type Fields,
  hasColumn,
  listGroups,
  type ObjectView,
  type OptionNames,
  type Permission,
  type Resource,
  type ResourceOptions,
  readOnly,
  resource,
} from '#core'
import type { GrantedPermissions } from '../granted-permissions.ts'
import { modelPermissions } from '../model-permissions.ts'

/** How the administration shows a resource. An option that is left out has the value of the declared resource. */
export interface AdminOptions {
  /** Default: all five. */
  readonly actions?: Resource['actions']
  /** The fields of lists; default: those of the declared lists. */
  readonly listFields?: readonly string[]
  /** Fields that only the administration shows, such as `created: dateTime()`. They are read-only. */
  readonly readOnlyFields?: Fields
  /** Columns to order by; `-` means descending. */
  readonly ordering?: readonly string[]
  readonly searchFields?: readonly string[]
  readonly filters?: NonNullable<Resource['filters']>
  readonly orderingFields?: readonly string[]
  /** The field that labels an object on the pages. */
  readonly objectName?: string
  /** The names, columns, groups and actions on pages. Each that is left out is that of the declared resource. */
  readonly pages?: NonNullable<Resource['pages']>
  /** Views below an object, such as those of the declared resource; default: none. */
  readonly objectViews?: Readonly<Record<string, ObjectView>>
  /** Replaces the permissions of the model: what staff need in addition to being staff. */
  readonly permissions?: readonly Permission[]
  /** Default: `order changed` for a resource `orders`. */
  readonly auditEvent?: AuditEventOption
  /** The fields whose values the audit log stores. */
  readonly auditFields?: readonly string[]
}

/** A resource that the administration shows. */
export interface AdminResource {
  readonly resource: Resource
  /** Replaces the permissions of the model. */
  readonly permissions: readonly Permission[] | undefined
}

/**
 * Derives a resource of the administration: the same table, key, fields, hooks and validation, all actions, and its own
 * permissions. Staff need the permission of the model (`orders.view`, `orders.add`, `orders.change`, `orders.delete`),
 * which can be granted in the administration; superusers need none. Row filters, policies and
 * `expandableFields` and `fieldSets` of the declared resource do not apply. Throws if the options do not fit the resource.
 *
 * The callers of the administration are accounts. If a resource was declared with `forTypes` for users of another type,
 * declare a second one for accounts, with the same table and `fields`, and pass it instead.
 *
 * @example
 * accounts.administration({ resources: [adminResource(orders, { searchFields: ['number'] }), adminResource(customers)] })
 */
export function adminResource(declared: Resource, options: AdminOptions = {}): AdminResource {
  const where = `adminResource("${declared.name}")`
  const fields = addReadOnlyFields(declared, options, where)
  checkAdminOptions(options, fields, where)
  try {
    return { resource: deriveResource(declared, fields, options), permissions: options.permissions }
  } catch (error) {
    const hint = options.actions ? '' : '; or set "actions" to those that callers of the administration need'
    throw new Error(`${where}: ${(error as Error).message}${hint}`)
  }
}

/** Completes a resource of the administration with the permissions that staff need for it. */
export const authorizeAdminResource = (
  { resource, permissions }: AdminResource,
  granted: GrantedPermissions,
): Resource => ({ ...resource, permissions: permissions ?? [modelPermissions(granted, resource.name)] })

function deriveResource(declared: Resource, fields: Fields, options: AdminOptions): Resource {
  // The administration has its own policies, paths and pages.
  const {
    name,
    permissions: _permissions,
    authentication: _authentication,
    throttles: _throttles,
    renderers: _renderers,
    pagination: _pagination,
    envelope: _envelope,
    put: _put,
    nestedUnder: _nestedUnder,
    lookup,
    singleton: _singleton,
    methods: _methods,
    listMethods: _listMethods,
    objectMethods: _objectMethods,
    lists: _lists,
    listViews: _listViews,
    objectViews: _objectViews,
    expandableFields: _expandableFields,
    fieldSets: _fieldSets,
    ...kept
  } = declared
  const { permissions: _, readOnlyFields: __, listFields, ...replaced } = options
  const derived: ResourceOptions<Fields, string> = {
    ...kept,
    // Several fields may name one object only below a parent, or for one caller.
    ...(typeof lookup === 'string' && { lookup }),
    actions: ['list', 'create', 'retrieve', 'update', 'destroy'],
    auditEvent: `${declared.title.toLowerCase()} changed`,
    ...replaced,
    filters: { ...filterByRelations(fields), ...(options.filters ?? declared.filters) },
    fields,
    pages: { ...declared.pages, ...options.pages },
    ordering: options.ordering ?? declared.ordering,
    perAction: createPerAction(declared, listFields),
  }
  return resource(name, derived)
}

// The page of an object shows the lists that have a filter by it.
const filterByRelations = (fields: Fields): NonNullable<Resource['filters']> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const { relation, targetName, writeOnly, visible } = field
      const isRelation = (relation !== undefined && !relation.many) || targetName !== undefined
      return isRelation && !writeOnly && visible === undefined && hasColumn(field) ? [[name, true] as const] : []
    }),
  )

// Keeps which fields each action takes and shows, without its policies.
function createPerAction({ perAction }: Resource, listFields: readonly string[] | undefined): Resource['perAction'] {
  const fieldsOnly = Object.entries(perAction).flatMap(([action, { takes, shows }]) =>
    takes === undefined && shows === undefined
      ? []
      : [[action, { ...(takes && { takes }), ...(shows && { shows }) }] as const],
  )
  return Object.fromEntries([...fieldsOnly, ...(listFields ? [['list', { shows: listFields }] as const] : [])])
}

function addReadOnlyFields({ fields }: Resource, { readOnlyFields = {} }: AdminOptions, where: string): Fields {
  const duplicate = Object.keys(readOnlyFields).find(name => Object.hasOwn(fields, name))
  if (duplicate !== undefined)
    throw new Error(`${where}: readOnlyFields: the resource has a field "${duplicate}" already: remove it here`)
  const added = Object.entries(readOnlyFields).map(([name, field]) => [name, readOnly(field)] as const)
  return { ...fields, ...Object.fromEntries(added) }
}

const optionNames: OptionNames<AdminOptions> = {
  actions: true,
  listFields: true,
  readOnlyFields: true,
  ordering: true,
  searchFields: true,
  filters: true,
  orderingFields: true,
  objectName: true,
  pages: true,
  objectViews: true,
  permissions: true,
  auditEvent: true,
  auditFields: true,
}

/** The options that take paths through relations, which the resource checks. */
const paths: ReadonlySet<string> = new Set(['searchFields', 'orderingFields'])

// The compiler does not know the names of the fields.
function checkAdminOptions(options: AdminOptions, fields: Fields, where: string): void {
  checkOptionNames(where, options, optionNames)
  const { listFields, searchFields, orderingFields, objectName, pages, auditFields } = options
  const named = {
    listFields,
    searchFields,
    orderingFields,
    objectName: objectName && [objectName],
    'pages.columns': pages?.columns,
    'pages.groups': pages?.groups && listGroups(pages.groups).flatMap(({ names }) => names),
    auditFields,
  }
  for (const [option, names] of Object.entries(named)) {
    const own = (names || []).map(name => (paths.has(option) ? name.split('.')[0]! : name))
    const missing = own.find(name => !Object.hasOwn(fields, name))
    if (missing !== undefined)
      throw new Error(
        `${where}: ${option}: there is no field "${missing}": the fields are ${Object.keys(fields).join(', ')}; a column without a field can be added to "readOnlyFields"`,
      )
  }
}
