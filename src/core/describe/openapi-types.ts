// The parts of OpenAPI 3.1 that documents of this framework contain, and that applications may add.

import type { JsonSchema } from './json-schema.ts'

/** Members whose names begin with `x-`. */
export interface Extensions {
  readonly [name: `x-${string}`]: unknown
}

export interface Reference {
  readonly $ref: string
}

export interface OpenApiDocument extends Extensions {
  readonly openapi: string
  readonly info: Info
  readonly servers: readonly OpenApiServer[]
  readonly tags: readonly Tag[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: Components
  readonly externalDocs?: ExternalDocumentation
}

export interface Info extends Extensions {
  readonly title: string
  readonly version: string
  readonly summary?: string
  readonly description?: string
  readonly termsOfService?: string
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string }
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string }
}

export interface OpenApiServer extends Extensions {
  readonly url: string
  readonly description?: string
}

export interface Tag extends Extensions {
  readonly name: string
  readonly description?: string
  readonly externalDocs?: ExternalDocumentation
}

export interface ExternalDocumentation extends Extensions {
  readonly url: string
  readonly description?: string
}

/** The operations of a path, by method in lower case. */
export type PathItem = Readonly<Record<string, Operation>>

export interface Components {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly responses: Readonly<Record<string, Response>>
  readonly headers: Readonly<Record<string, Header>>
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>
}

/** The schemes of a request, which all must identify the caller. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>

export interface Operation extends Extensions {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly deprecated?: boolean
  readonly externalDocs?: ExternalDocumentation
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: RequestBody
  /** By status; `default` and `2XX` describe several. */
  readonly responses: Readonly<Record<string, Response | Reference>>
  readonly security?: readonly SecurityRequirement[]
  readonly servers?: readonly OpenApiServer[]
}

export interface Parameter extends Extensions {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly description?: string
  readonly required?: boolean
  readonly deprecated?: boolean
  readonly style?: string
  readonly explode?: boolean
  readonly schema?: JsonSchema
  readonly example?: unknown
}

export interface RequestBody extends Extensions {
  readonly description?: string
  readonly required?: boolean
  readonly content: Content
}

export interface Response extends Extensions {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | Reference>>
  readonly content?: Content
}

/** The forms of a body, by media type. */
export type Content = Readonly<Record<string, MediaType>>

export interface MediaType extends Extensions {
  readonly schema?: JsonSchema
  readonly example?: unknown
  readonly encoding?: Readonly<Record<string, object>>
}

export interface Header extends Extensions {
  readonly description?: string
  readonly required?: boolean
  readonly schema: JsonSchema
}

export interface SecurityScheme extends Extensions {
  readonly type: 'apiKey' | 'http' | 'mutualTLS' | 'oauth2' | 'openIdConnect'
  readonly description?: string
  /** The header field, parameter or cookie of `apiKey`. */
  readonly name?: string
  readonly in?: 'query' | 'header' | 'cookie'
  /** The authentication scheme of `http`, such as `bearer`. */
  readonly scheme?: string
  readonly bearerFormat?: string
  readonly flows?: object
  readonly openIdConnectUrl?: string
}

/**
 * A change of a part of a document, as JSON Merge Patch (RFC 7396): members are merged, null removes one, and a list replaces
 * the generated one.
 */
export type MergePatch<Part> = Part extends readonly unknown[]
  ? Part
  : Part extends object
    ? { readonly [Member in keyof Part]?: MergePatch<Part[Member]> | null }
    : Part

/**
 * The changes of an application to the description of an operation. Parameters replace those with the same name
 * and place; other members are merged as JSON Merge Patch (RFC 7396), so null removes one.
 */
export type OperationOptions = Omit<MergePatch<Operation>, 'parameters'> & Pick<Partial<Operation>, 'parameters'>
