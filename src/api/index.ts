// The inner door of the assembly, as `#api`.

export { createApi } from './api.ts'
export type { AnonymousOption, ApiOptions } from './api-options.ts'
export type { ApiTypes, DeclaredApi, TypedApi, TypedOptions } from './api-types.ts'
export { rootResponse } from './default-views.ts'
