// The types of requests that create or change one object.

import type { ApiTypes } from '#api'
import type { Created, ResourceTypes, Shown } from '#core'
import type { Call } from './call.ts'
import type { FieldErrors } from './errors.ts'
import type { Known } from './known.ts'
import type { RequestOptions } from './options.ts'
import type { AroundOf, InEnvelope } from './pages.ts'
import type { ExpandPaths, FieldPaths, Selected, Selection } from './selection.ts'

/** The names of parameters that the resource, or else the API, replaces. */
export type NamesOf<T extends ResourceTypes, A extends ApiTypes> = [T['operations']['parameters']] extends [never]
  ? A['parameters']
  : [A['parameters']] extends [never]
    ? T['operations']['parameters']
    : Omit<A['parameters'], keyof T['operations']['parameters']> & T['operations']['parameters']

/** The object in the response of an action. */
export type One<T extends ResourceTypes, A extends ApiTypes, Action extends string> = InEnvelope<
  AroundOf<T, A>,
  Shown<T, Action, Known<T, A>>
>

type CreateOne<T extends ResourceTypes, A extends ApiTypes> = (
  body: InEnvelope<AroundOf<T, A>, Created<T, Known<T, A>>>,
  options?: RequestOptions,
) => Call<One<T, A, 'create'>, FieldErrors<Created<T, Known<T, A>>>>

/** Chooses the type of a write: `Plain` unless its responses show what queries select. */
export type BySelectionInWrites<T extends ResourceTypes, Plain, Selecting> = [T['operations']['selectsIn']] extends [
  'all',
]
  ? [T['operations']['selectsIn']] extends [never]
    ? Plain
    : Selecting
  : Plain

/** The options of a write, with the names that its query selects. */
export type SelectingOptions<T extends ResourceTypes, A extends ApiTypes, F, O, E> = Omit<RequestOptions, 'query'> & {
  readonly query?: Selection<F, O, E, NamesOf<T, A>>
}

/** The object in the response to a write, for a query with these names. */
type Written<T extends ResourceTypes, A extends ApiTypes, Action extends string, F, O, E> = InEnvelope<
  AroundOf<T, A>,
  Selected<Shown<T, Action, Known<T, A>>, T, A['resources'], F, O, E>
>

/** POST of one object. */
export type CreateOneOf<T extends ResourceTypes, A extends ApiTypes> = BySelectionInWrites<
  T,
  CreateOne<T, A>,
  SelectingWrite<T, A, 'create', Created<T, Known<T, A>>>
>

type SelectingWrite<T extends ResourceTypes, A extends ApiTypes, Action extends string, Body> = <
  const F extends FieldPaths<T, Action> = never,
  const O extends FieldPaths<T, Action> = never,
  const E extends ExpandPaths<T, A['resources']> = never,
>(
  body: InEnvelope<AroundOf<T, A>, Body>,
  options?: SelectingOptions<T, A, F, O, E>,
) => Call<Written<T, A, Action, F, O, E>, FieldErrors<Body>>

/** PUT or PATCH of an object. */
export type ChangeOne<T extends ResourceTypes, A extends ApiTypes, Body> = BySelectionInWrites<
  T,
  PlainChange<T, A, Body>,
  SelectingWrite<T, A, 'update', Body>
>

type PlainChange<T extends ResourceTypes, A extends ApiTypes, Body> = (
  body: InEnvelope<AroundOf<T, A>, Body>,
  options?: RequestOptions,
) => Call<One<T, A, 'update'>, FieldErrors<Body>>
