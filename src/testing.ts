// The public door 'resource-api/testing': APIs and services for tests, with any test runner.

export type { TestClient } from './testing/client.ts'
export { type PostgresServer, startPostgres } from './testing/postgres-server.ts'
export type { TestResponse } from './testing/response.ts'
export type { TestApp, TestOptions } from './testing/running-app.ts'
export type { TestService } from './testing/service-under-test.ts'
export { type TestApi, testApi } from './testing/test-api.ts'
export { testApp } from './testing/test-app.ts'
export { createTestDatabase, type DatabaseKind, type TestDatabase } from './testing/test-database.ts'
export { testPassword } from './testing/test-password.ts'
export { testService } from './testing/test-service.ts'
export type { TestUser } from './testing/test-users.ts'
