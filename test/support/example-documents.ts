// The OpenAPI documents of the service of this repository and of two examples.

import type { OpenApiDocument } from 'resource-api'
import { type TestClient, testApp, testService } from 'resource-api/testing'
import { createConduit } from '../../examples/conduit/conduit.ts'
import shop from '../../examples/shop/resource-api.config.ts'
import defaultService from '../../src/default-service.ts'

const read = async (client: TestClient, path = '/openapi.json'): Promise<OpenApiDocument> =>
  (await client.get(path).expect(200)).json() as OpenApiDocument

/** Reads the documents that are served. */
export async function readDocuments(): Promise<Readonly<Record<'service' | 'shop' | 'conduit', OpenApiDocument>>> {
  await using service = await testService(defaultService)
  await using shopService = await testService(shop)
  await using conduit = await testApp(parts => createConduit(parts.database))
  return {
    service: await read(service),
    shop: await read(shopService),
    conduit: await read(conduit, '/api/openapi.json'),
  }
}
