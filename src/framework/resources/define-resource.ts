import type { Fields } from '../fields/field.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { checkDeclaration } from './check-declaration.ts'
import { completeFields, type DeclaredFields } from './declared-fields.ts'
import { type Addition, type Columns, everyAction, type Resource, type ResourceOptions } from './resource.ts'
import { completeOrdering } from './sql/ordering.ts'
import { singularTitle } from './title.ts'

/**
 * Declares a resource. `name` is its path and its name in the API's root.
 *
 * @example
 * const groups = resource('groups', {
 *   table: 'groups',
 *   ordering: ['name'],
 *   fields: { url: hyperlinkedIdentity(), name: text({ max: 150 }) },
 * })
 */
export function resource<
  F extends DeclaredFields,
  Hidden extends string = never,
  Prepared extends MaybePromise<Columns<Hidden>> = MaybePromise<Columns<Hidden>>,
  Added extends MaybePromise<Addition<Hidden>> = MaybePromise<Addition<Hidden>>,
>(name: string, options: ResourceOptions<F, Hidden, Prepared, Added>): Resource {
  const key = options.key ?? 'id'
  const fields = completeFields(options.fields, `resource "${name}"`)
  const declared = {
    ...(options as unknown as ResourceOptions<Fields, string>),
    name,
    key,
    fields,
    actions: options.actions ?? everyAction,
    perAction: options.perAction ?? {},
    ordering: completeOrdering(options.ordering ?? [], key, fields),
    hookColumns: options.hookColumns ?? [],
    description: options.description ?? '',
    title: options.title ?? singularTitle(name),
    nestedUnder: options.nestedUnder ?? [],
    uniqueTogether: options.uniqueTogether ?? [],
  }
  checkDeclaration(declared)
  return Object.freeze(declared)
}
