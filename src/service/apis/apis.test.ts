import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSafe, type Resource, type ViewOptions } from 'resource-api'
import { onEveryDatabase } from '../../../test/support/service.ts'
import { createApis } from './apis.ts'

onEveryDatabase({ tokens: 'named' }, service => {
  test('every view of the service that writes declares its audit event', () => {
    const { services } = service()
    const hasAuditEvent = (view: Pick<ViewOptions, 'handlers' | 'auditEvent'>) =>
      view.auditEvent !== undefined || Object.keys(view.handlers).every(isSafe)
    const writesData = ({ actions, listMethods, listViews, objectViews }: Resource) =>
      actions.some(action => action !== 'list' && action !== 'retrieve') ||
      [listMethods, ...Object.values(listViews ?? {}), ...Object.values(objectViews ?? {})].some(
        view => view !== undefined && !Object.keys(view.handlers).every(isSafe),
      )
    const apis = createApis(services)
    for (const { prefix, options } of apis) {
      const views = [...Object.values(options.views ?? {}), ...(options.root ? [options.root] : [])]
      for (const view of views) assert.ok(hasAuditEvent(view), `${prefix} ${view.name}`)
      for (const resource of options.resources ?? [])
        assert.ok(!writesData(resource) || resource.auditEvent !== undefined, `${prefix} ${resource.name}`)
    }
    assert.ok(apis.flatMap(({ options }) => options.resources ?? []).length > 8)
  })
})
