// The types of views: their methods, bodies, queries and responses.

import type { ApiTypes } from '#api'
import type { AnyViewTypes, OwnOrInherited, ResourceTypes, ResponseData, SentData, Shown, ViewTypes } from '#core'
import type { Call } from './call.ts'
import type { FieldErrors } from './errors.ts'
import type { Known } from './known.ts'
import type { RequestOptions } from './options.ts'
import type { AroundOf, FoundObject, InEnvelope, Retrieved } from './pages.ts'
import type { ExpandPaths, FieldPaths } from './selection.ts'
import type { BySelectionInWrites, SelectingOptions } from './writes.ts'

/** The types of a view. If it is declared without `listView` or `objectView`, only its path and the names of its methods are known. */
type TypesOfView<V> = V extends { readonly '~types'?: infer Types extends AnyViewTypes }
  ? NonNullable<Types>
  : ViewTypes<
      V extends { readonly path: infer Path extends string } ? Path : string,
      unknown,
      unknown,
      unknown,
      unknown,
      unknown,
      V extends { readonly handlers: infer Handlers } ? { readonly [Method in keyof Handlers]: unknown } : unknown,
      unknown
    >

/** The path of a view below its list or object. */
export type PathOf<V, Name> = string extends TypesOfView<V>['path'] ? Name : TypesOfView<V>['path']

type ParameterName<Path extends string> = Path extends `${infer Segment}/${infer Rest}`
  ? ParameterName<Segment> | ParameterName<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never

/** The parameters in the path of a view, as arguments. */
export type ParametersOf<Path extends string, V> = [ParameterName<Path>] extends [never]
  ? []
  : [
      parameters: {
        readonly [Name in ParameterName<Path>]: Name extends keyof SentData<TypesOfView<V>['parameters']>
          ? SentData<TypesOfView<V>['parameters']>[Name]
          : string | number
      },
    ]

/** The methods of a view. `T`: its resource; never for a view of the API. */
export type ViewClient<V, T extends ResourceTypes, A extends ApiTypes> = MethodsOf<TypesOfView<V>, T, A>

/** The methods that a view has. */
export type MethodOf<V> = keyof TypesOfView<V>['bodies']

/** The methods of the URL of a list or an object, by their names. */
export type OwnMethodsClient<V, T extends ResourceTypes, A extends ApiTypes> = Pick<
  ViewMethods<TypesOfView<V>, T, A>,
  MethodNames[MethodOf<V> & keyof MethodNames]
>

type MethodsOf<Y extends AnyViewTypes, T extends ResourceTypes, A extends ApiTypes> = ('POST' extends keyof Y['bodies']
  ? PostCall<Y, T, A>
  : unknown) &
  Pick<ViewMethods<Y, T, A>, MethodNames[keyof Y['bodies'] & keyof MethodNames]>

interface MethodNames {
  readonly GET: 'get'
  readonly POST: 'post'
  readonly PUT: 'put'
  readonly PATCH: 'patch'
  readonly DELETE: 'delete'
}

/** POST. */
type PostCall<Y extends AnyViewTypes, T extends ResourceTypes, A extends ApiTypes> = ViewMethods<Y, T, A>['post']

type PlainWrite<Y extends AnyViewTypes, Method, T extends ResourceTypes, A extends ApiTypes> = (
  ...body: WriteArguments<Y, Method, T, A>
) => ViewCall<Y, Method, 'bodies', T, A>

/**
 * The type of a write of a view: `Plain`, unless its response is a representation whose fields queries select.
 */
type BySelection<Y extends AnyViewTypes, Method, T extends ResourceTypes, A extends ApiTypes, Plain> = [T] extends [
  never,
]
  ? Plain
  : [Declared<Y, Method, 'responses'>] extends ['representation']
    ? BySelectionInWrites<T, Plain, SelectingView<Y, Method, T, A>>
    : Plain

type SelectingView<Y extends AnyViewTypes, Method, T extends ResourceTypes, A extends ApiTypes> = <
  const F extends FieldPaths<T, 'retrieve'> = never,
  const O extends FieldPaths<T, 'retrieve'> = never,
  const E extends ExpandPaths<T, A['resources']> = never,
>(
  body?: Wrapped<Y, Method, T, A>,
  options?: SelectingOptions<T, A, F, O, E> & { readonly query?: OwnQuery<Sent<Y, Method, 'queries'>> },
) => Call<FoundObject<T, A, F, O, E, false>, FieldErrors<Sent<Y, Method, 'bodies'>>, HeaderName<Y['headers']>>

// A view without a query declares undefined.
type OwnQuery<Query> = [Query] extends [undefined] ? unknown : Query

interface ViewMethods<Y extends AnyViewTypes, T extends ResourceTypes, A extends ApiTypes> {
  get(...query: Arguments<Sent<Y, 'GET', 'queries'>, RequestOptions>): ViewCall<Y, 'GET', 'queries', T, A>
  readonly post: BySelection<Y, 'POST', T, A, PlainWrite<Y, 'POST', T, A>>
  readonly put: BySelection<Y, 'PUT', T, A, PlainWrite<Y, 'PUT', T, A>>
  readonly patch: BySelection<Y, 'PATCH', T, A, PlainWrite<Y, 'PATCH', T, A>>
  delete(...options: DeleteArguments<Y, T, A>): ViewCall<Y, 'DELETE', 'queries', T, A>
}

type WriteArguments<Y extends AnyViewTypes, Method, T extends ResourceTypes, A extends ApiTypes> = Arguments<
  Wrapped<Y, Method, T, A>,
  WriteOptions<Y, Method>
>

/** The options of a DELETE. Its body, if it declares one, is the option `body`. */
type DeleteArguments<Y extends AnyViewTypes, T extends ResourceTypes, A extends ApiTypes> = Y['bodies'] extends {
  readonly DELETE: infer Body
}
  ? unknown extends Body
    ? [options?: WriteOptions<Y, 'DELETE'>]
    : [options: WriteOptions<Y, 'DELETE'> & { readonly body: Wrapped<Y, 'DELETE', T, A> }]
  : [options?: WriteOptions<Y, 'DELETE'>]

/** The options of a request that has a body beside its query. */
type WriteOptions<Y extends AnyViewTypes, Method> = RequestOptions & {
  readonly query?: Sent<Y, Method, 'queries'>
}

type Arguments<Value, Options> = undefined extends Value
  ? [value?: Value, options?: Options]
  : Record<never, never> extends Value
    ? [value?: Value, options?: Options]
    : [value: Value, options?: Options]

type Part = 'queries' | 'bodies' | 'responses'

type Declared<Y extends AnyViewTypes, Method, P extends Part> = OwnOrInherited<Y[P], Method, Y[ViewPart[P]]>

interface ViewPart {
  readonly queries: 'query'
  readonly bodies: 'body'
  readonly responses: 'response'
}

type Sent<Y extends AnyViewTypes, Method, P extends Part> = Method extends 'PATCH'
  ? PartOf<SentData<Declared<Y, Method, P>>>
  : SentData<Declared<Y, Method, P>>

/** A list is sent whole. */
type PartOf<Data> = Data extends readonly unknown[] ? Data : Partial<Data>

// A body of fields has the envelope of the resource; a list, and one with a Standard Schema, has none.
type Wrapped<Y extends AnyViewTypes, Method, T extends ResourceTypes, A extends ApiTypes> = [T] extends [never]
  ? Sent<Y, Method, 'bodies'>
  : Declared<Y, Method, 'bodies'> extends { readonly '~standard': unknown } | undefined
    ? Sent<Y, Method, 'bodies'>
    : Sent<Y, Method, 'bodies'> extends readonly unknown[]
      ? Sent<Y, Method, 'bodies'>
      : InEnvelope<AroundOf<T, A>, Sent<Y, Method, 'bodies'>>

type ViewCall<Y extends AnyViewTypes, Method, P extends Part, T extends ResourceTypes, A extends ApiTypes> = Call<
  Received<Declared<Y, Method, 'responses'>, T, A>,
  FieldErrors<Sent<Y, Method, P>>,
  HeaderName<Y['headers']>
>

/** The names of declared header fields; any name without them. */
type HeaderName<H> = [H] extends [undefined] ? string : unknown extends H ? string : keyof H & string

type Received<R, T extends ResourceTypes, A extends ApiTypes> = unknown extends R
  ? unknown
  : [R] extends ['representation']
    ? Retrieved<AroundOf<T, A>, Shown<T, 'retrieve', Known<T, A>>>
    : [R] extends [undefined]
      ? unknown
      : ResponseData<R>
