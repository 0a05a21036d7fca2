// The OpenAPI documents of the service of this repository and of two examples.

import type { OpenApiDocument } from 'resource-api'
import { testApp, testService } from 'resource-api/testing'
import { createConduit } from '../../examples/conduit/conduit.ts'
import shop from '../../examples/shop/resource-api.config.ts'
import defaultService from '../../src/seed/default-service.ts'
import { readDocument } from './read-document.ts'

/** Reads the documents that are served. */
export async function readDocuments(): Promise<Readonly<Record<'service' | 'shop' | 'conduit', OpenApiDocument>>> {
  await using service = await testService(defaultService)
  await using shopService = await testService(shop)
  await using conduit = await testApp(parts => createConduit(parts.database))
  return {
    service: await readDocument(service),
    shop: await readDocument(shopService),
    conduit: await readDocument(conduit, '/api/openapi.json'),
  }
}
