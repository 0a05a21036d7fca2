import type { Identity } from '../authentication/identity.ts'
import type { Fields } from '../fields/field.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { checkDeclaration } from './check-declaration.ts'
import { createFields, type DeclaredFields } from './declared-fields.ts'
import { allActions, type Columns, type HookResult, type Resource, type ResourceOptions } from './resource.ts'
import { completeOrdering } from './sql/ordering.ts'
import { formatSingularTitle } from './title.ts'

/** The type of {@link resource}, in an API whose callers are of the type `User`. */
export type DefineResource<User extends Identity> = <
  F extends DeclaredFields,
  HookColumn extends string = never,
  Prepared extends MaybePromise<Columns<HookColumn>> = MaybePromise<Columns<HookColumn>>,
  Added extends MaybePromise<HookResult<HookColumn>> = MaybePromise<HookResult<HookColumn>>,
>(
  name: string,
  options: ResourceOptions<F, HookColumn, Prepared, Added, User>,
) => Resource<User>

/**
 * Declares a resource. `name` is its path and its name in the API root.
 *
 * @example
 * const groups = resource('groups', {
 *   table: 'groups',
 *   ordering: ['name'],
 *   fields: { url: hyperlinkedIdentity(), name: text({ max: 150 }) },
 * })
 */
export const resource: DefineResource<Identity> = (name, options) => {
  const key = options.key ?? 'id'
  const fields = createFields(options.fields, `resource "${name}"`)
  const declared = {
    ...(options as unknown as ResourceOptions<Fields, string>),
    name,
    key,
    fields,
    actions: options.actions ?? allActions,
    perAction: options.perAction ?? {},
    ordering: completeOrdering(options.ordering ?? [], key, fields),
    hookColumns: options.hookColumns ?? [],
    description: options.description ?? '',
    title: options.title ?? formatSingularTitle(name),
    nestedUnder: options.nestedUnder ?? [],
    uniqueTogether: options.uniqueTogether ?? [],
  }
  checkDeclaration(declared)
  return Object.freeze(declared)
}
