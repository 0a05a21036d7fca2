import type { OpenApiDocument } from 'resource-api'
import type { TestClient } from 'resource-api/testing'

/** Reads an OpenAPI document that is served. */
export const readDocument = async (client: TestClient, path = '/openapi.json'): Promise<OpenApiDocument> =>
  (await client.get(path).expect(200)).json() as OpenApiDocument
