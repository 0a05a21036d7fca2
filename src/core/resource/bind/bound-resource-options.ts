import type { Secret } from '../../base/secret.ts'
import type { Database } from '../../database/database.ts'
import type { Envelope } from '../../http/envelope/envelope.ts'
import type { IdempotencyStore } from '../../http/idempotency/idempotency-store.ts'
import type { Parser } from '../../http/parsers/parser.ts'
import type { ParameterNames } from '../../http/urls/parameter-names.ts'
import type { Paginator } from '../../pagination/paginator.ts'
import type { Permission } from '../../policy/permissions/permission.ts'
import type { UnknownFields } from '../../view/view.ts'
import type { RecordChanges } from '../declare/object-change.ts'
import type { PutOption } from '../declare/put-option.ts'
import type { MountedApi, WhenResolved } from '../names/mounted-api.ts'
import type { PageCache } from '../query/page-cache.ts'
import type { TagCache } from '../query/tag-cache.ts'
import type { ReadChildren } from '../validate/children.ts'

/** The options that a resource gets from its API. */
export interface BoundResourceOptions extends WhenResolved {
  readonly database: Database
  readonly permissions: readonly Permission[]
  /** The parsers of request bodies. */
  readonly parsers: readonly Parser[]
  readonly paginator: Paginator | null
  /** Whether a PUT must contain all required fields, or keeps those that its body lacks. */
  readonly put: PutOption
  /** The names around objects and lists. */
  readonly envelope: Envelope | undefined
  /** The API's page size; undefined if not set. */
  readonly pageSize: number | undefined
  /** The maximum number of rows that a request writes. */
  readonly rowsPerRequest: number
  /** The API's secret; undefined if not set. */
  readonly secret: Secret | undefined
  readonly clock: () => Date
  /** True: lists refuse unknown parameters. */
  readonly strict: boolean
  /** Whether bodies may contain fields that do not exist. */
  readonly unknownFields: UnknownFields
  /** Whether missing indexes are looked for. */
  readonly suggestsIndexes: boolean
  /** The names of the parameters that search, order and choose what is shown. */
  readonly parameterNames: Required<ParameterNames>
  /** The parameters that the paginator, the renderers and the pages of lists use. */
  readonly reservedParameters: readonly string[]
  /** The values that URLs of objects cannot contain, because something else has that URL. */
  readonly takenSegments: ReadonlySet<string>
  /** The API's cache of list pages. */
  readonly pageCache: PageCache
  /** The API's cache of the tags of objects and list pages. */
  readonly tagCache: TagCache
  /** The stored responses of requests with an `Idempotency-Key`; undefined if the API does not support it. */
  readonly idempotency: IdempotencyStore | undefined
  /** Records changes of objects; undefined if the API records none. */
  readonly recordChanges: RecordChanges | undefined
  /** The name of the further list of the resource that this is; undefined for the resource itself. */
  readonly list?: string
  /** The API, which finds related resources once all APIs of the application are known. */
  readonly api: MountedApi
  /** Reads the children that bodies contain. */
  readonly readChildren: ReadChildren
}
