// A service on a fresh database, for tests. Its modules and their packages are loaded on demand, because the tests of an
// API need neither.

import type { Profile, ServiceOptions } from '#service'
import type { TestService, TestServiceOptions } from './service-under-test.ts'

/**
 * Starts a service for tests, from its config or from one profile. The database of the config is replaced. Nothing is
 * logged unless the config sets `logLevel`. If the service does not allow the host `localhost`, requests name the first host that it allows.
 *
 * @example
 * await using api = await testService(shop, { database: 'postgres' })
 * const ada = await api.user('ada', { permissions: ['orders.add'] })
 * await api.as(ada).post('/orders/', { number: '1' }).expect(201)
 */
export async function testService(
  service: ServiceOptions | Profile,
  options: TestServiceOptions = {},
): Promise<TestService> {
  const { startTestService } = await import('./service-under-test.ts')
  return startTestService(service, options)
}
