// The policies and settings that the views of an API share, from its options.

import {
  allowAny,
  anonymous,
  cachingExceptionHandler,
  completeVersioning,
  createBaseUrl,
  createFindTranslation,
  defaultSchemes,
  endUrl,
  formatResourcePath,
  formParser,
  isMissing,
  type JoinedApi,
  jsonParser,
  jsonRenderer,
  listApiParameters,
  multipartParser,
  serverError,
  toBaseUrl,
  type ViewPolicies,
  type ViewSettings,
} from '#core'
import type { ApiOptions } from './api-options.ts'
import { createSiteApis } from './site-apis.ts'

/** The policies of views that set none. */
export function completePolicies(options: ApiOptions): ViewPolicies {
  return {
    authentication: options.authentication ?? (options.accounts ? defaultSchemes(options.accounts) : []),
    permissions: options.permissions ?? [allowAny],
    throttles: options.throttles ?? [],
    parsers: options.parsers ?? [jsonParser(), formParser(), multipartParser()],
    renderers: options.renderers ?? [jsonRenderer],
  }
}

/** The settings that need what the API creates when it is mounted. */
type OwnSettings =
  | 'findView'
  | 'findMatch'
  | 'apiRenderers'
  | 'apiAuthentication'
  | 'observe'
  | 'calls'
  | 'database'
  | 'connection'
  | 'clock'
  | 'reverse'
  | 'fileSigner'
  | 'findRelatedOptions'

/** Creates the settings that follow from the options and from where the API is mounted. */
export function createSettings(
  options: ApiOptions,
  { api, apis }: Pick<JoinedApi, 'api' | 'apis'>,
): Omit<ViewSettings, OwnSettings> {
  const { prefix } = api
  const findTranslation = createFindTranslation(options)
  const root = (URL.parse(options.publicUrl ?? '')?.pathname.replace(/\/+$/, '') ?? '') + prefix
  return {
    anonymous: options.anonymous ?? { user: anonymous, auth: null },
    exceptionHandler: options.exceptionHandler ?? cachingExceptionHandler,
    serverError: options.serverError ?? serverError,
    findTranslation,
    findLanguage: request =>
      isMissing(request) ? null : (findTranslation?.(request.headers['accept-language']).preferred ?? null),
    showCauses: options.showCauses ?? false,
    nonFieldErrorsKey: options.nonFieldErrorsKey ?? 'non_field_errors',
    compresses: options.compression ?? false,
    strict: options.strict ?? false,
    unknownFields: options.unknownFields ?? 'ignore',
    checksResponses: checksResponses(options),
    describesLists: options.describesLists ?? true,
    formatParam: readFormatParam(options),
    versioning: completeVersioning(options.versioning),
    trailingSlash: options.trailingSlash ?? true,
    urlEnd: api.urlEnd,
    root,
    prefix,
    findListUrl(target) {
      const targetApi = api.findApi(target)
      return endUrl(`${toBaseUrl(targetApi, api, root)}/${formatResourcePath(target)}/`, targetApi.urlEnd)
    },
    baseUrl: createBaseUrl({ ...options, prefix }),
    listApis: createSiteApis(api, apis, root),
  }
}

/** Whether responses are compared with what their views and the document declare. */
export const checksResponses = ({ showCauses = false, checkResponses = showCauses }: ApiOptions): boolean =>
  checkResponses

/** The query parameters that every view of the API has. */
export const listReservedParameters = (options: ApiOptions): readonly string[] =>
  listApiParameters({ formatParam: readFormatParam(options), versioning: completeVersioning(options.versioning) })

export const readFormatParam = ({ formatParam = 'format' }: ApiOptions): string | null => formatParam
