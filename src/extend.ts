// The entry point 'resource-api/extend', for authors of fields, parsers, renderers, paginators, schemes, throttles, stores
// and pages. Applications need only 'resource-api'.

export type * from './api/client-types.ts'
export { rootResponse } from './api/default-views.ts'
export { createBoundedMap } from './core/base/bounded-map.ts'
export { formatJson } from './core/base/exact-json.ts'
export { isPromise } from './core/base/maybe-promise.ts'
export { memoize } from './core/base/memoize.ts'
export { adviseName } from './core/base/nearest-name.ts'
export { checkOptionNames, type OptionNames } from './core/base/option-names.ts'
export { timeSlices } from './core/base/time-slices.ts'
export {
  type Arguments,
  compile,
  Parameter,
  parameter,
  type SqlValue,
  type Statement,
} from './core/database/database.ts'
export type { Dialect, ForeignKey, Sql } from './core/database/dialect.ts'
export { findSqliteFile } from './core/database/open.ts'
export { openConnection } from './core/database/sqlite/sqlite-connection.ts'
export {
  createKeyedQueues,
  createTaskQueue,
  QueueFull,
  QueueTimeout,
  unlimitedWait,
} from './core/database/task-queue.ts'
export type { JsonSchema } from './core/describe/json-schema.ts'
export type { PathItem } from './core/describe/openapi-types.ts'
export { formatTypeName, invalid } from './core/errors/invalid.ts'
export { columnReference, createColumnValue } from './core/fields/column-reference.ts'
export type { FieldOf, FieldOptions, FieldValidator } from './core/fields/define-field.ts'
export { defineField } from './core/fields/define-field.ts'
export type {
  ColumnUse,
  Field,
  FieldDefinition,
  FieldLocation,
  Fields,
  FieldType,
  ForeignColumn,
  JoinTable,
  ParseContext,
  Relation,
  RelationTarget,
  RequestUses,
  RowFilterOptions,
  RowTarget,
  SchemaBuilder,
  Storage,
  ValuesOf,
} from './core/fields/field.ts'
export { type FieldGroups, listGroups } from './core/fields/field-groups.ts'
export type { FieldTrait, FieldTypes, KnownOptions } from './core/fields/field-types.ts'
export { formatLabel } from './core/fields/format-label.ts'
export { parseText } from './core/fields/kinds/text.ts'
export { defaultValues, type ReadOptions, readFields, readValue } from './core/fields/read-fields.ts'
export type { FieldLike } from './core/fields/schema-fields/zod-field.ts'
export { nameOnWire } from './core/fields/wire-names.ts'
export { type MultipartStreamOptions, multipartStream } from './core/http/parsers/multipart-stream.ts'
export type { Parser } from './core/http/parsers/parser.ts'
export { readBytes, readText } from './core/http/parsers/read-body.ts'
export type { FieldPart, FilePart, Part, RequestBody } from './core/http/parsers/request-body.ts'
export type { Asset, RenderContext, RenderedBody, Renderer } from './core/http/renderers/renderer.ts'
export { type HeaderLayers, joinLayers } from './core/http/response.ts'
export { createBaseUrl, localHosts, parseHost, toOwnPath, toRootPath } from './core/http/urls/base-url.ts'
export { allMethods, declareMethods } from './core/http/urls/routing.ts'
export { endUrl } from './core/http/urls/trailing-slash.ts'
export type { Identifier } from './core/keys/key.ts'
export { frameworkMessages } from './core/messages/english.ts'
export { formatSingularTitle, formatTitle, nameList, nameOne } from './core/messages/title.ts'
export {
  type CountedPlan,
  createPageLink,
  type Direction,
  envelope,
  type KeysetPlan,
  type Page,
  type PageNumber,
  type PagePlan,
  type PageRequest,
  type Paginator,
  type ParameterDescription,
  type Position,
  type PositionedItem,
  parseCount,
  type Total,
  type UncountedPlan,
} from './core/pagination/paginator.ts'
export { createAddressMatcher } from './core/policy/authentication/address-matcher.ts'
export { type Credentials, readCredentials } from './core/policy/authentication/authorization-header.ts'
export { type Cookie, formatCookie, readCookie } from './core/policy/authentication/cookies.ts'
export { csrfCookie, csrfField, type IssuedToken } from './core/policy/authentication/csrf.ts'
export {
  type Attempt,
  type FailureOptions,
  failure,
  type Scheme,
  skip,
  success,
} from './core/policy/authentication/scheme.ts'
export { isPermitted } from './core/policy/permissions/permission.ts'
export { clientAddress } from './core/policy/throttling/client-address.ts'
export { isRate, parseRate } from './core/policy/throttling/rate.ts'
export type { Quota } from './core/policy/throttling/rate-limit-fields.ts'
export type { KeyedRate, RateStore, RateWindow, TakeResult } from './core/policy/throttling/rate-store.ts'
export type { NamedRate, RateRequest, Throttle, ThrottleResult, Verdict } from './core/policy/throttling/throttle.ts'
export { defaultRowsPerRequest } from './core/resource/declare/request-rows.ts'
export { resolveNames } from './core/resource/names/resolve-names.ts'
export { countDeletion, type Deletion } from './core/resource/sql/count-deletion.ts'
export { countRows, maxCountedRows, type RowCount } from './core/resource/sql/count-rows.ts'
export { isOneOf } from './core/resource/sql/key-list.ts'
export { listMissingIndexes } from './core/resource/start/missing-indexes.ts'
export { retryLostRaces } from './core/resource/write/write.ts'
export type { DeletionCounts } from './core/view/deletion-counts.ts'
export type {
  DescribedOperation,
  DescribeOperation,
  DescriptionContext,
} from './core/view/describe/described-operation.ts'
export { sharedDescriptions as errorDescriptions } from './core/view/describe/error-responses.ts'
export { describeErrors } from './core/view/describe/error-schema.ts'
export { describeTakenObject } from './core/view/describe/field-schema.ts'
export { draftText } from './core/view/describe/translate-texts.ts'
export { escapeControls, formatErrorLines } from './core/view/errors/format-error.ts'
export { type LoggableError, loggableError } from './core/view/errors/loggable-error.ts'
export { type Observer, observeApis } from './core/view/observers.ts'
export type { ViewPage, ViewPageContext } from './core/view/view-page.ts'
export type { BreakingChange } from './openapi/compare/breaking-change.ts'
export { findBreakingChanges } from './openapi/compare/compare-documents.ts'
export { parseDocument } from './openapi/compare/read-document.ts'
export { describeRoute } from './openapi/further-paths.ts'
export {
  createResponseChecker,
  describeDifferences,
  type Exchange,
} from './openapi/response-checker.ts'
export { formatYaml } from './openapi/yaml.ts'
export { createPageFrame, type FramedPage, type PageFrame } from './pages/browsable.ts'
export { tokenInput } from './pages/forms/forms.ts'
export { pageHeaders } from './pages/frame/layout.ts'
export { type LoginForm, loginForm } from './pages/frame/login-form.ts'
export { type KeptForm, keptFormPage, keptLimits, readKeptForm } from './pages/gateway/kept-form.ts'
export { dateHtml, timeHtml } from './pages/html/format-value.ts'
export type { Words } from './pages/html/words.ts'
export { type PageKey, type PageTexts, pageMessages } from './pages/messages/page-messages.ts'
export { copyLine } from './pages/object/action-result.ts'
export { type ChangedValue, changedFieldHtml } from './pages/object/history-changes.ts'
export { formatUrl } from './pages/object/page-actions.ts'
export type { LoginOptions, PageContent } from './pages/page/browsable-options.ts'
export type { BrowsablePage, PageLink } from './pages/page/browsable-page.ts'
export { pagePath } from './pages/page/page-url.ts'
export { formatGridValues } from './pages/values/choice-grid.ts'
