// The types of resources: the methods of their lists and objects.

import type { ApiTypes } from '#api'
import type { Changed, Created, ListParameters, OnWire, PageParameters, Replaced, ResourceTypes, Shown } from '#core'
import type { ReadAll } from './all.ts'
import type { Call } from './call.ts'
import type { FieldErrors } from './errors.ts'
import type { FeedChange } from './follow.ts'
import type { Known } from './known.ts'
import type { GivenKey, NamingField, PathKey, WithoutSeveral } from './object-keys.ts'
import type { RequestOptions } from './options.ts'
import type { FoundObject, Item, ListBody } from './pages.ts'
import type { ExpandPaths, FieldPaths, Selection, SetName } from './selection.ts'
import type { MethodOf, OwnMethodsClient, ParametersOf, PathOf, ViewClient } from './view-client.ts'
import type { ChangeOne, CreateOneOf, NamesOf, One } from './writes.ts'

/** The names that are methods of every part of a client. */
export type Reserved = 'resource' | 'view' | 'then'

type ListName = 'list' | 'all' | 'create' | 'update' | 'replace' | 'destroy'
type MethodName = ListName | 'retrieve' | 'get' | 'post' | 'put' | 'patch' | 'delete' | Reserved

/** The path of the list of a resource, by which clients call it. */
export type PathOfResource<T extends ResourceTypes> = [T['operations']['path']] extends [never]
  ? T['name']
  : T['operations']['path']

/** A resource: its list, or its one object. */
export type ResourceClient<T extends ResourceTypes, A extends ApiTypes> = [T['operations']['singleton']] extends [never]
  ? ListClient<T, A>
  : ObjectClient<T, A>

/** The list of a resource. A call with the key leads to an object. */
type ListClient<T extends ResourceTypes, A extends ApiTypes> = ObjectsByKey<T, A> &
  Pick<ListMethods<T, A>, ListMethodName<T>> &
  OwnMethods<T['operations']['listMethods'], T, A> &
  FurtherLists<T, A> &
  ViewsByName<T['operations']['listViews'], T, A> &
  PartMethods<FurtherLists<T, A>, T['operations']['listViews'], T, A>

/** The object with this key, or this value of the field in its URL; a list has the values of several fields. */
type ObjectsByKey<T extends ResourceTypes, A extends ApiTypes> = (key: GivenKey<T>) => ObjectClient<T, A>

type FurtherLists<T extends ResourceTypes, A extends ApiTypes> = {
  readonly [Name in T['operations']['lists']]: Pick<ListMethods<T, A>, 'list' | 'all'>
}

type ViewsByName<Views, T extends ResourceTypes, A extends ApiTypes> = {
  readonly [Name in keyof Views as PathOf<Views[Name], Name> extends Name
    ? Exclude<Name, MethodName>
    : never]: ViewClient<Views[Name], T, A>
}

type ViewsByPath<Views> = { readonly [Name in keyof Views as PathOf<Views[Name], Name> & string]: Views[Name] }

interface PartMethods<Below, Views, T extends ResourceTypes, A extends ApiTypes> {
  /** A resource or list below this one whose name is a method, such as `list`. */
  resource<Name extends keyof Below>(name: Name): Below[Name]
  /** A view below this one, by its path: `view('lines/:line/ship', { line: 3 }).post()`. */
  view<Path extends keyof ViewsByPath<Views> & string>(
    path: Path,
    ...parameters: ParametersOf<Path, ViewsByPath<Views>[Path]>
  ): ViewClient<ViewsByPath<Views>[Path], T, A>
}

type ActionOf<T extends ResourceTypes> = [T['operations']['actions']] extends [never]
  ? [T['operations']['singleton']] extends [never]
    ? 'list' | 'create' | 'retrieve' | 'update' | 'destroy'
    : 'retrieve' | 'update' | 'destroy'
  : T['operations']['actions']

interface ListMethodNames {
  readonly list: 'list' | 'all' | 'feed'
  readonly create: 'create'
}

interface ManyMethodNames {
  readonly create: 'create'
  readonly update: 'update' | 'replace'
  readonly destroy: 'destroy'
}

interface ObjectMethodNames {
  readonly retrieve: 'retrieve'
  readonly update: 'update' | 'replace'
  readonly destroy: 'destroy'
}

/** The methods of actions, by the names that they have here. */
interface HttpMethods {
  readonly list: 'GET'
  readonly all: 'GET'
  readonly feed: 'GET'
  readonly create: 'POST'
  readonly retrieve: 'GET'
  readonly update: 'PATCH'
  readonly replace: 'PUT'
  readonly destroy: 'DELETE'
}

/** Those of the names whose methods the resource has. */
type Offered<T extends ResourceTypes, Name extends keyof HttpMethods> = [T['operations']['methods']] extends [never]
  ? Name
  : { [N in Name]: HttpMethods[N] extends T['operations']['methods'] ? N : never }[Name]

type ListMethodName<T extends ResourceTypes> = Offered<
  T,
  ListMethodNames[ActionOf<T> & keyof ListMethodNames] | ManyMethodNames[ManyAction<T>]
>

/** The actions of an object whose methods `objectMethods` does not replace. */
type ObjectMethodName<T extends ResourceTypes> = Exclude<
  Offered<T, ObjectMethodNames[ActionOf<T> & keyof ObjectMethodNames]>,
  ReplacedName<T['operations']['objectMethods']>
>

type ReplacedName<Own> = Own extends { readonly handlers: unknown }
  ? { [Name in keyof HttpMethods]: HttpMethods[Name] extends MethodOf<Own> ? Name : never }[keyof HttpMethods]
  : never

/** The methods of the list's, or the objects', own URL. */
type OwnMethods<Own, T extends ResourceTypes, A extends ApiTypes> = Own extends { readonly handlers: unknown }
  ? OwnMethodsClient<Own, T, A>
  : unknown

type ManyAction<T extends ResourceTypes> = [T['operations']['bulk']] extends [never]
  ? never
  : keyof ManyMethodNames &
      (T['operations']['bulk'] extends { readonly actions: readonly (infer Action)[] } ? Action : ActionOf<T>)

type ManyMode<T extends ResourceTypes> = T['operations']['bulk'] extends { readonly mode: infer Mode }
  ? Mode
  : T['operations']['bulk']

/** The query of a list. */
export type ListQuery<T extends ResourceTypes, A extends ApiTypes> = ListParameters<T, Known<T, A>, NamesOf<T, A>> &
  PageParameters &
  FilterGroups

/** Filters in a group; a row must meet one of them: `'or.total__gte'`. */
interface FilterGroups {
  readonly [parameter: `or.${string}`]: unknown
}

/**
 * Chooses the type of a method. If requests cannot select fields and relations, the method is `Plain` and has no type
 * parameters, because the compiler instantiates the types of the whole API for each call of a generic method.
 */
type BySelection<T extends ResourceTypes, Plain, Selecting> = [
  T['operations']['expandable'] | T['operations']['sparse'] | T['operations']['fieldSets'],
] extends [never]
  ? Plain
  : Selecting

interface ListMethods<T extends ResourceTypes, A extends ApiTypes> {
  /** GET of the list: a page, or an array if the list has no pages. */
  readonly list: BySelection<T, PlainList<T, A>, SelectingList<T, A>>
  /** The items of all pages, which are read one after the other. */
  readonly all: BySelection<T, ReadAll<ListQuery<T, A>, Shown<T, 'list', Known<T, A>>>, SelectingAll<T, A>>
  /** The changes of the list as they happen, if the resource has a feed. */
  readonly feed: ReadAll<ListQuery<T, A>, FeedChange<PathKey<T>, Shown<T, 'list', Known<T, A>>>>
  /** POST: creates an object. */
  readonly create: 'create' extends ManyAction<T> ? CreateOneOf<T, A> & CreateMany<T, A> : CreateOneOf<T, A>
  /** PATCH of many objects, each with its key. */
  readonly update: ChangeMany<T, A, KeyedBody<T, Changed<T, Known<T, A>>>>
  /** PUT of many objects, each with its key. */
  readonly replace: ChangeMany<T, A, KeyedBody<T, Replaced<T, Known<T, A>>>>
  /** DELETE of many objects, by their keys. */
  destroy(
    keys: readonly PathKey<T>[],
    options?: RequestOptions,
  ): Call<ManyMode<T> extends 'each' ? readonly EachOutcome<undefined, unknown>[] : undefined>
}

type PlainList<T extends ResourceTypes, A extends ApiTypes> = (
  query?: ListQuery<T, A>,
  options?: RequestOptions,
) => Call<ListBody<T, A, Shown<T, 'list', Known<T, A>>>, FieldErrors<ListQuery<T, A>>>

type SelectingList<T extends ResourceTypes, A extends ApiTypes> = <
  const F extends FieldPaths<T, 'list'> = never,
  const O extends FieldPaths<T, 'list'> = never,
  const E extends ExpandPaths<T, A['resources']> = never,
  const C extends boolean = false,
>(
  query?: ListQuery<T, A> & Selection<F, O, E, NamesOf<T, A>, SetName<T>, C>,
  options?: RequestOptions,
) => Call<ListBody<T, A, Item<T, A, F, O, E, C>>, FieldErrors<ListQuery<T, A>>>

type SelectingAll<T extends ResourceTypes, A extends ApiTypes> = <
  const F extends FieldPaths<T, 'list'> = never,
  const O extends FieldPaths<T, 'list'> = never,
  const E extends ExpandPaths<T, A['resources']> = never,
  const C extends boolean = false,
>(
  query?: ListQuery<T, A> & Selection<F, O, E, NamesOf<T, A>, SetName<T>, C>,
  options?: RequestOptions,
) => AsyncGenerator<Item<T, A, F, O, E, C>, void>

type PlainRetrieve<T extends ResourceTypes, A extends ApiTypes> = (
  query?: Selection<never, never, never, NamesOf<T, A>>,
  options?: RequestOptions,
) => Call<One<T, A, 'retrieve'>>

type SelectingRetrieve<T extends ResourceTypes, A extends ApiTypes> = <
  const F extends FieldPaths<T, 'retrieve'> = never,
  const O extends FieldPaths<T, 'retrieve'> = never,
  const E extends ExpandPaths<T, A['resources']> = never,
  const C extends boolean = false,
>(
  query?: Selection<F, O, E, NamesOf<T, A>, SetName<T>, C>,
  options?: RequestOptions,
) => Call<FoundObject<T, A, F, O, E, C>>

type CreateMany<T extends ResourceTypes, A extends ApiTypes> = (
  bodies: readonly Created<T, Known<T, A>>[],
  options?: RequestOptions,
) => ManyCall<T, Shown<T, 'create', Known<T, A>>, FieldErrors<Created<T, Known<T, A>>>>

type ChangeMany<T extends ResourceTypes, A extends ApiTypes, Body> = (
  bodies: readonly Body[],
  options?: RequestOptions,
) => ManyCall<T, Shown<T, 'update', Known<T, A>>, FieldErrors<Body>>

type ManyCall<T extends ResourceTypes, Value, Refused> =
  ManyMode<T> extends 'each' ? Call<readonly EachOutcome<Value, Refused>[]> : Call<readonly Value[], readonly Refused[]>

/** The result for one of many objects, in the mode `each`. */
export type EachOutcome<Value, Refused> =
  | { readonly status: 200 | 201 | 204; readonly location?: string; readonly body: Value }
  | { readonly status: 400; readonly body: Refused }
  | { readonly status: 403 | 404 | 409 | 503; readonly body: unknown }

/** The changes of an object, with the key that names it. */
type KeyedBody<T extends ResourceTypes, Body> = Body & OnWire<T['wire'], Readonly<Record<NamingField<T>, PathKey<T>>>>

/** An object of a resource, or a singleton. */
type ObjectClient<T extends ResourceTypes, A extends ApiTypes> = Pick<ObjectMethods<T, A>, ObjectMethodName<T>> &
  OwnMethods<T['operations']['objectMethods'], T, A> &
  ViewsByName<T['operations']['objectViews'], T, A> &
  CalledChildrenOf<T, A> &
  PartMethods<ChildrenOf<T, A>, T['operations']['objectViews'], T, A>

interface ObjectMethods<T extends ResourceTypes, A extends ApiTypes> {
  /** GET of the object. */
  readonly retrieve: BySelection<T, PlainRetrieve<T, A>, SelectingRetrieve<T, A>>
  /** PATCH: changes the fields of the body. */
  readonly update: ChangeOne<T, A, Changed<T, Known<T, A>>>
  /** PUT: replaces the object. */
  readonly replace: ChangeOne<T, A, Replaced<T, Known<T, A>>>
  /** DELETE. */
  destroy(options?: RequestOptions): Call<undefined>
}

/** The resources below an object. */
type ChildrenOf<T extends ResourceTypes, A extends ApiTypes> = ByName<Children<T, A>, A>

/** Those that a call leads to. A list in a call is the body of a view, so others are called by `resource(name)`. */
type CalledChildrenOf<T extends ResourceTypes, A extends ApiTypes> = ByName<WithoutSeveral<Children<T, A>>, A>

type Children<T extends ResourceTypes, A extends ApiTypes> = T['name'] extends A['resources']['operations']['parents']
  ? Extract<ByParent<A['resources']>[T['name'] & keyof ByParent<A['resources']>], ResourceTypes>
  : never

// The compiler makes this index of all resources once.
type ByParent<All extends ResourceTypes> = { readonly [T in All as T['operations']['parents']]: T }

type ByName<Children extends ResourceTypes, A extends ApiTypes> = {
  readonly [T in Children as Exclude<PathOfResource<T>, MethodName>]: ResourceClient<T, A>
}
