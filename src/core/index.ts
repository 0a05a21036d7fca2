// The inner door of the core: what the other storeys of this project import, as `#core`. Applications import the public doors.
// biome-ignore-all lint/style/noExcessiveLinesPerFile: this list has one line per name that another storey uses.

export { type BoundedMap, createBoundedMap, memoize } from './base/bounded-map.ts'
export { checkFunction } from './base/check-function.ts'
export { formatJson, parseExactNumbers, parseIntegers, parseTwice } from './base/exact-json.ts'
export { STATUS_CODES } from './base/http.ts'
export { isObject } from './base/is-object.ts'
export { limitBody } from './base/limit-body.ts'
export { isPromise, type MaybePromise } from './base/maybe-promise.ts'
export { adviseName, nearestName } from './base/nearest-name.ts'
export { checkOptionNames, type OptionNames } from './base/option-names.ts'
export { isLongEnough, type Secret } from './base/secret.ts'
export { timeSlices } from './base/time-slices.ts'
export type { Column, Table as CatalogueTable } from './database/catalogue.ts'
export {
  type AnyTables,
  type Connection,
  ConstraintViolation,
  compile,
  type Database,
  type PoolState,
  parameter,
  type SqlValue,
  type Statement,
  type StatementObserver,
} from './database/database.ts'
export type { Sql } from './database/dialect.ts'
export type { ExistingState } from './database/editors/schema-editor.ts'
export { recordBaseline } from './database/migrations/baseline.ts'
export { type DeclaredStep, step } from './database/migrations/declared-step.ts'
export { FailedMigration } from './database/migrations/failed-migration.ts'
export { type BackOptions, goBack, NoWayBack } from './database/migrations/go-back.ts'
export { migrationTables } from './database/migrations/history.ts'
export { anyPostgres, listStatements } from './database/migrations/list-statements.ts'
export {
  compareMigrations,
  inspectMigrations,
  type MigrateOptions,
  type MigrationDifference,
  type MigrationReport,
  type MigrationStep,
  type Migrations,
  migrate,
  type OwnedMigrations,
  type OwnedStepNames,
} from './database/migrations/migrate.ts'
export { readSteps } from './database/migrations/read-steps.ts'
export {
  findEnds,
  listChanges,
  listParents,
  listUsedSteps,
  replaySteps,
  replayUntil,
} from './database/migrations/replay-steps.ts'
export { listStepRecords, type StepRecord } from './database/migrations/step-records.ts'
export { findSqliteFile, type OpenOptions, openDatabase } from './database/open.ts'
export { openPostgres } from './database/postgres/postgres.ts'
export { createTemporaryDatabase, dropTemporaryDatabase } from './database/postgres/temporary-databases.ts'
export { rowsOf } from './database/row-source.ts'
export { applyChanges } from './database/schema/apply-changes.ts'
export type { Change } from './database/schema/change.ts'
export { describeChanges } from './database/schema/describe-changes.ts'
export { findChanges } from './database/schema/find-changes.ts'
export { findBreaks, listBreaks } from './database/schema/list-breaks.ts'
export { nameStep } from './database/schema/name-step.ts'
export {
  type Answer,
  type Answers,
  formatQuestion,
  type Question,
  WrongAnswer,
} from './database/schema/question.ts'
export { isSameState } from './database/schema/same-state.ts'
export { type ColumnType, type DefaultValue, emptyState, type SchemaState } from './database/schema/schema-state.ts'
export { openSqlite } from './database/sqlite/sqlite.ts'
export { openConnection } from './database/sqlite/sqlite-connection.ts'
export { compileSweep } from './database/sweep.ts'
export { createKeyedQueues, createTaskQueue, QueueFull, QueueTimeout, unlimitedWait } from './database/task-queue.ts'
export { createConnectionFinder, findTransaction } from './database/transaction.ts'
export { UnusableDatabase } from './database/unusable-database.ts'
export type { JsonSchema } from './describe/json-schema.ts'
export type {
  Components,
  Content,
  OpenApiDocument,
  Operation,
  OperationOptions,
  Parameter,
  PathItem,
  RequestBody as OpenApiRequestBody,
  Response,
  SecurityRequirement,
  SecurityScheme,
  Tag,
} from './describe/openapi-types.ts'
export {
  APIException,
  AuthenticationFailed,
  BadRequest,
  Conflict,
  type ErrorDetail,
  InsufficientStorage,
  MethodNotAllowed,
  NotAuthenticated,
  NotFound,
  PayloadTooLarge,
  PermissionDenied,
  PreconditionFailed,
  ServiceUnavailable,
  Throttled,
  ValidationError,
} from './errors/exceptions.ts'
export { formatTypeName } from './errors/invalid.ts'
export { checkDefault } from './fields/check-field.ts'
export { arrangeValues, type ChoiceGrid, type GridRow } from './fields/choices/choice-grid.ts'
export { type Choices, findChoice, formatChoice } from './fields/choices/choices.ts'
export type { FieldRecords } from './fields/declared-fields.ts'
export { defineField, readOnly, writeOnly } from './fields/define-field.ts'
export {
  emptyContext,
  type Field,
  type FieldDefinition,
  type Fields,
  type ForeignColumn,
  findNamedValue,
  hasNames,
  isSecret,
  type JoinTable,
  listNamedValues,
  type Relation,
  type RelationTarget,
  type ValuesOf,
} from './fields/field.ts'
export { type FieldGroup, groupNames, listGroups } from './fields/field-groups.ts'
export type { AnyRecord, TakenFields } from './fields/field-types.ts'
export { listVisibleFields } from './fields/field-visibility.ts'
export { formatLabel } from './fields/format-label.ts'
export {
  type FormRow,
  isRemovedRow,
  listChildFields,
  listFormRows,
  markRows,
  placeName,
  removeName,
  savedPrefix,
} from './fields/forms/form-rows.ts'
export { listKeptRows } from './fields/forms/form-value.ts'
export { findIdentifierKind, findPathIdentifier } from './fields/identifier.ts'
export { integerKey } from './fields/keys/integer-key.ts'
export { boolean } from './fields/kinds/boolean.ts'
export { choice, findChoiceKind } from './fields/kinds/choice.ts'
export { computed, type DefineComputed } from './fields/kinds/computed.ts'
export { date } from './fields/kinds/date.ts'
export { dateTime, formatDateTime } from './fields/kinds/date-time.ts'
export { email } from './fields/kinds/email.ts'
export { integer } from './fields/kinds/integer.ts'
export { json } from './fields/kinds/json.ts'
export { key } from './fields/kinds/key.ts'
export { hasParts, hasTime, valueKind } from './fields/kinds/kind.ts'
export { list } from './fields/kinds/list.ts'
export { multipleChoice } from './fields/kinds/multiple-choice.ts'
export { object } from './fields/kinds/object.ts'
export { parseText, text } from './fields/kinds/text.ts'
export { url } from './fields/kinds/url.ts'
export { readFields, readValue } from './fields/read-fields.ts'
export { related } from './fields/relations/related.ts'
export { via } from './fields/relations/source.ts'
export { findFile, hasColumn, listChildren, listStoredColumns, storageColumn } from './fields/storage.ts'
export type { OnWire, WireName } from './fields/wire-names.ts'
export { listOnWire, nameOnWire } from './fields/wire-names.ts'
export { createTag, formatTag } from './http/conditional/preconditions.ts'
export type { CallContext, FindRowEvents, HandlerContext, RequestContext, RowChange } from './http/context.ts'
export { checkEnvelope, type Envelope, findPageNames, type PageNames } from './http/envelope/envelope.ts'
export {
  cachingExceptionHandler,
  type ExceptionContext,
  type ExceptionHandler,
  serverError,
} from './http/errors/exception-handler.ts'
export { fastifyOptions, handleFrameworkErrors } from './http/fastify-options.ts'
export { formatDisposition } from './http/files/content-disposition.ts'
export type { FileRules } from './http/files/file-rules.ts'
export { createFileSigner } from './http/files/file-signer.ts'
export type { ShownFile } from './http/files/stored-file.ts'
export { createIdempotencyStore, idempotencyMigrations } from './http/idempotency/idempotency-store.ts'
export { type Anonymous, anonymous, type Caller, type Identity, isSameUser } from './http/identity.ts'
export { defaultLanguage } from './http/languages/accept-language.ts'
export { checkMessages } from './http/languages/check-messages.ts'
export {
  createFindTranslation,
  type Language,
  type LanguageOptions,
  type Translation,
} from './http/languages/languages.ts'
export {
  type CompleteVersioning,
  checkVersioning,
  completeVersioning,
  listApiParameters,
  type Versioning,
} from './http/negotiation/versioning.ts'
export { formParser } from './http/parsers/form.ts'
export { jsonParser } from './http/parsers/json.ts'
export { multipartParser } from './http/parsers/multipart.ts'
export { type Parser, parseBody, readBodyOfDelete } from './http/parsers/parser.ts'
export { emptyBody, type FormBody, type RequestBody, type UploadBody } from './http/parsers/request-body.ts'
export { htmlDocumentRenderer } from './http/renderers/html-document.ts'
export { jsonRenderer } from './http/renderers/json.ts'
export {
  type Asset,
  assetFolder,
  type BodyReader,
  type DocumentPage,
  type FindDocument,
  type RenderContext,
  type RenderedBody,
  type RenderedResponse,
  type Renderer,
  type Respond,
} from './http/renderers/renderer.ts'
export {
  type ApiResponse,
  Document,
  formatBody,
  type HeaderFields,
  JsonArray,
  JsonPage,
  JsonStream,
  JsonText,
  joinLayers,
  type ResponseBody,
  tagOnly,
  UnreadJson,
} from './http/response.ts'
export {
  type BaseUrlOptions,
  createBaseUrl,
  localHosts,
  parseHost,
  toOwnPath,
  toRootPath,
} from './http/urls/base-url.ts'
export { clientPath, clientUrl } from './http/urls/client-url.ts'
export { checkParameterNames, defaultParameterNames, type ParameterNames } from './http/urls/parameter-names.ts'
export { fillParameters, formatShape, listParameterNames } from './http/urls/path-parameters.ts'
export { allMethods, createPathFinder, declareMethods, splitQuery } from './http/urls/routing.ts'
export { isLoopbackUrl, parseSecureUrl } from './http/urls/secure-url.ts'
export { addSlash, endUrl, findUrlEnd, type TrailingSlash, type UrlEnd } from './http/urls/trailing-slash.ts'
export type { Identifier, Key, KeyValue } from './keys/key.ts'
export { compileText, defineMessages, type MessageValues, type TranslationOf } from './messages/catalogue.ts'
export { documentMessages, documentTexts } from './messages/document-messages.ts'
export { frameworkMessages, type MessageText, readEnglish } from './messages/english.ts'
export {
  formatListTitle,
  formatResourcePath,
  formatSingularTitle,
  formatTitle,
  type NamedResource,
  nameList,
  nameOne,
} from './messages/title.ts'
export { cursor } from './pagination/cursor.ts'
export { pageNumber } from './pagination/page-number.ts'
export type { PageMember } from './pagination/paginator.ts'
export { checkPageSize, type PageNumber, type Paginator, type Total } from './pagination/paginator.ts'
export { createAddressMatcher } from './policy/authentication/address-matcher.ts'
export { basicScheme } from './policy/authentication/basic.ts'
export { formatCookie, readCookie } from './policy/authentication/cookies.ts'
export { type Csrf, createCsrf, csrfCookie, csrfField } from './policy/authentication/csrf.ts'
export { type DefaultSchemeOptions, defaultSchemes } from './policy/authentication/default-schemes.ts'
export { type Identify, type RemoteUserOptions, remoteUserScheme } from './policy/authentication/remote-user.ts'
export { remoteUserHeader } from './policy/authentication/remote-user-header.ts'
export {
  type Attempt,
  authenticate,
  failure,
  readCredentials,
  type Scheme,
  skip,
  success,
} from './policy/authentication/scheme.ts'
export { sessionScheme } from './policy/authentication/session.ts'
export { tokenScheme } from './policy/authentication/token.ts'
export { checkPaginator, checkPolicies } from './policy/check-policies.ts'
export {
  allowAny,
  authenticated,
  type DefineRowFilter,
  ownerOrReadOnly,
  rowFilter,
  staff,
} from './policy/permissions/built-in-permissions.ts'
export { or } from './policy/permissions/combinators.ts'
export { isPermitted, isSafe, type Permission } from './policy/permissions/permission.ts'
export { clientAddress } from './policy/throttling/client-address.ts'
export { databaseStore, throttleMigrations } from './policy/throttling/database-store.ts'
export { fallbackStore } from './policy/throttling/fallback-store.ts'
export { isRate, parseRate } from './policy/throttling/rate.ts'
export type { RateStore } from './policy/throttling/rate-store.ts'
export { anonThrottle, scopedThrottle, userThrottle } from './policy/throttling/rate-throttles.ts'
export type { Throttle } from './policy/throttling/throttle.ts'
export { type JoinedApi, joinApplication } from './resource/bind/application.ts'
export { type BoundResource, bindResource } from './resource/bind/bound-resource.ts'
export type { BoundResourceOptions } from './resource/bind/bound-resource-options.ts'
export { narrowToList } from './resource/bind/narrow-to-list.ts'
export { createApiCalls, createChildrenFinder } from './resource/calls/called-api.ts'
export { createContext, ignorePermissions } from './resource/calls/create-context.ts'
export type { TargetOf } from './resource/declare/filter-types.ts'
export type { ChangedValue, ObjectChange, RecordChanges, RecordedWrite } from './resource/declare/object-change.ts'
export { checkPut, type PutOption } from './resource/declare/put-option.ts'
export type {
  Changed,
  Created,
  ListParameters,
  NamedParameter,
  PageParameters,
  Replaced,
  ResourceTypes,
  Shown,
  TypedResource,
} from './resource/declare/representation.ts'
export { defaultRowsPerRequest } from './resource/declare/request-rows.ts'
export type { Resource } from './resource/declare/resource.ts'
export type { FieldPath, ResourceOptions } from './resource/declare/resource-options.ts'
export {
  type DefineListView,
  type DefineObjectView,
  type ListContext,
  listView,
  type ObjectContext,
  type ObjectView,
  objectView,
} from './resource/declare/views.ts'
export { type DefineResource, resource } from './resource/define/define-resource.ts'
export { listExtraViews } from './resource/define/extra-views.ts'
export { findChangeListener } from './resource/feed/change-listener.ts'
export { feedTopic, formatPosition, isAfter, parsePosition } from './resource/feed/change-log.ts'
export { endEventStreams } from './resource/feed/event-stream.ts'
export { formatEvent } from './resource/feed/feed-events.ts'
export { feedMigrations } from './resource/feed/feed-migrations.ts'
export { isOnlyNested } from './resource/names/list-paths.ts'
export { isMissing } from './resource/names/missing-request.ts'
export { type MountedApi, toBaseUrl } from './resource/names/mounted-api.ts'
export { resolveNames } from './resource/names/resolve-names.ts'
export { type ApplicationRoutes, findTakenSegments } from './resource/names/taken-segments.ts'
export { listViewFields } from './resource/names/view-fields.ts'
export { type DefineFilter, filter } from './resource/query/filters/custom-filter.ts'
export { splitValues } from './resource/query/filters/split-values.ts'
export {
  columnsParameter,
  compareParameter,
  differencesParameter,
  pageParameters,
  savedViewParameter,
  searchParameter,
  searchPrefix,
  searchTextParameter,
} from './resource/query/filters/unknown-parameters.ts'
export { createPageCache } from './resource/query/page-cache.ts'
export { listSelectionParameters } from './resource/query/selection/resource-selection.ts'
export { createTagCache } from './resource/query/tag-cache.ts'
export { createOptionsFinder } from './resource/read/related-options.ts'
export {
  count,
  type DefineLatest,
  type DefineRelated,
  type DefineSum,
  exists,
  latest,
  sum,
} from './resource/related/related-values.ts'
export { type DefineWhere, where } from './resource/related/where.ts'
export { checkRoutes } from './resource/routes/check-routes.ts'
export { createReverse } from './resource/routes/reverse.ts'
export type { Route } from './resource/routes/route.ts'
export { createResourceRoutes, type LocatedResource } from './resource/routes/routes.ts'
export {
  addOwnRoute,
  joinPrefix,
  listServerRoutes,
  listViewsBelow,
  type SharedPrefix,
} from './resource/routes/shared-prefix.ts'
export { countDeletion } from './resource/sql/count-deletion.ts'
export { countRows, type RowCount } from './resource/sql/count-rows.ts'
export { isOneOf } from './resource/sql/key-list.ts'
export { followResources, followWhenReady } from './resource/start/follow-changes.ts'
export { listMissingIndexes } from './resource/start/missing-indexes.ts'
export { checkMigrationsWhenReady, checkWhenReady, DeclarationError } from './resource/start/start-checks.ts'
export { listUnnamedResources } from './resource/start/unnamed-resources.ts'
export { listUnusedFiles, type UnusedFile } from './resource/start/unused-files.ts'
export { checkChildren } from './resource/write/children/check-children.ts'
export { createChildrenReader } from './resource/write/children/read-children.ts'
export { retryLostRaces } from './resource/write/write.ts'
export { created, owner, reference } from './tables/column.ts'
export { caller } from './tables/condition.ts'
export type { AnySchema } from './tables/condition-types.ts'
export type { TablesOf } from './tables/row-types.ts'
export { type Table, table } from './tables/table.ts'
export { type Schema, tables } from './tables/tables.ts'
export { checkView, viewOptions } from './view/check-view.ts'
export { createView } from './view/create-view.ts'
export { checkQueryNames } from './view/declared/check-declared-view.ts'
export type { AnyViewTypes, DefineView, OwnOrInherited, ViewTypes } from './view/declared/declared-view.ts'
export { view } from './view/define-view.ts'
export type { DeletionCounts } from './view/deletion-counts.ts'
export { type ComponentRegistry, createComponents, type RegisteredResource } from './view/describe/components.ts'
export { describedMethods } from './view/describe/described-methods.ts'
export type {
  DescribedBody,
  DescribedOperation,
  DescribedResponse,
  DescribeOperation,
  DescriptionContext,
  ResponseHeader,
} from './view/describe/described-operation.ts'
export {
  hasOwnErrors,
  listErrorResponses,
  listStatuses,
  referToHeaders,
  sharedDescriptions as errorDescriptions,
  sharedDescriptions,
} from './view/describe/error-responses.ts'
export { describeErrors } from './view/describe/error-schema.ts'
export { describeTakenObject } from './view/describe/field-schema.ts'
export { mergeOperation, mergePatch } from './view/describe/merge-patch.ts'
export { findFreeName, formatFunctionName } from './view/describe/names.ts'
export {
  checkOperationIds,
  createOperationNames,
  findGivenName,
  type OperationNames,
} from './view/describe/operation-ids.ts'
export { checkDocumentOptions, type DocumentOptions, type ExampleObjects } from './view/describe/options.ts'
export { draftText, translateTexts } from './view/describe/translate-texts.ts'
export { describeViewOperation } from './view/describe/view-operations.ts'
export { hasAllowedMethod, listAllowedForms } from './view/describe-view.ts'
export { escapeControls, formatErrorLines } from './view/errors/format-error.ts'
export { logError } from './view/errors/log-error.ts'
export { type LoggableError, loggableError } from './view/errors/loggable-error.ts'
export type { FindValues, WriteSelected } from './view/list-writes.ts'
export {
  type FilterLookup,
  type Form,
  type ListMetadata,
  narrowListMetadata,
  type ObjectNames,
  type RelatedName,
  type RelatedOption,
} from './view/metadata.ts'
export { mountAssets, mountCatchAll, mountView, sendError } from './view/mount.ts'
export { createObserver, observeApis } from './view/observers.ts'
export type { PageAction } from './view/page-action.ts'
export type { ResponseData, SentData } from './view/schemas/schema.ts'
export type { SiteApi } from './view/site-api.ts'
export { checkUnknownFields } from './view/unknown-fields.ts'
export type {
  AuditEventOption,
  Handler,
  Observation,
  UnknownFields,
  View,
  ViewOptions,
  ViewPolicies,
  ViewSettings,
} from './view/view.ts'
export type { ViewPage, ViewPageContext } from './view/view-page.ts'
