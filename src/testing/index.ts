// The entry point 'resource-api/testing': APIs and services for tests, with any test runner.

export type { RequestHeaders, RequestOptions, TestClient, TestRequest } from './client.ts'
export { createTestClock, type Duration, type TestClock } from './clock.ts'
export { type PostgresServer, startPostgres } from './postgres-server.ts'
export type { PendingResponse, ResponseSchema, TestResponse } from './response.ts'
export type { TestApp, TestOptions } from './running-app.ts'
export type { TestService, TestServiceOptions } from './service-under-test.ts'
export { type TestApi, type TestApiOptions, type TestedApi, testApi } from './test-api.ts'
export { type TestParts, testApp } from './test-app.ts'
export { createTestDatabase, type DatabaseKind, type DatabaseOptions, type TestDatabase } from './test-database.ts'
export { testPassword } from './test-password.ts'
export { testService } from './test-service.ts'
export type { NewTestUser, TestUser } from './test-users.ts'
