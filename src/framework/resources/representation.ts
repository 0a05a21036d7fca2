// The types of a resource on the wire: the objects that its responses show, the bodies that its actions take, and the query
// of its lists.

import type { HasTrait, Joined, OwnKey, ShownBy, TakenBy } from '../fields/field-types.ts'
import type { CamelCase } from '../fields/wire-names.ts'
import type { Action, Resource } from './resource.ts'

type TypesOf<R extends Resource> = NonNullable<R['~types']>
type FieldsOf<R extends Resource> = TypesOf<R>['fields']

/** The names of the fields that an action takes or shows. */
type NamesFor<R extends Resource, A extends Action, Part extends 'takes' | 'shows'> = TypesOf<R>['perAction'] extends {
  readonly [Name in A]: { readonly [P in Part]: readonly (infer Names)[] }
}
  ? Names
  : keyof FieldsOf<R>

/** An object with the names on the wire instead of the declared names. */
type OnWire<R extends Resource, Declared> = TypesOf<R>['wire'] extends undefined
  ? Declared
  : { [Name in keyof Declared as WireName<TypesOf<R>['wire'], Name>]: Declared[Name] }

type WireName<Wire, Name> = Name extends string
  ? Wire extends 'camelCase'
    ? CamelCase<Name>
    : Wire extends { readonly [N in Name]: infer Other extends string }
      ? Other
      : Name
  : never

/** Replaces what stands for the type of a key. */
type Resolved<Type> = [Type] extends [OwnKey] ? number : Type

/**
 * An object as the responses of an action show it.
 *
 * @example
 * type Order = Representation<typeof orders>
 * type ListedOrder = Representation<typeof orders, 'list'>
 */
export type Representation<R extends Resource, A extends Exclude<Action, 'destroy'> = 'retrieve'> = OnWire<
  R,
  [ConditionalName<R>] extends [never]
    ? ShownFields<R, ShownName<R, A>>
    : Joined<
        ShownFields<R, Exclude<ShownName<R, A>, ConditionalName<R>>> &
          Partial<ShownFields<R, ShownName<R, A> & ConditionalName<R>>>
      >
>

/** The JSON object with these fields. */
type ShownFields<R extends Resource, Names extends keyof FieldsOf<R>> = {
  readonly [Name in Names]: Resolved<ShownBy<FieldsOf<R>[Name]>>
}

/** The names of the fields that the responses of an action may contain. */
type ShownName<R extends Resource, A extends Action> = {
  [Name in keyof FieldsOf<R>]: Name extends NamesFor<R, A, 'shows'>
    ? [ShownBy<FieldsOf<R>[Name]>] extends [never]
      ? never
      : Name
    : never
}[keyof FieldsOf<R>]

/** The names of the fields that not every caller sees. */
type ConditionalName<R extends Resource> = {
  [Name in keyof FieldsOf<R>]: HasTrait<FieldsOf<R>[Name], 'conditional'> extends true ? Name : never
}[keyof FieldsOf<R>]

/** The names of the fields that the body of an action may contain. */
type TakenName<R extends Resource, A extends Action> = {
  [Name in keyof FieldsOf<R>]: Name extends NamesFor<R, A, 'takes'>
    ? [TakenBy<FieldsOf<R>[Name]>] extends [never]
      ? never
      : Name
    : never
}[keyof FieldsOf<R>]

type OptionalName<R extends Resource, Name extends keyof FieldsOf<R>> = {
  [N in Name]: HasTrait<FieldsOf<R>[N], 'optional'> extends true ? N : never
}[Name]

type FixedName<R extends Resource, Name extends keyof FieldsOf<R>> = {
  [N in Name]: HasTrait<FieldsOf<R>[N], 'fixed'> extends true ? N : never
}[Name]

/** A body with these fields, of which some may be left out. */
type Body<R extends Resource, Name extends keyof FieldsOf<R>, Optional extends keyof FieldsOf<R>> = OnWire<
  R,
  Joined<
    { readonly [N in Exclude<Name, Optional>]: Resolved<TakenBy<FieldsOf<R>[N]>> } & {
      readonly [N in Name & Optional]?: Resolved<TakenBy<FieldsOf<R>[N]>>
    }
  >
>

/** The body of a POST that creates an object. */
export type CreateBody<R extends Resource> = Body<R, TakenName<R, 'create'>, OptionalName<R, TakenName<R, 'create'>>>

/** The body of a PUT. It may repeat the value of a fixed field. */
export type UpdateBody<R extends Resource> = Body<
  R,
  TakenName<R, 'update'>,
  OptionalName<R, TakenName<R, 'update'>> | FixedName<R, TakenName<R, 'update'>>
>

/** The body of a PATCH: the fields to change. */
export type PatchBody<R extends Resource> = Partial<
  Body<R, Exclude<TakenName<R, 'update'>, FixedName<R, TakenName<R, 'update'>>>, never>
>

/** The parameters that the list of every resource may have; which of them it has depends on its paginator. */
interface PageParameters {
  readonly page?: number | 'last'
  readonly page_size?: number
  readonly limit?: number
  readonly offset?: number
  readonly cursor?: string
}

/** The query of a list: its filters, `search`, `ordering`, and the parameters of its paginator. */
export type Query<R extends Resource> = Joined<
  OnWire<
    R,
    {
      readonly [Name in TypesOf<R>['filters'] & keyof FieldsOf<R>]?: FilterValue<FieldsOf<R>[Name]>
    }
  > &
    PageParameters & {
      readonly search?: string
      /** Names separated by commas; `-` means descending. */
      readonly ordering?: OrderingParameter<OrderingName<TypesOf<R>['wire'], TypesOf<R>['orderingFields']>>
    }
>

type FilterValue<F> = Exclude<Resolved<[TakenBy<F>] extends [never] ? ShownBy<F> : TakenBy<F>>, null>

type OrderingName<Wire, Name extends string> = Wire extends undefined ? Name : WireName<Wire, Name> & string

// A template of several names would grow with the square of their number.
type OrderingParameter<Name extends string> = Name | `-${Name}` | (string & Record<never, never>)
