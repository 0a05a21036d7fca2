// Resources whose objects have no name on pages.

import type { FastifyInstance } from 'fastify'
import { readEnglish } from '../../messages/english.ts'
import { nameOne } from '../../messages/title.ts'
import { listRegisteredResources } from './start-checks.ts'

/** A line of advice for each resource that callers write and that has no `objectName`. */
export function listUnnamedResources(fastify: Pick<FastifyInstance, 'server'>): readonly string[] {
  const unnamed = listRegisteredResources(fastify)
    .map(({ resource }) => resource)
    .filter(
      ({ objectName, actions, singleton }) =>
        objectName === undefined &&
        singleton === undefined &&
        actions.includes('retrieve') &&
        (actions.includes('create') || actions.includes('update')),
    )
  return [...new Map(unnamed.map(resource => [resource.name, resource])).values()].map(
    resource =>
      `resource "${resource.name}": no field names an object, which pages call "${readEnglish(nameOne(resource))} 1": set "objectName"`,
  )
}
